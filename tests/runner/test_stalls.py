"""Guests and laboratories that are stopped for a while in a trial: by signals, between samples, and by a quota."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.runner.fixtures import MakePlan, Watcher, resolved
from virtometer.analysis import analyse
from virtometer.environments.base import LabContext
from virtometer.environments.registry import KINDS
from virtometer.model import MarkKind
from virtometer.report.formats.terminal import ResultTable
from virtometer.runner.campaign import execute as campaigns
from virtometer.runner.execution.clock_monitor import ClockMonitor

LINPACK = [{"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 200}}]


def agents() -> list[int]:
    """Pids of the agents that this process has started, each by a process that stays beside it."""
    parents, agents = dict[int, int](), list[int]()
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((directory / "stat").read_text().rpartition(")")[2].split()[1])
            words = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        parents[int(directory.name)] = parent
        if words[1:2] == [b"descriptor"]:
            agents.append(int(directory.name))
    return [pid for pid in agents if parents.get(parents[pid]) == os.getpid()]


def stop_for(pid: int, seconds: float, after_s: float) -> None:
    """Stop an agent for a while."""
    time.sleep(after_s)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)


def test_a_guest_that_was_stopped_is_marked_and_noted(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    starting = ClockMonitor.starting
    threads: list[threading.Thread] = []
    of_others = set(agents())  # other tests of this process may keep guests

    def and_stop(monitor: ClockMonitor) -> None:
        starting(monitor)
        if not threads:
            # Before the work begins: on a busy host the search takes longer than the work.
            (pid,) = set(agents()) - of_others
            threads.append(threading.Thread(target=stop_for, args=(pid, 3.0, 0.5)))
            threads[0].start()

    monkeypatch.setattr(ClockMonitor, "starting", and_stop)
    plan = make_plan([{"name": "native", "kind": "native"}], LINPACK, blocks=2, seconds=1.5, limits={"answer_s": 30})
    campaign = campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher)
    threads[0].join()
    first, second = campaign.trials
    assert (first.status, second.status) == ("done", "done")
    (mark,) = [mark for mark in first.marks if mark.kind is MarkKind.STALL]
    assert float(mark.text.split()[0]) > 2.5  # seconds: a busy host may take some more
    assert mark.text.endswith("in native")
    (run,) = first.runs
    assert run.reported.value is not None
    assert run.scored.value < 0.8 * run.reported.value
    notes = [note for finding in analyse(campaign).findings for note in finding.notes]
    assert [note for note in notes if note.endswith("marked as disturbed, and kept: stall")]
    assert [note for note in notes if "slower over the whole window" in note]
    assert ResultTable(analyse(campaign).findings)


def test_a_laboratory_that_was_stopped_reports_no_cost(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The laboratory is stopped for real, by a process that lets it go on after a second."""
    stoppers = []
    script = f"sleep 1; kill -STOP {os.getpid()}; sleep 1.2; kill -CONT {os.getpid()}"
    monkeypatch.setattr(watcher, "trial_started", lambda trial: stoppers.append(subprocess.Popen(["sh", "-c", script])))
    plan = make_plan([{"name": "native", "kind": "native"}], seconds=4)
    (record,) = campaigns.begin(resolved(plan), "", tmp_path / "c", 1, watcher).trials
    assert [stopper.wait() for stopper in stoppers] == [0]
    assert record.status == "done", record.reason
    assert [mark.kind for mark in record.marks] == [MarkKind.OBSERVATION]
    assert record.host is None
    assert [run.scored.guest_cpu_s for run in record.runs] == [None]


def test_a_rest_between_samples_is_marked(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, rogue_kind: None
) -> None:
    environments = [{"name": "rests", "kind": "rogue", "settings": {"behaviour": "rests-between-samples"}}]
    (record,) = campaigns.begin(resolved(make_plan(environments)), "text", tmp_path / "c", 7, watcher).trials
    (mark,) = record.marks
    assert mark.kind is MarkKind.STALL
    assert 0.55 < float(mark.text.split()[0]) < 3.0  # seconds: a busy host may take some more


def test_a_quota_is_not_a_disturbance(tmp_path: Path, watcher: Watcher, make_plan: MakePlan, lab: LabContext) -> None:
    if os.geteuid() != 0 or not KINDS["runc"](lab).check().works:
        pytest.skip("runc does not work here")
    environments = [{"name": "quota", "kind": "runc", "settings": {"cpus": 0.4}}]
    plan = make_plan(environments, LINPACK, blocks=4, seconds=1.5, limits={"answer_s": 30})
    campaign = campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher)
    assert [record.status for record in campaign.trials] == ["done"] * 4
    # The quota is there in every trial. What else runs on this host may really stop one.
    assert any(all(mark.kind is not MarkKind.STALL for mark in record.marks) for record in campaign.trials)
    for record in campaign.trials:
        (run,) = record.runs
        window_s = (run.scored.window_end_host_ns - run.scored.window_start_host_ns) * 1e-9
        assert run.scored.guest_cpu_s is not None
        assert run.scored.guest_cpu_s < 0.6 * window_s  # the quota was there
