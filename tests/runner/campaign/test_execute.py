import hashlib
import json
import os
import shutil
import signal
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.runner.conftest import Rogue, RogueSettings
from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import beside, by_treatment
from virtometer.environments.base import Check, Settings
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed, HostChanged, Interrupted, LedgerError
from virtometer.model import Campaign, FailureKind, Plan, TrialRecord
from virtometer.runner.campaign import execute as campaigns
from virtometer.runner.campaign import here
from virtometer.runner.campaign.remaining_time import TimeLeft
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch import host
from virtometer.store.ledger import Ledger

pytestmark = pytest.mark.usefixtures("rogue_kind")

GOOD = {"name": "good", "kind": "rogue"}


def rogue(behaviour: str) -> Document:
    return {"name": "bad", "kind": "rogue", "settings": {"behaviour": behaviour}}


def begin(plan: Plan, directory: Path, watcher: Watcher) -> Campaign:
    return campaigns.begin(resolved(plan), "text", directory, 7, watcher)


def test_a_native_campaign_measures_every_planned_trial(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    workloads: list[Document] = [
        {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 100}},
        {"name": "memory", "workload": "memory", "op": "triad", "parameters": {"size": "1M"}},
        {"name": "disk", "workload": "disk", "op": "random-read"},
        {"name": "net", "workload": "net", "op": "stream"},
        {"name": "round trip", "workload": "net", "op": "request-response"},
        {"name": "switch", "workload": "os", "op": "context-switch"},
    ]
    plan = make_plan([{"name": "native", "kind": "native"}], workloads, blocks=2, fresh="block")
    campaign = begin(plan, tmp_path / "c", watcher)
    assert [r.trial for r in campaign.trials] == list(campaign.planned)
    assert {(r.status, r.reason) for r in campaign.trials} == {("done", "")}
    assert len(campaign.guests) == 2
    for record in campaign.trials:
        (run,) = record.runs
        assert run.scored.value > 0
        assert all(sample.used for sample in run.samples)
        assert run.scored.clock.rate == pytest.approx(1.0, abs=0.005)
        assert run.scored.guest_cpu_s is not None
        assert record.host is not None and record.host.wall_s > 0.02
        assert run.conditions["scheduling_group"] == next(
            guest.effective["scheduling_group"] for guest in campaign.guests
        )
    cpu = [r.runs[0] for r in campaign.trials if r.runs[0].placement.workload == "cpu"]
    # A busy host gives the guest a part of the window of 0.05 s only, but an iteration at the least.
    assert all(0.005 <= (run.scored.guest_cpu_s or 0) < 0.5 for run in cpu)
    net = next(r.runs[0] for r in campaign.trials if r.runs[0].placement.workload == "net")
    assert net.conditions["network_path"] == "loopback"
    assert [line for line in campaign.commands if "fill" in line.argv]
    assert not [path.name for path in (tmp_path / "c").iterdir() if path.name.startswith("work-")]
    assert "filling the disk file with 1 MiB" in watcher.stages
    assert watcher.last[:3] == (12, 12, TimeLeft(0.0))


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("never-says-hello", FailureKind.START),
        ("dies-at-once", FailureKind.START),
        ("is-of-another-version", FailureKind.START),
        ("never-gets-ready", FailureKind.TIME_LIMIT),
        ("refuses", FailureKind.AGENT),
        ("dies-in-the-middle", FailureKind.GUEST),
        ("hangs-in-the-middle", FailureKind.TIME_LIMIT),
        ("never-ends", FailureKind.TIME_LIMIT),
        ("floods", FailureKind.PROTOCOL),
        ("talks-nonsense", FailureKind.PROTOCOL),
        ("finds-a-wrong-result", FailureKind.AGENT),
        ("lacks-the-device", FailureKind.UNAVAILABLE),
        ("samples-from-nowhere", FailureKind.CLOCK),
        ("does-no-work", FailureKind.SAMPLES),
        ("miscounts", FailureKind.PROTOCOL),
        ("has-a-clock-that-stands-still", FailureKind.CLOCK),
    ],
)
def test_a_guest_that_misbehaves_fails_its_trials_and_the_campaign_goes_on(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, behaviour: str, kind: FailureKind
) -> None:
    plan = make_plan([GOOD, rogue(behaviour)], blocks=2)
    campaign = begin(plan, tmp_path / "c", watcher)
    by_name: dict[str, list[TrialRecord]] = {"good": [], "bad": []}
    for record in campaign.trials:
        by_name[record.trial.placements[0].environment].append(record)
    assert [r.status for r in by_name["good"]] == ["done", "done"]
    assert [r.status for r in by_name["bad"]] == ["failed", "failed"]
    for record in by_name["bad"]:
        assert record.failure is not None and record.failure.kind is kind
        assert record.scored == ()
    [reason] = {record.reason for record in by_name["bad"]}
    said(reason)


def test_fewer_processors_than_threads_are_a_condition(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    allowed = len(os.sched_getaffinity(0))
    plan = make_plan(
        [{"name": "native", "kind": "native"}],
        [{"name": "cpu", "workload": "memory", "op": "copy", "parameters": {"size": "1M"}, "threads": allowed + 1}],
    )
    (record,) = begin(plan, tmp_path / "c", watcher).trials
    assert (record.status, record.reason) == ("done", "")
    assert record.runs[0].conditions["processors"] == f"{allowed} for {allowed + 1} threads"


def test_the_report_knows_the_command_lines_of_checks_and_starts(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    campaign = begin(make_plan([{"name": "native", "kind": "native"}]), tmp_path / "c", watcher)
    purposes = [line.purpose for line in campaign.commands]
    assert [purpose for purpose in purposes if "check-native" in purpose]
    assert [purpose for purpose in purposes if f"native guest v{os.getpid()}-" in purpose]


def test_a_guest_that_does_not_leave_is_ended(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    campaign = begin(make_plan([rogue("does-not-leave")]), tmp_path / "c", watcher)
    assert [r.status for r in campaign.trials] == ["done"]


def test_a_broken_guest_is_not_used_again_within_its_group(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    workloads = [
        {"name": f"w{i}", "workload": "linpack", "op": "classic", "parameters": {"size": 50}} for i in range(3)
    ]
    plan = make_plan([rogue("dies-in-the-middle")], workloads, fresh="block")
    campaign = begin(plan, tmp_path / "c", watcher)
    assert [r.status for r in campaign.trials] == ["failed"] * 3
    assert len(campaign.guests) == 3


def test_a_guest_that_does_not_start_is_tried_once_for_the_workloads_that_share_its_start(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    workloads = [
        {"name": f"w{i}", "workload": "linpack", "op": "classic", "parameters": {"size": 50}} for i in range(3)
    ]
    plan = make_plan([GOOD, rogue("dies-at-once")], workloads, fresh="block", blocks=2)
    campaign = begin(plan, tmp_path / "c", watcher)
    assert watcher.starting.count("bad") == 2
    bad = [record for record in campaign.trials if record.trial.placements[0].environment == "bad"]
    assert [record.status for record in bad] == ["failed"] * 6
    why, given_up = bad[0].reason, bad[-1].reason
    assert why != given_up
    assert [record.reason for record in bad] == [why, why, why, why, given_up, given_up]
    said(why)
    said(given_up)


def test_what_an_environment_lacks_is_said_and_never_a_zero(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    workloads = [
        {"name": "disk", "workload": "disk", "op": "random-read"},
        {"name": "net", "workload": "net", "op": "stream"},
    ]
    campaign = begin(make_plan([GOOD], workloads), tmp_path / "c", watcher)
    assert sorted((r.status, r.reason) for r in campaign.trials) == [
        ("failed", "good: not available here: a rogue has no disk"),
        ("failed", "good: not available here: a rogue has no network"),
    ]


def test_an_environment_that_does_not_work_is_refused_or_skipped(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Rogue):
        kind = "broken"

        def check(self) -> Check:
            raise EnvironmentFailed("there is no broken here", advice="mend it")

    monkeypatch.setitem(KINDS, "broken", Broken)
    environments = [GOOD, {"name": "worse", "kind": "broken"}]
    with pytest.raises(EnvironmentFailed, match="worse does not work here: there is no broken here") as caught:
        begin(make_plan(environments), tmp_path / "a", watcher)
    assert caught.value.advice == "mend it"
    assert not (tmp_path / "a").exists()
    campaign = begin(make_plan(environments, unavailable="skip"), tmp_path / "b", watcher)
    assert {p.environment for t in campaign.planned for p in t.placements} == {"good"}
    assert [(e.name, e.works) for e in campaign.environments] == [("good", True), ("worse", False)]
    with pytest.raises(EnvironmentFailed):
        begin(make_plan([environments[1], GOOD], unavailable="skip"), tmp_path / "c", watcher)


def test_settings_that_do_not_work_are_refused_or_skipped_before_anything_is_measured(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Choosy(Rogue):
        kind = "choosy"

        def prepare(self, settings: Settings) -> None:
            assert isinstance(settings, RogueSettings)
            if settings.behaviour != "good":
                raise EnvironmentFailed(f"its behaviour {settings.behaviour} cannot be had", advice="behave")

    monkeypatch.setitem(KINDS, "choosy", Choosy)
    environments: list[Document] = [
        GOOD,
        {"name": "fine", "kind": "choosy"},
        {"name": "odd", "kind": "choosy", "settings": {"behaviour": "odd"}},
    ]
    with pytest.raises(EnvironmentFailed, match="odd does not work here: ") as caught:
        begin(make_plan(environments), tmp_path / "a", watcher)
    said(caught.value.sentence)
    assert caught.value.advice == "behave"
    assert not (tmp_path / "a").exists()
    campaign = begin(make_plan(environments, unavailable="skip"), tmp_path / "b", watcher)
    [left_out] = [sentence for sentence in watcher.sentences if sentence.startswith("odd ")]
    assert left_out.endswith("; to do: behave")
    said(left_out)
    assert {"checking good", "preparing good", "checking fine", "preparing fine"} <= set(watcher.stages)
    assert {p.environment for t in campaign.planned for p in t.placements} == {"good", "fine"}
    assert [(e.name, e.works) for e in campaign.environments] == [("good", True), ("fine", True), ("odd", False)]
    assert all(record.status == "done" for record in campaign.trials)


def test_a_kind_is_checked_once_for_the_settings_that_decide_whether_it_works(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Settings | None] = []

    class AtPlace(RogueSettings):
        place: str = "here"

    class Placed(Rogue):
        kind = "placed"
        settings_type = AtPlace
        check_settings = ("place",)

        def check(self) -> Check:
            asked.append(None)
            return Check(False, "nothing works here")

        def check_with(self, settings: Settings) -> Check:
            asked.append(settings)
            assert isinstance(settings, AtPlace)
            return Check(settings.place == "there", f"nothing works {settings.place}")

    monkeypatch.setitem(KINDS, "placed", Placed)
    there = {"place": "there", "behaviour": "good"}
    environments: list[Document] = [
        GOOD,
        {"name": "a", "kind": "placed", "settings": there},
        {"name": "b", "kind": "placed", "settings": {**there, "processors": [0]}},
    ]
    begin(make_plan(environments), tmp_path / "a", watcher)
    assert asked == [AtPlace(place="there")]
    asked.clear()
    environments += [
        {"name": "c", "kind": "placed", "settings": {"place": "nowhere"}},
        {"name": "d", "kind": "placed", "settings": {"place": "here"}},
        {"name": "e", "kind": "placed", "settings": {"behaviour": "odd"}},
    ]
    campaign = begin(make_plan(environments, unavailable="skip"), tmp_path / "b", watcher)
    assert asked == [AtPlace(place="there"), AtPlace(place="nowhere"), None]
    assert {one.name: one.reason for one in campaign.environments if not one.works} == {
        "c": "nothing works nowhere", "d": "nothing works here", "e": "nothing works here",
    }  # fmt: skip


def test_a_refused_uri_is_named_and_the_default_hypervisor_is_not_asked(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("virsh") is None:
        pytest.skip("the package libvirt-clients is not installed")
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", "qemu+unix:///system?socket=/no/such/default")
    uri = "qemu+unix:///system?socket=/no/such/other"
    plan = make_plan([GOOD, {"name": "machine", "kind": "libvirt", "settings": {"uri": uri}}])
    with pytest.raises(EnvironmentFailed, match="machine does not work here: ") as caught:
        begin(plan, tmp_path / "c", watcher)
    assert f"libvirt at {uri} (ask for versions): " in caught.value.sentence
    assert "/no/such/default" not in caught.value.sentence


def interrupt_after(watcher: Watcher, count: int, number: signal.Signals = signal.SIGINT) -> None:
    """Let the watcher send a signal to this process when `count` trials are finished."""

    def after_trial() -> None:
        if len(watcher.records) == count:
            os.kill(os.getpid(), number)

    watcher.after_trial = after_trial


def test_ctrl_c_keeps_everything_and_resume_goes_on(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    interrupt_after(watcher, 3)
    directory = tmp_path / "c"
    plan = make_plan([GOOD, {"name": "other", "kind": "rogue"}], blocks=4)
    with pytest.raises(Interrupted, match="3 of 8 trials are kept") as caught:
        begin(plan, directory, watcher)
    assert f"virtometer resume {directory}" in caught.value.advice
    with Ledger.open(directory) as ledger:
        kept = ledger.read()
    assert len(kept.trials) == 3
    later = type(watcher)()
    campaign = campaigns.resume(directory, later)
    assert later.finished == 3
    assert [r.trial for r in campaign.trials] == list(campaign.planned)
    assert campaign.trials[:3] == kept.trials
    again = type(watcher)()
    assert campaigns.resume(directory, again).trials == campaign.trials
    assert again.starting == []


def test_a_ctrl_c_while_a_broken_guest_is_stopped_leaves_nothing_of_it(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = RunningGuest.stop
    stopped: list[str] = []

    def stop(running_guest: RunningGuest) -> None:
        if not stopped:
            signal.raise_signal(signal.SIGINT)
        real(running_guest)
        stopped.append(running_guest.record.guest_id)

    monkeypatch.setattr(RunningGuest, "stop", stop)
    with pytest.raises(Interrupted, match="1 of 2 trials is kept"):
        begin(make_plan([rogue("dies-in-the-middle")], blocks=2), tmp_path / "c", watcher)
    assert len(stopped) == 1


def test_resume_refuses_another_host_and_another_agent(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "c"
    interrupt_after(watcher, 1)
    with pytest.raises(Interrupted):
        begin(make_plan([GOOD], blocks=3), directory, watcher)
    facts = host.facts()
    with monkeypatch.context() as patch:
        patch.setattr(host, "facts", lambda: {**facts, "kernel": "9.9.9", "cpus": 96})
        with pytest.raises(HostChanged, match=r"cpus was .* and is 96; kernel was .* and is '9\.9\.9'"):
            campaigns.resume(directory, watcher)
    with monkeypatch.context() as patch:
        patch.setattr(campaigns, "agent_digest", lambda path: "0" * 64)
        with pytest.raises(HostChanged, match="agent_sha256"):
            campaigns.resume(directory, watcher)
    assert len(campaigns.resume(directory, watcher).trials) == 3


def test_two_laboratories_do_not_work_in_one_directory(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    directory = tmp_path / "c"
    begin(make_plan([GOOD]), directory, watcher)
    with pytest.raises(LedgerError, match="already holds a campaign"):
        begin(make_plan([GOOD]), directory, watcher)
    with Ledger.open(directory, write=True), pytest.raises(LedgerError, match="another laboratory"):
        campaigns.resume(directory, watcher)


def test_every_sample_in_the_ledger_adds_up_to_the_value(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    directory = tmp_path / "c"
    plan = make_plan([{"name": "native", "kind": "native"}], blocks=2)
    campaign = begin(plan, directory, watcher)
    with sqlite3.connect(f"file:{directory / 'ledger.sqlite'}?mode=ro", uri=True) as database:
        count = database.execute("select count(*) from samples").fetchone()[0]
    assert count == sum(len(run.samples) for record in campaign.trials for run in record.runs)
    for record in campaign.trials:
        (run,) = record.runs
        used = [sample for sample in run.samples if sample.used]
        seconds = sum(sample.end_ns - sample.start_ns for sample in used) * 1e-9 * run.scored.clock.rate
        assert run.scored.value == pytest.approx(sum(sample.work for sample in used) / seconds)
        assert run.scored.work == sum(sample.work for sample in used)


def test_campaigns_run_outside_the_main_thread(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    outcome = []
    thread = threading.Thread(
        target=lambda: outcome.append(begin(make_plan([GOOD]), tmp_path / "c", watcher)), daemon=True
    )
    thread.start()
    thread.join(60)
    assert [r.status for r in outcome[0].trials] == ["done"]
    assert json.dumps(dict(outcome[0].host))


TURNS: list[Document] = [
    {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 100}, "scheduling": "interleaved"},
    {"name": "disk", "workload": "disk", "op": "random-read", "scheduling": "interleaved"},
    {"name": "stream", "workload": "net", "op": "stream"},
]
TWICE: list[Document] = [{"name": "native", "kind": "native"}, {"name": "again", "kind": "native"}]


def test_guests_that_take_turns_live_throughout_a_block(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    plan = make_plan(TWICE, TURNS, blocks=2, seconds=0.1, fresh="block", limits={"clock_error": 0.05})
    campaign = begin(plan, tmp_path / "c", watcher)
    assert [record.trial for record in campaign.trials] == list(campaign.planned)
    assert {(record.status, record.reason) for record in campaign.trials} == {("done", "")}
    assert len(campaign.guests) == 2 * 2
    for record in campaign.trials:
        (run,) = record.runs
        assert run.in_slices is (run.placement.workload != "stream")
        assert run.in_slices is (record.trial.turns is not None)
        assert run.scored.value > 0
    with Ledger.open(tmp_path / "c") as ledger:
        assert ledger.read().trials == campaign.trials


def test_a_campaign_is_never_interrupted_between_trials_that_took_turns(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    plan = make_plan(TWICE, TURNS[:1], blocks=2, seconds=0.05, fresh="block", limits={"clock_error": 0.05})

    def stop() -> None:
        raise KeyboardInterrupt

    watcher.after_trial = stop
    with pytest.raises(Interrupted):
        begin(plan, tmp_path / "c", watcher)
    with Ledger.open(tmp_path / "c") as ledger:
        kept = ledger.read().trials
    assert [record.trial.index for record in kept] == [0, 1], "both sides of the comparison, or none"
    campaign = campaigns.resume(tmp_path / "c", Watcher())
    assert [record.trial.index for record in campaign.trials] == [0, 1, 2, 3]


def test_a_guest_that_does_not_start_leaves_the_others_their_turns(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    plan = make_plan(
        [TWICE[0], rogue("dies-at-once"), TWICE[1]], TURNS[:1], seconds=0.05, fresh="block",
        limits={"clock_error": 0.05, "start_s": 2},
    )  # fmt: skip
    campaign = begin(plan, tmp_path / "c", watcher)
    status = {record.trial.placements[0].environment: record.status for record in campaign.trials}
    assert status == {"native": "done", "bad": "failed", "again": "done"}


def test_guests_for_which_there_is_no_memory_take_turns_in_groups(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four guests of 9 MiB where three fit: two groups, and never more than three guests alive."""
    places: list[Document] = [{"name": name, "kind": "native"} for name in ("native", "one", "two")]
    plan = make_plan(
        places, TURNS, blocks=2, seconds=0.1, fresh="block", control=True,
        limits={"clock_error": 0.05},
    )  # fmt: skip
    room = (27 << 20) + plan.rules.min_free_memory_bytes
    monkeypatch.setattr(here, "memory_sizes", lambda: (64 << 30, room))
    alive: list[int] = []
    start, stop = RunningGuest.__init__, RunningGuest.stop
    living: set[int] = set()

    def started(self: RunningGuest, *given: Any, **more: Any) -> None:
        start(self, *given, **more)
        living.add(id(self))
        alive.append(len(living))

    def stopped(self: RunningGuest) -> None:
        stop(self)
        living.discard(id(self))

    monkeypatch.setattr(RunningGuest, "__init__", started)
    monkeypatch.setattr(RunningGuest, "stop", stopped)
    campaign = begin(plan, tmp_path / "c", watcher)
    told = [sentence for sentence in watcher.sentences if "cgroup" not in sentence and "group" in sentence]
    assert "36M" in told[0] and "27M" in told[0]
    assert told[1:] == ["  group 1: 2 x native 9M + one 9M = 27M", "  group 2: 2 x native 9M + two 9M = 27M"]
    said(told[0])
    assert {(record.status, record.reason) for record in campaign.trials} == {("done", "")}
    assert (max(alive), len(campaign.guests)) == (3, 2 * 2 * 3)
    assert len(campaign.trials) == 2 * 2 * 3 * 3
    table = by_treatment(campaign)
    for workload in ("cpu", "disk", "stream"):
        native = table[workload, "native"]
        found = [beside(table[workload, name], native) for name in ("one", "two")]
        runs = [{id(run) for _, run in one.results} for one in found]
        assert runs[0].isdisjoint(runs[1]) and len(runs[0]) == len(runs[1]) == 2 * 2
        for own, other in zip((table[workload, "one"], table[workload, "two"]), found, strict=True):
            starts = {record.trial.start_group for record, _ in own.results}
            assert starts == {record.trial.start_group for record, _ in other.results}
    assert {finding.ratio.n for finding in analyse(campaign).findings} == {2}


WRITES: list[Document] = [
    {"name": "random", "workload": "disk", "op": "random-write", "parameters": {"verify": "full"}},
    {"name": "sequential", "workload": "disk", "op": "sequential-write", "parameters": {"size": "64K"}},
    {"name": "both", "workload": "disk", "op": "access", "parameters": {"read": 50, "sync": "each"}},
    {"name": "reads", "workload": "disk", "op": "random-read", "parameters": {"verify": "full"}},
]


def test_guests_that_write_to_the_same_file_take_turns_and_leave_it_as_it_was(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    """All offsets are the same in all guests, and each finds its own writes. Stamps that were left would show."""
    runs_containers = os.geteuid() == 0 and shutil.which("runc") is not None
    places = [*TWICE, {"name": "box", "kind": "runc"}] if runs_containers else TWICE
    plan = make_plan(
        places, [{**one, "scheduling": "interleaved"} for one in WRITES], seconds=0.3, fresh="block", blocks=2,
        disk_span=16 << 20, limits={"clock_error": 0.05},
    )  # fmt: skip
    seen: set[str] = set()

    def look() -> None:
        (file,) = [one for one in (tmp_path / "c").rglob("*") if one.is_file() and one.stat().st_size == 16 << 20]
        seen.add(hashlib.sha256(file.read_bytes()).hexdigest())

    watcher.after_trial = look
    campaign = begin(plan, tmp_path / "c", watcher)
    assert {(record.status, record.reason) for record in campaign.trials} == {("done", "")}
    assert len(campaign.trials) == 2 * 4 * len(places)
    for record in campaign.trials:
        (run,) = record.runs
        assert run.in_slices and run.scored.value > 0 and run.reported.check["passed"] is True
        if not run.in_long_windows:  # as on a host with much other work
            assert len({sample.slice for sample in run.samples if (sample.slice or 0) >= 0}) >= 6
    assert len(seen) == 1
