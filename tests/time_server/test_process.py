"""The laboratory's time server beside real guests, asked by the real agent."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.environments.booted import BOOT_S, agent, greet, lab, require, until
from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.analysis.compare.reference_clock import Timed, timed
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.qemu.kind import Qemu, QemuSettings
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import LinkError
from virtometer.host.network.lan import LOOPBACK
from virtometer.host.owned.journal import Journal
from virtometer.link.messages import Done, Samples
from virtometer.model import Campaign, Limits
from virtometer.processes import stat_of
from virtometer.programs import Programs
from virtometer.runner.campaign import execute as campaigns
from virtometer.time_server import process
from virtometer.time_server.process import ReferenceClock

SOLVE = {"workload": "linpack", "op": "classic"}


def workload(kind: str, size: int = 100) -> Document:
    return {"name": kind, **SOLVE, "parameters": {"size": size, "time_server": kind}}


def run(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, environments: Sequence[Document], **more: Any
) -> Campaign:
    plan = make_plan(environments, [workload("tcp"), workload("udp")], blocks=1, fresh="block", **more)
    return campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher)


def check_agreement(made: Campaign, environments: Sequence[str], within: float) -> Mapping[tuple[str, str], Timed]:
    assert {(record.status, record.reason) for record in made.trials} == {("done", "")}
    found = timed(made)
    assert set(found) == {(name, environment) for name in ("tcp", "udp") for environment in environments}
    for one in found.values():
        assert abs(one.difference) < within, found
    return found


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exec cat /dev/zero", r"\x00"),
        ("echo no ports", r"'no ports\n'"),
        ("echo a reason >&2", "ended at once: a reason"),
    ],
    ids=["zeros", "words", "a reason"],
)
def test_a_server_that_says_something_else_is_ended(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    monkeypatch.setattr(process, "COMMAND", ("sh", "-c", script))
    with lab(tmp_path, disk=False) as one, pytest.raises(LinkError) as caught:
        ReferenceClock(one, "g", LOOPBACK, Limits())
    assert words in caught.value.sentence
    said(re.sub(r"(\\x00)+", "(zeros)", caught.value.sentence))


def test_both_ways_of_timing_agree_where_the_clock_is_right(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    agent()
    made = run(tmp_path, watcher, make_plan, [{"name": "native", "kind": "native"}], seconds=2.5)
    check_agreement(made, ["native"], 0.1)
    servers = [line for line in made.commands if "time-server" in line.argv]
    assert len(servers) == 1, "one for all trials of a guest"


@pytest.mark.parametrize("kind", [Bubblewrap, Runc])
def test_containers_reach_it(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, kind: type[Bubblewrap] | type[Runc]
) -> None:
    (tmp_path / "check").mkdir()
    with lab(tmp_path / "check", disk=False) as one:
        require(kind(one).check())
        if kind(one).lacks().network:
            pytest.skip(kind(one).lacks().network)
    places = [{"name": "native", "kind": "native"}, {"name": "guest", "kind": kind.kind}]
    check_agreement(run(tmp_path, watcher, make_plan, places, seconds=1.5), ["native", "guest"], 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("icount", ["auto", "shift=2,sleep=off"])
def test_it_agrees_with_the_hosts_wall_clock_where_a_clock_lies(tmp_path: Path, icount: str) -> None:
    """All samples, and after each a further solution: the wall clock also has the making and verifying of systems."""
    order = 500
    with lab(tmp_path, disk=False) as one:
        environment = Qemu(one)
        require(environment.check())
        environment.prepare(QemuSettings())
        guest = environment.start(QemuSettings.model_validate({"icount": icount, "cpus": 1}), "lies")
        try:
            session = greet(guest)
            path = guest.network
            if path is None:
                pytest.skip(environment.lacks().network)
            if path.guest_interface:
                session.request("configure-network", path.configuration(), BOOT_S)
            clock = ReferenceClock(one, "lies", path, Limits())
            try:
                wish = {
                    "run": "r", "kernel": "linpack", "op": "classic", "threads": 1, "cpus": None, "seconds": 4.0,
                    "parameters": {"size": order, "time-server": clock.endpoints()[0].address},
                }  # fmt: skip
                session.request("prepare", wish, BOOT_S)
                until(session)
                begun = time.monotonic()
                session.request("start", {"run": "r"}, BOOT_S)
                samples = []
                while not isinstance(event := session.next_event(BOOT_S), Done):
                    assert isinstance(event, Samples), event
                    samples += event.samples
                took_s = time.monotonic() - begun
            finally:
                clock.stop()
            session.bye(10)
            session.close()
        finally:
            guest.stop()
    once = 2 * order**3 // 3 + 2 * order**2
    by_wall_clock = sum(sample.work + once for sample in samples) / took_s
    own, outside = (event.measures[name].value for name in ("guest-rate", "reference-rate"))
    assert 0.95 < outside / by_wall_clock < 1.4, (own, outside, by_wall_clock)
    if icount != "auto":  # which makes the clock right on average
        assert own > 1.5 * outside


def test_a_guest_without_a_network_is_not_available(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, rogue_kind: None
) -> None:
    agent()
    places = [{"name": "native", "kind": "native"}, {"name": "alone", "kind": "rogue"}]
    made = run(tmp_path, watcher, make_plan, places)
    reasons = {r.reason for r in made.trials if r.trial.placements[0].environment == "alone"}
    assert reasons == {"alone: not available here: a rogue has no network"}


def test_it_is_gone_when_it_is_stopped(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        clock = ReferenceClock(one, "guest", LOOPBACK, Limits())
        by_tcp, by_udp = clock.endpoints()
        assert by_tcp.address.startswith("127.0.0.1:") and by_udp.address.startswith("udp:127.0.0.1:")
        clock.stop()
        clock.stop()
        with pytest.raises(LinkError, match="the time server ended early"):
            clock.endpoints()


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("raise SystemExit('no module')", "the time server ended at once: no module"),
        ("import time; time.sleep(60)", "the time server does not say where it listens"),
        ("import time; print('hello', flush=True); time.sleep(60)", "the time server said b'hello\\n', not where"),
    ],
)
def test_one_that_does_not_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, sentence: str
) -> None:
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", program))
    with lab(tmp_path, disk=False) as one, pytest.raises(LinkError) as caught:
        ReferenceClock(one, "guest", LOOPBACK, Limits(answer_s=1))
    assert caught.value.sentence.startswith(sentence)


LABORATORY = """
import sys, time
from pathlib import Path
from tests.environments.booted import lab
from virtometer.host.network.lan import LOOPBACK
from virtometer.model import Limits
from virtometer.time_server.process import ReferenceClock
with lab(Path(sys.argv[1]), disk=False) as one:
    clock = ReferenceClock(one, sys.argv[2], LOOPBACK, Limits())
    print(clock.guest.process.pid, flush=True)
    time.sleep(60)
"""


def test_it_dies_with_the_laboratory_and_the_clean_up_removes_the_rest(
    tmp_path: Path, new_id: Callable[[], str]
) -> None:
    agent()
    guest_id, journal = new_id(), Journal(tmp_path / "state")
    try:
        with subprocess.Popen(
            [sys.executable, "-c", LABORATORY, str(tmp_path), guest_id], stdout=subprocess.PIPE, text=True
        ) as laboratory:
            assert laboratory.stdout is not None
            server = int(laboratory.stdout.readline())
            os.kill(server, 0)
            laboratory.send_signal(signal.SIGKILL)
        wait_until(lambda: stat_of(server) is None)
        made = [Path(one["path"]) for one in journal.resources(f"{guest_id}-t") if one["resource"] == "cgroup"]
    finally:
        [sentence] = remove_leftovers(journal, Programs())
    assert f"The guest {guest_id}-t of a laboratory that no longer runs" in sentence
    assert "could not be removed" not in sentence
    assert not [path for path in made if path.exists()]
    assert not list(journal.directory.iterdir())
