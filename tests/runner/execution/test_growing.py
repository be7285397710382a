"""Interleaved trials of 1, 2, ... guests: windows, sums that are known, and guests that fail."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.analysis.groups.scenarios import group_results
from virtometer.clock import intervals
from virtometer.design.schedule.trials import schedule
from virtometer.environments.base import LabContext
from virtometer.environments.registry import KINDS
from virtometer.model import Campaign, Excluded, FailureKind, GuestKey, Placement, Plan, Trial, TrialRecord
from virtometer.runner.campaign import execute as campaigns
from virtometer.runner.execution.admission import Admission
from virtometer.runner.execution.executor import Executor
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.placement_run import PlacementRun
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch import observer
from virtometer.store.ledger import Ledger

needs_runc = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("runc") is None, reason="runc needs root")

WINDOW_S = 0.05
Growing = Callable[..., list[TrialRecord]]


@pytest.fixture
def plan_of(make_plan: MakePlan, turner_kind: None) -> Callable[..., Plan]:
    """A plan of scripted agents that work at the same time, by name what each does."""

    def made(rounds: int = 8, guests: Sequence[int] = (1, 2, 3), **environments: dict[str, Any]) -> Plan:
        named: list[Document] = [
            {"name": name, "kind": "turner", "settings": {"turns": turns}} for name, turns in environments.items()
        ]
        work = {"workload": "linpack", "op": "classic", "parameters": {"size": 50}, "scheduling": "interleaved"}
        return make_plan(
            named,
            [{"name": "linpack", **work}],
            scenarios=[{"name": "growing", "type": "together", "workloads": ["linpack"], "guests": list(guests)}],
            seconds=rounds * WINDOW_S,
            slice_s=WINDOW_S / 5,
            fresh="block",
            limits={"clock_error": 0.2, "run_extra_s": 1, "answer_s": 2},
        )

    return made


@pytest.fixture
def run(lab: LabContext) -> Iterator[Growing]:
    """Execute the first block of a plan. The guests are stopped at the end."""
    running: dict[GuestKey, RunningGuest] = {}

    def executed(plan: Plan, runner: Executor | None = None) -> list[TrialRecord]:
        trials = trials_of(plan)
        environments = {one.name: one for one in plan.environments}
        for number, key in enumerate(sorted({key for trial in trials for key in trial.guests} - running.keys())):
            environment = environments[key.environment]
            kind = KINDS[environment.kind](lab)
            settings = kind.settings_type.model_validate(environment.settings)
            name = f"group-{os.getpid()}-{number}"
            running[key] = RunningGuest.start(kind, environment, settings, name, plan.limits, key.number)
        return (runner or Executor(resolved(plan), lab)).run(trials, running, 7)

    yield executed
    for one in running.values():
        one.stop()


def trials_of(plan: Plan) -> list[Trial]:
    trials = schedule(plan, [one.name for one in plan.environments], 1)
    return [trial for trial in trials if trial.block == 0]


def size(record: TrialRecord) -> int:
    return len(record.trial.placements)


def sums(records: Sequence[TrialRecord]) -> dict[int, float]:
    """The mean sum of the rates by the number of guests."""
    found: dict[int, list[float]] = {}
    for record in records:
        assert (record.status, record.reason) == ("done", "")
        found.setdefault(size(record), []).append(sum(run.scored.value for run in record.runs))
    return {count: sum(values) / len(values) for count, values in found.items()}


def windows(record: TrialRecord) -> dict[int, tuple[float, float]]:
    """Begin and end (host ns) of all work in each window of a trial."""
    found: dict[int, tuple[float, float]] = {}
    for run in record.runs:
        timed = intervals.of_run(run, run.scored.clock)
        for sample, one in zip(run.samples, timed, strict=True):
            begin, end = found.get(sample.slice or 0, (one.start_ns, one.end_ns))
            found[sample.slice or 0] = min(begin, one.start_ns), max(end, one.end_ns)
    return found


def test_each_number_of_guests_has_windows_and_nobody_else_works_in_them(
    plan_of: Callable[..., Plan], run: Growing
) -> None:
    records = run(plan_of(box={}))
    assert sorted(map(size, records)) == [1, 1, 1, 2, 3]
    every = sorted((*window, record.trial.index) for record in records for window in windows(record).values())
    assert all(a[1] < b[0] for a, b in itertools.pairwise(every)), "one trial works at a time"
    rounds = {record.trial.index: [number for number in windows(record) if number >= 0] for record in records}
    for record in records:
        others = [rounds[one.trial.index] for one in records if size(one) == size(record)]
        numbers = sorted(itertools.chain(*others))
        assert numbers == list(range(len(numbers))), "one window for each number of guests in each round"
        assert 6 <= len(numbers) <= 12, "fewer than eight on a slow host, more on a disturbed one"
        assert len({run.guest_id for run in record.runs}) == size(record)
        assert (record.start_skew_ns > 0) is (size(record) > 1)
        assert record.host is not None and record.host.processors and record.host.run_queue is not None
        assert record.host.watch_s is not None and record.host.watch_s > 0


def test_what_counts_lies_where_all_guests_of_a_window_work(plan_of: Callable[..., Plan], run: Growing) -> None:
    (record,) = [one for one in run(plan_of(box={})) if size(one) == 3]
    spans: dict[int, list[tuple[float, float]]] = {}
    every: dict[int, list[tuple[float, float]]] = {}
    for run_ in record.runs:
        timed = intervals.of_run(run_, run_.scored.clock)
        for number in {sample.slice or 0 for sample in run_.samples}:
            mine = [(s, t) for s, t in zip(run_.samples, timed, strict=True) if s.slice == number]
            every.setdefault(number, []).append((mine[0][1].start_ns, mine[-1][1].end_ns))
            used = [t for s, t in mine if s.used]
            assert mine[0][0].excluded in (Excluded.WARM_UP, Excluded.LONG_WINDOW, Excluded.OUTSIDE)
            if used:
                spans.setdefault(number, []).append((used[0].start_ns, used[-1].end_ns))
    assert spans and all(len(found) == 3 for found in spans.values()), "a window counts for all or for none"
    for number, found in spans.items():
        assert min(begin for begin, _ in found) >= max(begin for begin, _ in every[number])


@pytest.mark.parametrize(("capacity", "loss", "two", "three"), [(2, 0.0, 2.0, 2.0), (3, 0.1, 1.8, 2.43)])
def test_sums_that_are_known_are_found(
    plan_of: Callable[..., Plan], run: Growing, tmp_path: Path, capacity: float, loss: float, two: float, three: float
) -> None:
    host = tmp_path / "host"
    host.mkdir()
    turns = {"host": str(host), "capacity": capacity, "loss": loss}
    found = sums(run(plan_of(rounds=12, box=turns)))
    assert found[2] / found[1] == pytest.approx(two, rel=0.05)
    assert found[3] / found[1] == pytest.approx(three, rel=0.05)


def test_iterations_longer_than_a_window_make_it_longer(plan_of: Callable[..., Plan], run: Growing) -> None:
    records = run(plan_of(guests=[1, 2], box={"longest": 0.08}))
    found = sums(records)
    assert found[2] / found[1] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(
    ("late_s", "marks"), [(0.0, []), (0.035, ["repeated"]), (0.12, ["repeated", "overlap"]), (0.5, ["repeated"])]
)
def test_rounds_whose_windows_are_hardly_shared_are_repeated_longer_once(
    said: Said, plan_of: Callable[..., Plan], run: Growing, tmp_path: Path, late_s: float, marks: list[str]
) -> None:
    shared = tmp_path / "host"
    shared.mkdir()
    late = {"late": late_s} if late_s else {}
    told = set()
    for record in run(plan_of(rounds=6, guests=[1, 2], box={"host": str(shared), "longest": 0.002, **late})):
        if late_s == 0.5 and size(record) == 2:
            assert "never ran at the same time" in record.reason
            assert [mark.kind for mark in record.marks] == marks
            continue
        assert record.failure is None, record.reason
        found = [mark for mark in record.marks if mark.kind in ("repeated", "overlap")]
        assert [mark.kind for mark in found] == (marks if size(record) == 2 else [])
        assert record.host is not None and record.host.overlap_s is not None
        used: dict[int, list[float]] = {}
        for one in record.runs:
            for sample, timed in zip(one.samples, intervals.of_run(one, one.scored.clock), strict=True):
                if sample.used:
                    used.setdefault(sample.slice or 0, []).extend([timed.start_ns, timed.end_ns])
        assert 0 < record.host.overlap_s <= sum(max(times) - min(times) for times in used.values()) * 1e-9
        assert record.host.overlap_s < record.host.wall_s
        if found:
            told.add("\n".join(re.sub(r"\d+%", "N%", str(mark)) for mark in found))
            dropped = {one.slice for one in record.runs[0].samples if "before its rounds were repeated" in one.mark}
            assert dropped and min(used) > max(number or 0 for number in dropped)
            every = [end - begin for number, (begin, end) in windows(record).items() if number >= min(used)]
            assert min(every) > 3 * WINDOW_S * 1e9
    said("\n".join(sorted(told)))


def test_threads_that_want_a_processor_are_counted_while_guests_work(
    plan_of: Callable[..., Plan], run: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def runnable() -> int:
        counted.append(time.monotonic_ns())
        return 7

    monkeypatch.setattr(observer, "runnable", runnable)
    records = run(plan_of(guests=[1, 2], box={}))
    every = [window for record in records for window in windows(record).values()]
    assert counted and all(any(begin < at < end for begin, end in every) for at in counted)
    assert {record.host.run_queue for record in records if record.host is not None} == {7.0}


def test_guests_whose_accounts_cannot_be_right_are_marked(
    plan_of: Callable[..., Plan], run: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunningGuest, "cpu_ns", lambda self: 50 * time.monotonic_ns())
    for record in run(plan_of(guests=[1, 2], box={})):
        assert [mark.kind for mark in record.marks if mark.kind == "account"] == ["account"], size(record)


def test_guests_whose_speed_changes_in_a_long_window_are_measured_in_long_windows(
    plan_of: Callable[..., Plan], run: Growing, lab: LabContext
) -> None:
    plan = plan_of(guests=[1, 2], box={"later": 0.2}, steady={})
    runner = Executor(resolved(plan), lab)
    for _ in range(2):
        for record in run(plan, runner):
            (long,) = {run_.in_long_windows for run_ in record.scored}
            assert long is (record.trial.placements[0].environment == "box")
            assert {(one.slice or 0) < 0 for run_ in record.runs for one in run_.samples if one.used} == {long}


def test_a_guest_that_dies_ends_its_own_trials_alone(plan_of: Callable[..., Plan], run: Growing) -> None:
    records = run(plan_of(guests=[1, 2], dying={"dies": 9}, box={}))
    failed = [record for record in records if record.failure is not None]
    assert {record.trial.placements[0].environment for record in failed} == {"dying"}
    for record in failed:
        assert record.failure is not None and record.failure.kind is FailureKind.GUEST
        assert "kernel panic: this guest is gone" in record.reason
    dead = {guest for record in failed for guest in record.trial.guests if size(record) == 1}
    assert dead, "a guest alone is one of those that failed"
    assert [size(record) for record in failed if size(record) == 2] == [2], "and so is every trial that has it"


def test_guests_that_cannot_work_fail_their_own_trials_alone(
    plan_of: Callable[..., Plan], run: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit = Admission.admit

    def refused(self: Admission, placement: Placement, *given: Any, **more: Any) -> PlacementRun:
        if placement.environment == "box":
            raise TrialFailed(FailureKind.UNAVAILABLE, "box offers no disk", placement)
        return admit(self, placement, *given, **more)

    monkeypatch.setattr(Admission, "admit", refused)
    records = run(plan_of(guests=[1, 2], box={}, steady={}))
    assert {record.trial.placements[0].environment for record in records} == {"box", "steady"}
    for record in records:
        box = record.trial.placements[0].environment == "box"
        assert record.reason.endswith("not available here: box offers no disk") is box
        assert record.unavailable is box


def test_a_guest_that_hangs_in_a_window_is_waited_for_no_longer(plan_of: Callable[..., Plan], run: Growing) -> None:
    records = run(plan_of(guests=[1, 2], hanging={"hangs": 7}, box={}))
    failed = [record for record in records if record.failure is not None]
    assert {record.trial.placements[0].environment for record in failed} == {"hanging"}
    assert {record.failure.kind for record in failed if record.failure} == {FailureKind.TIME_LIMIT}


def test_a_failure_names_the_guest_by_its_place_in_the_trial(plan_of: Callable[..., Plan], run: Growing) -> None:
    for record in run(plan_of(guests=[1, 2], failing={"fails": 8})):
        if record.failure is not None:
            assert record.failure.placement is not None
            assert "check-failed: the residual is 1e9" in record.reason
            assert record.failure.placement < size(record)


@needs_runc
def test_a_campaign_of_real_guests(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    work = {"workload": "linpack", "op": "classic", "parameters": {"size": 50}, "scheduling": "interleaved"}
    plan = make_plan(
        [{"name": "native", "kind": "native"}, {"name": "runc", "kind": "runc"}],
        [{"name": "cpu", **work}],
        scenarios=[{"name": "growing", "type": "together", "workloads": ["cpu"], "guests": [1, 2, 3]}],
        seconds=0.4,
        blocks=2,
        fresh="block",
        limits={"clock_error": 0.05, "start_s": 30, "prepare_s": 30, "run_extra_s": 30, "answer_s": 10},
    )
    campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher, beside=True)
    campaign = _read(tmp_path / "c")
    assert [(record.status, record.reason) for record in campaign.trials] == [("done", "")] * 20
    assert len(campaign.guests) == 12, "six guests a block, started once"
    assert not [mark for record in campaign.trials for mark in record.marks if mark.kind == "account"]
    found = group_results(campaign)
    assert [(one.environment, one.guests, one.n) for one in found.groups] == [
        (name, count, 2) for name in ("native", "runc") for count in (1, 2, 3)
    ]
    for group in found.groups:
        assert group.against_ideal is not None and 0.3 < group.against_ideal.value < 2
        assert len(group.members) == (3 if group.guests == 1 else group.guests)


def test_guests_that_are_never_alone_take_turns_as_well(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    """Not every guest of many is also measured alone in each block."""
    work = {"workload": "linpack", "op": "classic", "parameters": {"size": 50}, "scheduling": "interleaved"}
    plan = make_plan(
        [{"name": "native", "kind": "native"}],
        [{"name": "cpu", **work}],
        scenarios=[{"name": "many", "type": "together", "workloads": ["cpu"], "guests": [1, 6]}],
        seconds=0.4,
        blocks=1,
        fresh="block",
        limits={"clock_error": 0.2, "start_s": 30, "prepare_s": 30, "run_extra_s": 30, "answer_s": 10},
    )
    campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher, beside=True)
    records = _read(tmp_path / "c").trials
    assert sorted(map(size, records)) == [1, 1, 1, 6]
    assert [(record.status, record.reason) for record in records] == [("done", "")] * 4


def _read(directory: Path) -> Campaign:
    with Ledger.open(directory) as ledger:
        return ledger.read()
