"""Guests that take turns: rounds, long windows, and trials that fail alone."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest

from tests.runner.fixtures import Document, MakePlan, resolved
from tests.sentences import Said
from virtometer.clock import line
from virtometer.environments.base import LabContext
from virtometer.environments.registry import KINDS
from virtometer.host.cpu.accounting import all_cgroup_mounts
from virtometer.model import Excluded, FailureKind, GuestKey, Placement, Plan, Run, Trial, TrialRecord
from virtometer.runner.execution.executor import Executor
from virtometer.runner.guests.running import RunningGuest

Turns = Callable[..., list[TrialRecord]]
SLICES = 8
CLOCK_KINDS = ("before", "during", "after")


@pytest.fixture
def runner_of(lab: LabContext) -> Iterator[Callable[[Plan], tuple[Executor, dict[GuestKey, RunningGuest]]]]:
    """Start a guest of every environment of a plan. They are stopped at the end."""
    running_guests: dict[GuestKey, RunningGuest] = {}

    def start(plan: Plan) -> tuple[Executor, dict[GuestKey, RunningGuest]]:
        for number, environment in enumerate(plan.environments):
            kind = KINDS[environment.kind](lab)
            settings = kind.settings_type.model_validate(environment.settings)
            kind.prepare(settings)
            name = f"turns-{os.getpid()}-{number}"
            key = GuestKey(environment.name)
            running_guests[key] = RunningGuest.start(kind, environment, settings, name, plan.limits)
        return Executor(resolved(plan), lab), running_guests

    yield start
    for running_guest in running_guests.values():
        running_guest.stop()


@pytest.fixture
def turners(make_plan: MakePlan, turner_kind: None) -> Callable[..., Plan]:
    """A plan of scripted agents, by name what each does."""

    def made(**environments: Mapping[str, float]) -> Plan:
        named: list[Document] = [
            {"name": name, "kind": "turner", "settings": {"turns": turns}} for name, turns in environments.items()
        ]
        limits = {"clock_error": 0.2, "run_extra_s": 1, "answer_s": 2}
        return make_plan(named, seconds=SLICES * 0.025, slice_s=0.025, fresh="block", limits=limits)

    return made


def trials(plan: Plan, first: int = 0, workload: str = "linpack") -> list[Trial]:
    return [
        Trial(first + number, 0, number, 0, (Placement(environment.name, workload),), turns=0)
        for number, environment in enumerate(plan.environments)
    ]


def run_of(record: TrialRecord) -> Run:
    assert (record.status, record.reason) == ("done", "")
    (run,) = record.runs
    return run


def slices(run: Run) -> list[int]:
    """The numbers of its slices, in order, each once."""
    return [int(number) for number, _ in itertools.groupby(sample.slice or 0 for sample in run.samples)]


def in_host_time(records: Sequence[TrialRecord]) -> list[tuple[float, float, str, int]]:
    """All slices in the order in which they began: begin, end (host ns), environment, number."""
    found = []
    for record in records:
        run = run_of(record)
        clock = run.scored.clock
        for number, group in itertools.groupby(run.samples, lambda sample: sample.slice):
            inside = list(group)
            begin, end = clock.to_host_ns(inside[0].start_ns), clock.to_host_ns(inside[-1].end_ns)
            found.append((begin, end, run.placement.environment, number or 0))
    return sorted(found)


def test_guests_take_turns_and_never_work_at_the_same_time(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]
) -> None:
    plan = turners(a={}, b={"speed": 2000.0}, c={"speed": 500.0})
    runner, guests = runner_of(plan)
    records = runner.run(trials(plan), guests, seed=1)
    assert [record.trial.index for record in records] == [0, 1, 2]
    order = in_host_time(records)
    assert all(end <= begin + 1e6 for (_, end, _, _), (begin, _, _, _) in itertools.pairwise(order))
    rounds = [[name for _, _, name, number in order if number == wanted] for wanted in range(SLICES)]
    assert all(sorted(one) == ["a", "b", "c"] for one in rounds), "each round has a slice of every guest"
    assert len({tuple(one) for one in rounds}) > 1, "in an order of its own"
    values = [run_of(record).scored.value for record in records]
    assert values[1] / values[0] == pytest.approx(2.0, rel=0.02)
    assert values[2] / values[0] == pytest.approx(0.5, rel=0.02)


def test_a_long_window_comes_first_and_is_excluded(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]
) -> None:
    plan = turners(a={}, b={})
    runner, guests = runner_of(plan)
    for record in runner.run(trials(plan), guests, seed=1):
        run = run_of(record)
        assert slices(run) == [-1, *range(SLICES)]
        for number, group in itertools.groupby(run.samples, lambda sample: sample.slice):
            aside = [sample.excluded for sample in group]
            if number == -1:
                assert set(aside) == {Excluded.LONG_WINDOW}
            else:
                assert aside[0] is Excluded.WARM_UP
                assert set(aside[1:]) == {None}
        assert run.scored.work == sum(sample.work for sample in run.samples if sample.used)
        assert record.host is not None
        assert record.host.wall_s < 1.5 * SLICES * 0.0375 + 0.1, "what happened in the long window is not counted"


LONG_WINDOWS = [-1, -2, -3, -4, -5]


def test_a_guest_that_changes_its_speed_is_measured_in_long_windows(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]
) -> None:
    plan = turners(a={}, b={"later": 0.25}, c={})
    runner, guests = runner_of(plan)
    first = [run_of(record) for record in runner.run(trials(plan), guests, seed=1)]
    assert [run.in_long_windows for run in first] == [False, True, False]
    assert slices(first[1]) == LONG_WINDOWS
    assert all(sample.used for sample in first[1].samples)
    assert slices(first[0]) == [*LONG_WINDOWS, *range(SLICES)], "they are compared with as many of the baseline"
    assert slices(first[2]) == [-1, *range(SLICES)]
    again = [run_of(record) for record in runner.run(trials(plan, 3), guests, seed=2)]
    assert slices(again[1]) == [-1], "what is known is not found out once more"
    assert slices(again[0]) == [-1, *range(SLICES)], "the baseline has a long window to compare it with"
    assert slices(again[2]) == list(range(SLICES))
    expected = (1.0 + 0.25 * (SLICES - 1)) / SLICES
    for run in (first[1], again[1]):
        assert run.scored.value / first[0].scored.value == pytest.approx(expected, rel=0.1)


def test_a_guest_that_is_fast_in_slices_alone_is_found_by_comparing(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]
) -> None:
    # Nothing changes within a long window: it is slow from the beginning, and slices are not.
    plan = turners(a={}, b={"windows": 0.25}, c={})
    runner, guests = runner_of(plan)
    first = [run_of(record) for record in runner.run(trials(plan), guests, seed=1)]
    assert slices(first[1]) == [-1, *range(SLICES)]
    assert first[1].in_long_windows
    assert {sample.excluded for sample in first[1].samples if (sample.slice or 0) >= 0} == {Excluded.SLICE}
    assert first[1].scored.value / first[0].scored.value == pytest.approx(0.25, rel=0.1)
    assert not first[0].in_long_windows
    assert not first[2].in_long_windows
    again = [run_of(record) for record in runner.run(trials(plan, 3), guests, seed=2)]
    assert slices(again[1]) == [-1]


@pytest.mark.parametrize(
    ("fault", "number", "kind"),
    [
        ("dies", 1, FailureKind.GUEST),
        ("dies", 4, FailureKind.GUEST),
        ("hangs", 1, FailureKind.TIME_LIMIT),
        ("hangs", 4, FailureKind.TIME_LIMIT),
        ("ends", 4, FailureKind.PROTOCOL),
        ("fails", 1, FailureKind.AGENT),
        ("fails", 4, FailureKind.AGENT),
        ("idles", 1, FailureKind.PROTOCOL),
        ("idles", 4, FailureKind.PROTOCOL),
    ],
)
def test_a_trial_fails_alone(
    said: Said, turners: Callable[..., Plan], runner_of: Callable[[Plan], Any],
    fault: str, number: int, kind: FailureKind,
) -> None:  # fmt: skip
    plan = turners(a={}, b={fault: number}, c={})
    runner, guests = runner_of(plan)
    good, bad, other = runner.run(trials(plan), guests, seed=1)
    assert slices(run_of(good)) == slices(run_of(other)) == [-1, *range(SLICES)]
    assert bad.failure is not None
    assert bad.failure.kind is kind
    assert bad.reason.startswith("b: ")
    said(re.sub(r"within [0-9.]+ s", "within N s", bad.reason))
    assert not any(sample.used for run in bad.runs for sample in run.samples)
    assert guests[GuestKey("b")].broken is (fault != "fails")


def test_a_guest_that_is_slow_has_fewer_rounds(turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]) -> None:
    plan = turners(a={}, b={"longest": 0.2})
    runner, guests = runner_of(plan)
    quick, slow = [run_of(record) for record in runner.run(trials(plan), guests, seed=1)]
    assert slices(quick) == [-1, *range(SLICES)]
    assert slices(slow)[-1] == 5
    assert slow.scored.value == pytest.approx(quick.scored.value, rel=0.05)


def test_a_failure_says_nothing_of_the_speed(turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]) -> None:
    plan = turners(a={}, b={"fails": 1, "later": 0.25})
    runner, guests = runner_of(plan)
    _, bad = runner.run(trials(plan), guests, seed=1)
    assert bad.failure is not None
    # Its agent counts slices anew in each run and fails again: the long window is tried once more, not left out.
    _, again = runner.run(trials(plan, 2), guests, seed=2)
    assert again.failure is not None
    assert "check-failed" in again.reason


def test_where_one_of_two_baseline_guests_fails_the_other_goes_on(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], Any]
) -> None:
    plan = turners(a={}, b={"dies": 4})
    runner, guests = runner_of(plan)
    guests[GuestKey("a", 2)] = guests.pop(GuestKey("b"))
    two = [Trial(number, 0, number, 0, (Placement("a", "linpack", guest=number + 1),), turns=0) for number in (0, 1)]
    good, bad = runner.run(two, guests, seed=1)
    assert slices(run_of(good)) == [-1, *range(SLICES)]
    assert bad.failure is not None


def test_what_was_found_out_before_is_known_after_a_resume(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], Any], lab: LabContext
) -> None:
    plan = turners(a={}, b={"later": 0.25})
    runner, guests = runner_of(plan)
    before = runner.run(trials(plan), guests, seed=1)
    later = Executor(resolved(plan), lab, before).run(trials(plan, 2), guests, seed=2)
    assert [slices(run_of(record)) for record in later] == [[-1, *range(SLICES)], [-1]]


def test_real_guests_take_turns(make_plan: MakePlan, runner_of: Callable[[Plan], Any]) -> None:
    workloads: list[Document] = [
        {"name": "linpack", "workload": "linpack", "op": "classic", "parameters": {"size": 100}},
        {"name": "memory", "workload": "memory", "op": "read", "parameters": {"size": 65536}, "threads": 2},
        {"name": "switch", "workload": "os", "op": "context-switch"},
        {"name": "requests", "workload": "net", "op": "request-response"},
    ]
    environments: list[Document] = [{"name": "native", "kind": "native"}, {"name": "again", "kind": "native"}]
    limits = {"clock_error": 0.05, "run_extra_s": 5}
    plan = make_plan(environments, workloads, seconds=0.2, slice_s=0.025, fresh="block", limits=limits)
    runner, guests = runner_of(plan)
    for number, workload in enumerate(workloads):
        records = runner.run(trials(plan, 2 * number, str(workload["name"])), guests, seed=3)
        for record in records:
            run = run_of(record)
            assert slices(run)[-1] == SLICES - 1 or run.in_long_windows
            assert run.scored.value > 0
            assert (run.scored.guest_cpu_s or 0.0) > 0
            assert run.reported.check["passed"] is True


BURSTS = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
print("up", flush=True)
while True:
    until = time.monotonic() + 0.03
    while time.monotonic() < until:
        pass
    time.sleep(0.3)
"""


def competes_as(pid: int, other: int) -> None:
    """Have a program in the scheduling group of another one, where this user has such groups."""
    for mount in all_cgroup_mounts():
        group = mount.cgroup_of(other)
        if group is not None and ("cpu" in mount.controllers or (group / "cpu.weight").exists()):
            with suppress(PermissionError):
                (group / "cgroup.procs").write_text(str(pid))


def test_slices_that_others_disturb_are_made_up_for(make_plan: MakePlan, runner_of: Callable[[Plan], Any]) -> None:
    """A program that works for 30 ms now and then, on the processor of the guests."""
    environments: list[Document] = [{"name": "native", "kind": "native"}, {"name": "again", "kind": "native"}]
    limits = {"clock_error": 0.2, "run_extra_s": 5}
    plan = make_plan(environments, seconds=40 * 0.025, slice_s=0.025, fresh="block", limits=limits, rules={})
    runner, guests = runner_of(plan)
    last = str(max(os.sched_getaffinity(0)))
    with subprocess.Popen([sys.executable, "-c", BURSTS, last], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"up\n"
            competes_as(other.pid, guests[GuestKey("native")].guest.processes()[0])
            runs = [run_of(record) for record in runner.run(trials(plan), guests, seed=1)]
        finally:
            other.kill()
    disturbed = [sample for run in runs for sample in run.samples if sample.excluded is Excluded.DISTURBED]
    assert disturbed
    assert all("others had the guest's processors for" in sample.mark for sample in disturbed)
    for run in runs:
        assert 40 < slices(run)[-1] + 1 <= 60, "there are more rounds than planned"
        lost = {sample.slice for sample in run.samples if sample.excluded is Excluded.DISTURBED}
        assert len(lost) <= 30, "at most half of them"
        assert lost.isdisjoint({sample.slice for sample in run.samples if sample.used})


def test_the_clock_is_compared_over_the_life_of_the_guest_not_over_one_workload(
    turners: Callable[..., Plan], runner_of: Callable[[Plan], tuple[Executor, dict[GuestKey, RunningGuest]]]
) -> None:
    """A round trip of 5 ms leaves too much open over the slices of one workload, and little over those of several."""
    plan = turners(native={"round_trip": 0.005}, box={"round_trip": 0.005})
    plan = plan.model_copy(update={"limits": plan.limits.model_copy(update={"clock_error": 0.02})})
    runner, guests = runner_of(plan)
    bounds = []
    for number in range(3):
        records = runner.run(trials(plan, 2 * number), guests, number)
        for record in records:
            run = run_of(record)
            before, during, after = ([one for one in run.probes if one.kind == kind] for kind in CLOCK_KINDS)
            alone = line.fit(before, after, during)
            bounds.append((run.scored.clock.relative_bound, alone.relative_bound))
            if number:
                assert run.scored.clock.probes > len(before) + len(during) + len(after)
    for found, alone_bound in bounds[2:]:
        assert found < 0.005 < alone_bound
