"""Trials of groups of guests and placements, through the runner's own interface."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.runner.fixtures import Document, MakePlan, resolved
from tests.sentences import Said
from tests.store.campaigns import campaign
from virtometer.environments.base import LabContext
from virtometer.environments.registry import KINDS
from virtometer.model import FailureKind, GuestKey, GuestStart, MarkKind, Placement, Plan, Trial, TrialRecord
from virtometer.runner.execution.executor import Executor
from virtometer.runner.guests.running import RunningGuest
from virtometer.store.ledger import Ledger

needs_runc = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("runc") is None, reason="several containers in one trial need root and runc"
)
WORKLOADS: list[Document] = [
    {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 50}},
    {"name": "memory", "workload": "memory", "op": "read", "parameters": {"size": 4096}},
    {"name": "stream", "workload": "net", "op": "stream"},
]

Guests = Callable[..., TrialRecord]


@pytest.fixture
def execute(lab: LabContext) -> Iterator[Guests]:
    """Start the guests of one trial's placements, execute it, and stop them."""
    running_guests: dict[GuestKey, RunningGuest] = {}

    def run(plan: Plan, *placements: Placement) -> TrialRecord:
        trial = Trial(0, 0, 0, 0, placements)
        for number, key in enumerate(trial.guests):
            environment = next(one for one in plan.environments if one.name == key.environment)
            kind = KINDS[environment.kind](lab)
            settings = kind.settings_type.model_validate(environment.settings)
            kind.prepare(settings)
            name = f"several-{os.getpid()}-{number}"
            running_guests[key] = RunningGuest.start(kind, environment, settings, name, plan.limits, key.number)
        (record,) = Executor(resolved(plan), lab).run([trial], running_guests)
        return record

    yield run
    for running_guest in running_guests.values():
        running_guest.stop()


@pytest.fixture
def plan(make_plan: MakePlan) -> Callable[..., Plan]:
    def made(*kinds: str, **settings: Mapping[str, Any]) -> Plan:
        environments: list[Document] = [
            {"name": kind, "kind": kind, "settings": settings.get(kind, {})} for kind in kinds
        ]
        limits = {"clock_error": 0.05, "run_extra_s": 3}
        return make_plan(environments, WORKLOADS, seconds=1.0, limits=limits)

    return made


def check(record: TrialRecord, *placements: Placement) -> None:
    assert (record.status, record.reason) == ("done", "")
    assert tuple(run.placement for run in record.runs) == placements
    assert len({run.guest_id for run in record.runs}) == len({placement.guest_key for placement in placements})
    window = {(run.scored.window_start_host_ns, run.scored.window_end_host_ns) for run in record.scored}
    assert len(window) == 1, "all are scored over the same stretch"


def read_back(record: TrialRecord, directory: Path) -> None:
    """What the ledger gives back is what was recorded."""
    starts = {
        run.guest_id: GuestStart(run.guest_id, run.placement.environment, "kind", {}, {}, 0.1, "2026")
        for run in record.runs
    }
    with Ledger.create(directory / "r", replace(campaign(0), planned=(record.trial,))) as ledger:
        ledger.record([record], list(starts.values()), [])
        assert ledger.read().trials == (record,)


@needs_runc
def test_two_guests_of_one_environment_one_measured_and_one_load(
    execute: Guests, plan: Callable[..., Plan], tmp_path: Path
) -> None:
    placements = (
        Placement("runc", "cpu", "measured", guest=1, ordinal=0),
        Placement("runc", "memory", "load", guest=2, ordinal=1),
        Placement("native", "cpu", "load", guest=1, ordinal=2),
    )
    record = execute(plan("native", "runc"), *placements)
    check(record, *placements)
    assert all(run.scored.value > 0 for run in record.runs)
    assert [run.unit for run in record.runs] == ["FLOP/s", "B/s", "FLOP/s"]
    assert record.start_skew_ns == 0, "one is measured"
    for load in record.runs[1:]:
        first, last = load.samples[0], load.samples[-1]
        begin, end = (load.scored.clock.to_host_ns(moment) for moment in (first.start_ns, last.end_ns))
        assert begin < load.scored.window_start_host_ns and load.scored.window_end_host_ns < end
        assert load.reported.check["passed"]
    assert record.host is not None and [one.number for one in record.host.processors] != []
    read_back(record, tmp_path)


def test_two_placements_in_one_guest_run_at_the_same_time(execute: Guests, plan: Callable[..., Plan]) -> None:
    placements = (Placement("native", "cpu", ordinal=0), Placement("native", "memory", ordinal=1))
    record = execute(plan("native"), *placements)
    check(record, *placements)
    assert all(run.scored.value > 0 and run.samples for run in record.runs)


@needs_runc
def test_one_guest_is_the_peer_of_another(execute: Guests, plan: Callable[..., Plan], tmp_path: Path) -> None:
    placements = (
        Placement("runc", "stream", "service", guest=1, ordinal=0),
        Placement("runc", "stream", "measured", guest=2, ordinal=1, uses=(0,)),
    )
    record = execute(plan("runc"), *placements)
    check(record, *placements)
    service, stream = record.runs
    assert (service.op, service.score) == ("serve", None)
    assert stream.scored.value > 1e6
    assert stream.parameters["peer"] == service.conditions["address"]
    assert stream.parameters["peer"].startswith("10.77.0.")
    read_back(record, tmp_path)


@needs_runc
def test_services_share_a_guest_and_a_placement_uses_several(execute: Guests, plan: Callable[..., Plan]) -> None:
    placements = (
        Placement("runc", "stream", "service", guest=1, ordinal=0),
        Placement("runc", "stream", "service", guest=1, ordinal=1),
        Placement("runc", "stream", "measured", guest=2, ordinal=2, uses=(1, 0)),
        Placement("runc", "stream", "load", guest=1, ordinal=3, uses=(0,)),
    )
    record = execute(plan("runc"), *placements)
    check(record, *placements)
    first, second, stream, load = record.runs
    assert stream.parameters["peer"] == second.conditions["address"], "the first that offers one"
    assert load.parameters["peer"] == first.conditions["address"] != second.conditions["address"]
    assert stream.scored.value > 1e6


def test_a_guest_without_an_address_serves_nobody(said: Said, execute: Guests, plan: Callable[..., Plan]) -> None:
    placements = (
        Placement("native", "stream", "service", guest=1, ordinal=0),
        Placement("native", "stream", "measured", guest=2, ordinal=1, uses=(0,)),
    )
    record = execute(plan("native"), *placements)
    assert record.unavailable
    said(record.reason)


@pytest.mark.usefixtures("rogue_kind")
def test_two_equal_placements_that_fail_are_recorded(
    execute: Guests, plan: Callable[..., Plan], tmp_path: Path
) -> None:
    """Both have sent samples, and neither ends."""
    placements = (Placement("rogue", "cpu", guest=1, ordinal=0), Placement("rogue", "cpu", guest=2, ordinal=1))
    record = execute(plan("rogue", rogue={"behaviour": "never-ends"}), *placements)
    assert record.failure is not None
    assert (record.failure.kind, record.failure.placement) == (FailureKind.TIME_LIMIT, 0)
    assert tuple(run.placement for run in record.runs) == placements
    assert all(run.samples and run.score is None for run in record.runs)
    assert record.reason.startswith("rogue: ") and "; rogue #2: " in record.reason
    read_back(record, tmp_path)


@pytest.mark.usefixtures("rogue_kind")
@pytest.mark.parametrize(("late_s", "marks"), [(0.0, []), (0.125, ["repeated"]), (1.2, ["repeated", "overlap"])])
def test_a_trial_with_a_guest_that_begins_late_is_repeated_longer(
    said: Said, execute: Guests, make_plan: MakePlan, tmp_path: Path, late_s: float, marks: list[str]
) -> None:
    environments: list[Document] = [
        {"name": "box", "kind": "rogue", "settings": {"behaviour": "works-throughout"}},
        {"name": "late", "kind": "rogue", "settings": {"behaviour": f"works-throughout {late_s}"}},
    ]
    plan = make_plan(environments, WORKLOADS, seconds=0.2, limits={"clock_error": 0.2, "run_extra_s": 3})
    placements = (Placement("box", "cpu", ordinal=0), Placement("late", "cpu", ordinal=1))
    record = execute(plan, *placements)
    check(record, *placements)
    found = [mark for mark in record.marks if mark.kind in ("repeated", "overlap")]
    assert [mark.kind for mark in found] == marks
    said("\n".join(re.sub(r"\d+%", "N%", str(mark)) for mark in found))
    lasted_s = [(run.samples[-1].end_ns - run.samples[0].start_ns) * 1e-9 for run in record.runs]
    assert record.host is not None and record.host.watch_s is not None
    assert all((seconds >= 0.6) is bool(marks) for seconds in lasted_s), "three times as long"
    read_back(record, tmp_path)


@pytest.mark.usefixtures("rogue_kind")
@pytest.mark.parametrize("guests", [1, 2])
def test_guests_whose_accounts_cannot_be_right_are_marked(
    execute: Guests, plan: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, guests: int
) -> None:
    """Each is said to have had a hundred times as much as one processor has."""
    monkeypatch.setattr(RunningGuest, "cpu_ns", lambda self: 100 * time.monotonic_ns())
    placements = [Placement("rogue", "cpu", guest=number + 1, ordinal=number) for number in range(guests)]
    record = execute(plan("rogue"), *placements)
    check(record, *placements)
    (mark,) = [mark for mark in record.marks if mark.kind is MarkKind.ACCOUNT]
    assert mark.text.startswith("the guests are said" if guests > 1 else "the guest is said")


@pytest.mark.usefixtures("rogue_kind")
def test_an_account_that_is_missing_is_unknown_and_accuses_nobody(
    execute: Guests, plan: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cpu_ns(of: RunningGuest) -> int:
        if "-1" in of.record.guest_id[-2:]:
            raise OSError("it is hidden")
        return 100 * time.monotonic_ns()

    monkeypatch.setattr(RunningGuest, "cpu_ns", cpu_ns)
    record = execute(plan("rogue"), *(Placement("rogue", "cpu", guest=at + 1, ordinal=at) for at in range(2)))
    assert [run.scored.guest_cpu_s is None for run in record.runs] == [False, True]
    assert not [mark for mark in record.marks if mark.kind is MarkKind.ACCOUNT]
