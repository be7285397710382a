"""Guests of a campaign: started side by side, refused once, stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runner.fixtures import MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.environments.base import Guest, LabContext, Settings
from virtometer.environments.kinds.native import Native
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, HostLeftTuned
from virtometer.model import GuestKey, TuningStep
from virtometer.runner.guests.pool import Guests, compares_network
from virtometer.runner.guests.running import RunningGuest, StartingGuest

FIRST, SECOND, OTHER = GuestKey("native"), GuestKey("native", 2), GuestKey("other")
TWO = [{"name": "native", "kind": "native"}, {"name": "other", "kind": "native"}]


NET = [{"name": "net", "workload": "net", "op": "stream"}]
CPU = [{"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 100}}]


@pytest.mark.parametrize(
    ("kinds", "workloads", "compared"),
    [
        (["native", "runc"], NET, True), (["native", "runc"], CPU, False), (["native", "bubblewrap"], NET, False),
        (["native"], NET, False), (["native", "bubblewrap", "uml"], NET, True), (["runc", "uml"], NET, False),
    ],
)  # fmt: skip
def test_the_network_is_compared_where_some_guests_may_be_on_the_hosts_and_others_not(
    make_plan: MakePlan, kinds: list[str], workloads: list[dict[str, object]], compared: bool
) -> None:
    plan = make_plan([{"name": kind, "kind": kind} for kind in kinds], workloads, baseline=kinds[0])
    assert compares_network(resolved(plan)) == compared


@pytest.fixture
def guests(make_plan: MakePlan, lab: LabContext, watcher: Watcher) -> Guests:
    made = Guests(resolved(make_plan(TWO)), lab, watcher)
    made.prepare({"native", "other"})
    return made


@pytest.mark.parametrize(
    ("kinds", "alone", "control", "as_containers"),
    [
        (["native", "runc"], True, True, [SECOND]), (["native", "bubblewrap"], True, True, [SECOND]),
        (["native", "native"], True, True, []), (["native", "uml"], True, True, []),
        (["native", "runc"], False, True, []), (["native", "runc"], True, False, []),
    ],
)  # fmt: skip
def test_the_control_is_launched_as_the_containers_that_it_is_the_control_of(
    make_plan: MakePlan, lab: LabContext, watcher: Watcher, monkeypatch: pytest.MonkeyPatch,
    kinds: list[str], alone: bool, control: bool, as_containers: list[GuestKey],
) -> None:  # fmt: skip
    started: list[tuple[str, str]] = []
    for how in ("start", "start_control"):
        real = getattr(Native, how)

        def start(self: Native, settings: Settings, guest_id: str, how: str = how, real: Any = real) -> Guest:
            started.append((how, guest_id))
            guest = real(self, settings, guest_id)
            assert isinstance(guest, Guest)
            return guest

        monkeypatch.setattr(Native, how, start)
    names = ["native", "other"]
    plan = make_plan([{"name": name, "kind": kind} for name, kind in zip(names, kinds, strict=True)], control=control)
    guests = Guests(resolved(plan), lab, watcher)
    guests.prepare({"native"})
    guests.begin_group([], alone=alone)
    try:
        for key in (FIRST, SECOND):
            guests.ensure(key)
    finally:
        guests.stop_all()
    launched = dict(zip((FIRST, SECOND), (how for how, _ in started), strict=True))
    assert [key for key, how in launched.items() if how == "start_control"] == as_containers


def test_all_are_started_before_any_is_waited_for(guests: Guests, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    start, finish = Native.start, StartingGuest.finish

    def started(self: Native, settings: Settings, guest_id: str) -> Guest:
        events.append("start")
        return start(self, settings, guest_id)

    def finished(self: StartingGuest) -> RunningGuest:
        events.append("finish")
        return finish(self)

    monkeypatch.setattr(Native, "start", started)
    monkeypatch.setattr(StartingGuest, "finish", finished)
    try:
        guests.start_together([FIRST, SECOND, OTHER, FIRST])
        assert events == ["start"] * 3 + ["finish"] * 3
        assert set(guests.running) == {FIRST, SECOND, OTHER}
        assert len({start.guest_id for start in guests.starts}) == 3
        assert guests.running[SECOND].name == "native #2"
        guests.start_together([FIRST, OTHER])
        assert len(events) == 6, "those that live are not started again"
    finally:
        guests.stop_all()
    assert guests.running == {}


def test_one_that_does_not_start_leaves_the_others_and_is_not_tried_again(
    guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []
    start = Native.start

    def refusing(self: Native, settings: Settings, guest_id: str) -> Guest:
        tries.append(guest_id)
        if len(tries) == 1:
            raise EnvironmentFailed("no room")
        return start(self, settings, guest_id)

    monkeypatch.setattr(Native, "start", refusing)
    try:
        guests.start_together([OTHER, FIRST])
        assert set(guests.running) == {FIRST}
        with pytest.raises(EnvironmentFailed, match="no room"):
            guests.ensure(OTHER)
        assert len(tries) == 2
        assert guests.why_not("other") == "no room"
    finally:
        guests.stop_all()
    guests.ensure(OTHER)
    guests.stop_all()
    assert len(tries) == 3, "in the next block it is tried again"


def test_starts_that_fail_in_a_row_are_given_up_but_not_those_of_the_baseline(
    said: Said, guests: Guests, monkeypatch: pytest.MonkeyPatch, watcher: Watcher
) -> None:
    tries: list[str] = []

    def refusing(self: Native, settings: Settings, guest_id: str) -> Guest:
        tries.append(guest_id)
        raise EnvironmentFailed("no room")

    monkeypatch.setattr(Native, "start", refusing)
    for _ in range(3):
        for key in (OTHER, FIRST):
            with pytest.raises(EnvironmentFailed, match="no room"):
                guests.ensure(key)
        guests.stop_all()
    assert len(tries) == 2 + 3
    assert guests.baseline_failures == 3
    assert guests.why_not("other").endswith(": no room")
    said(guests.why_not("other"))
    assert [text for text in watcher.sentences if "in a row" in text] == [f"other: {guests.why_not('other')}"]


def test_a_start_that_goes_well_forgives_those_that_failed(guests: Guests, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []
    start = Native.start

    def every_other(self: Native, settings: Settings, guest_id: str) -> Guest:
        tries.append(guest_id)
        if len(tries) % 2:
            raise EnvironmentFailed("no room")
        return start(self, settings, guest_id)

    monkeypatch.setattr(Native, "start", every_other)
    for number in range(6):
        try:
            guests.ensure(OTHER)
        except EnvironmentFailed:
            assert number % 2 == 0
        guests.stop_all()
    assert len(tries) == 6


def test_what_was_started_is_ended_where_the_waiting_is_interrupted(
    guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []
    start = Native.start

    def watched(self: Native, settings: Settings, guest_id: str) -> Guest:
        guest = start(self, settings, guest_id)
        assert isinstance(guest, ProcessGuest)
        pids.extend(guest.account.processes())
        return guest

    def interrupted(_: StartingGuest) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Native, "start", watched)
    monkeypatch.setattr(StartingGuest, "finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        guests.start_together([FIRST, OTHER])
    guests.stop_all()
    assert len(pids) == 4  # of each an agent, and the process that keeps it
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_an_agent_that_does_not_end_keeps_no_other_alive(guests: Guests, monkeypatch: pytest.MonkeyPatch) -> None:
    guests.ensure(FIRST)
    guests.ensure_agent(FIRST, 3)
    running = guests.running[FIRST]
    stubborn, other = (running.agent(number).guest for number in (2, 3))
    processes = [one.process for one in (stubborn, other, running.guest) if isinstance(one, ProcessGuest)]
    assert len(processes) == 3 and all(one is not None and one.poll() is None for one in processes)
    stop = stubborn.stop

    def stop_and_complain() -> None:
        stop()
        raise EnvironmentFailed("it did not want to")

    monkeypatch.setattr(stubborn, "stop", stop_and_complain)
    guests.stop_all()
    assert all(one is not None and one.poll() is not None for one in processes)


def test_more_guests_than_disk_files_share_them(guests: Guests) -> None:
    guests.begin_group([FIRST, SECOND, OTHER])
    guests.start_together([FIRST, SECOND, OTHER])
    assert set(guests.running) == {FIRST, SECOND, OTHER}
    guests.stop_all()


def touching(path: Path, undo: str = "") -> dict[str, str]:
    return {"where": "host", "run": f"touch {path}", "undo": undo or f"rm {path}"}


def test_the_host_is_tuned_for_the_campaign_and_for_the_guests_of_an_environment(
    make_plan: MakePlan, lab: LabContext, watcher: Watcher, tmp_path: Path
) -> None:
    whole, mine = tmp_path / "whole", tmp_path / "mine"
    other = {"name": "other", "kind": "native", "settings": {"tuning": [touching(mine)]}}
    plan = make_plan([TWO[0], other]).model_copy(update={"tuning": [TuningStep.model_validate(touching(whole))]})
    guests = Guests(resolved(plan), lab, watcher)
    guests.prepare({"native", "other"})
    for key, alone in ((FIRST, False), (OTHER, True)):
        guests.ensure(key)
        assert (whole.exists(), mine.exists()) == (True, alone)
        done = [one["what"] for one in guests.running[key].record.effective["tuning"]]
        assert done == [f"touch {whole}", *([f"touch {mine}"] if alone else [])]
        guests.stop_all()
        assert (whole.exists(), mine.exists()) == (True, False)
    guests.close()
    assert not whole.exists()
    assert watcher.sentences == []


def test_a_guest_that_cannot_be_tuned_does_not_run(make_plan: MakePlan, lab: LabContext, watcher: Watcher) -> None:
    wrong = {"name": "other", "kind": "native", "settings": {"tuning": [{"queue_length": 5}]}}
    guests = Guests(resolved(make_plan([TWO[0], wrong])), lab, watcher)
    guests.prepare({"native", "other"})
    with pytest.raises(EnvironmentFailed, match="cannot be tuned: that would tune the host"):
        guests.ensure(OTHER)
    assert guests.running == {}


def test_what_cannot_be_undone_is_said(make_plan: MakePlan, lab: LabContext, watcher: Watcher, tmp_path: Path) -> None:
    step = TuningStep.model_validate(touching(tmp_path / "made", "sh -c 'echo never >&2; exit 4'"))
    guests = Guests(resolved(make_plan(TWO).model_copy(update={"tuning": [step]})), lab, watcher)
    guests.prepare({"native"})
    with pytest.raises(HostLeftTuned, match=r"could not be undone.*never"):
        guests.close()
    for left in lab.journal.directory.glob("tune-*.json"):
        left.unlink()
