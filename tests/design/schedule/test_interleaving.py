"""Which workloads of a plan guests take turns in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.design.reading import parsed
from tests.sentences import Said
from virtometer.design.plan.resolved import resolve
from virtometer.design.schedule.interleaving import decided
from virtometer.design.schedule.trials import schedule
from virtometer.environments.registry import KINDS
from virtometer.errors import PlanError
from virtometer.model import Plan

HEAD = """
virtometer: 1
control: false
name: p
fresh: {fresh}
environments:
  - {{name: native, kind: native}}
  - {{name: box, kind: {kind}, settings: {settings}}}
workloads:
  - {{name: w, workload: {workload}, op: {op}, parameters: {parameters}, scheduling: {scheduling}}}
"""


def text(workload: str = "linpack", op: str = "classic", **more: Any) -> str:
    words = {"fresh": "block", "kind": "bubblewrap", "settings": "{}", "parameters": "{}", "scheduling": "auto", **more}
    return HEAD.format(workload=workload, op=op, **words)


def without_box(plan_text: str) -> str:
    return "\n".join(line for line in plan_text.splitlines() if "name: box" not in line)


def plan(workload: str = "linpack", op: str = "classic", end: str = "", **more: Any) -> Plan:
    return parsed(text(workload, op, **more) + end)


def scheduling(*names: str, **more: Any) -> str:
    (workload,) = plan(*names, **more).workloads
    return workload.scheduling


@pytest.mark.parametrize(
    ("workload", "op", "parameters"),
    [
        ("linpack", "classic", "{}"),
        ("memory", "triad", "{}"),
        ("memory", "triad", "{size: 128M}"),
        ("memory", "triad", "{size: 4x llc}"),
        ("memory", "latency", "{size: 1G}"),
        ("memory", "latency", "{}"),
        ("pde", "jacobi", "{}"),
        ("disk", "random-read", "{engine: libaio, depth: 8}"),
        ("disk", "sequential-read", "{}"),
        ("disk", "access", "{read: 100}"),
        ("disk", "random-write", "{}"),
        ("disk", "sequential-write", "{direct: true, depth: 4, engine: libaio}"),
        ("disk", "access", "{read: 50}"),
        ("disk", "random-write", "{direct: false, sync: each}"),
        ("net", "request-response", "{}"),
        ("os", "context-switch", "{}"),
        ("os", "system-call", "{}"),
    ],
)
def test_work_that_can_pause_is_interleaved(workload: str, op: str, parameters: str) -> None:
    assert scheduling(workload, op, parameters=parameters) == "interleaved"
    assert scheduling(workload, op, parameters=parameters, scheduling="continuous") == "continuous"


def refused(*names: str, **more: Any) -> str:
    """Why the workload of a plan, which asks for it, cannot be interleaved."""
    with pytest.raises(PlanError) as caught:
        plan(*names, **more, scheduling="interleaved")
    assert caught.value.sentence.startswith("p.yaml:10: 'w' ")
    return caught.value.sentence


@pytest.mark.parametrize(
    ("workload", "op", "parameters", "reason"),
    [
        ("net", "stream", "{}", "data"),
        ("net", "open-loop", "{rate: 100}", "data"),
        ("net", "request-response", "{connections: 4}", "data"),
        ("disk", "random-write", "{direct: false}", "page cache"),
        ("disk", "access", "{read: 50, direct: false}", "page cache"),
        ("disk", "write", "{}", "completion"),
        ("linpack", "classic", "{runs: 3}", "completion"),
        ("clock", "watch", "{}", "clock"),
        ("fio", "random-read", "{}", "program"),
    ],
)
def test_work_that_cannot_pause_is_continuous(said: Said, workload: str, op: str, parameters: str, reason: str) -> None:
    assert scheduling(workload, op, parameters=parameters) == "continuous"
    sentence = refused(workload, op, parameters=parameters)
    assert reason in sentence
    said(sentence)


@pytest.mark.parametrize(("kind", "settings"), [("qemu", "{disk_cache: directsync}"), ("qemu", "{}"), ("runc", "{}")])
def test_writes_take_turns_where_no_guest_has_a_cache_before_the_disk(kind: str, settings: str) -> None:
    assert scheduling("disk", "random-write", kind=kind, settings=settings) == "interleaved"
    assert scheduling("disk", "random-read", kind=kind, settings=settings) == "interleaved"


@pytest.mark.parametrize(
    ("kind", "settings", "reason"),
    [
        ("uml", "{}", "page cache"),
        ("gvisor", "{}", "page cache"),
        ("qemu", "{disk_cache: writeback}", "disk_cache writeback"),
    ],
)
def test_writes_take_no_turns_where_a_guest_has_a_cache_before_the_disk(
    said: Said, kind: str, settings: str, reason: str
) -> None:
    assert scheduling("disk", "random-write", kind=kind, settings=settings) == "continuous"
    assert scheduling("disk", "random-read", kind=kind, settings=settings) == "interleaved"
    sentence = refused("disk", "random-write", kind=kind, settings=settings)
    assert "'box'" in sentence and reason in sentence
    said(sentence)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        pytest.param({"fresh": "trial"}, "'fresh: block'", id="fresh"),
        pytest.param({"kind": "runc", "settings": "{cpus: 0.5}"}, "CPU time", id="cpus"),
        pytest.param({"kind": "qemu", "settings": "{icount: '5'}"}, "its clock", id="icount"),
    ],
)
def test_guests_that_need_long_windows_have_them(said: Said, more: dict[str, Any], reason: str) -> None:
    assert scheduling(**more) == "continuous"
    sentence = refused(**more)
    assert reason in sentence
    said(sentence)


@pytest.mark.parametrize(
    ("kind", "op", "way"),
    [
        ("uml", "fork", "continuous"),
        ("uml", "exec", "continuous"),
        ("uml", "system-call", "interleaved"),
        ("runc", "signal-catch", "continuous"),
        ("nspawn", "signal-catch", "continuous"),
        ("bubblewrap", "signal-catch", "interleaved"),
        ("runc", "fork", "interleaved"),
    ],
)
def test_work_that_short_slices_show_otherwise_is_continuous_unless_the_plan_says_so(
    kind: str, op: str, way: str
) -> None:
    assert scheduling("os", op, kind=kind) == way
    assert scheduling("os", op, kind=kind, scheduling="interleaved") == "interleaved"
    assert scheduling("os", op, kind=kind, end="slice_s: 0.0625") == "interleaved"


def test_a_window_of_very_many_slices_is_continuous() -> None:
    for seconds, expected in ((36, "interleaved"), (36.1, "continuous"), (900, "continuous")):
        assert scheduling("os", "system-call", end=f"seconds: {seconds}") == expected
    with pytest.raises(PlanError, match="its window of 900 s has more than 3,000 slices"):
        plan("os", "system-call", scheduling="interleaved", end="seconds: 900")


def test_one_environment_alone_takes_no_turns() -> None:
    assert parsed(without_box(text())).workloads[0].scheduling == "continuous"


def test_guests_that_live_for_one_trial_are_not_entered() -> None:
    assert plan(end="enter: true\n").enter
    with pytest.raises(PlanError):
        plan(fresh="trial", end="enter: true\n")
    with pytest.raises(PlanError):
        plan(end="enter: true\nscenarios: [{name: a, type: together, guests: [2]}]\n")


def test_commands_take_turns_where_the_plan_has_any() -> None:
    with pytest.raises(PlanError):
        plan(end="turns: commands\n")


def test_timing_by_the_laboratory_needs_long_windows() -> None:
    timed = text(kind="native").replace("kind: native, settings: {}", "kind: native, timing: laboratory")
    assert parsed(timed).workloads[0].scheduling == "continuous"


TOGETHER = "scenarios:\n  - {name: growing, type: together, guests: [1, 2]}\n"


def of_several(workload: str, op: str, environments: int = 2, **more: Any) -> Plan:
    of_two = text(workload, op, **more) + TOGETHER
    return parsed(of_two if environments == 2 else without_box(of_two))


@pytest.mark.parametrize("environments", [1, 2])
def test_numbers_of_guests_are_interleaved_where_work_can_pause(environments: int) -> None:
    assert of_several("memory", "triad", environments).workloads[0].scheduling == "interleaved"
    assert of_several("net", "stream", environments).workloads[0].scheduling == "continuous"
    assert of_several("memory", "triad", environments, fresh="trial").workloads[0].scheduling == "continuous"


def test_writes_of_several_guests_have_windows_of_their_own(said: Said) -> None:
    assert of_several("disk", "random-write").workloads[0].scheduling == "continuous"
    assert of_several("disk", "random-read").workloads[0].scheduling == "interleaved"
    with pytest.raises(PlanError) as caught:
        of_several("disk", "random-write", scheduling="interleaved")
    assert "'w'" in caught.value.sentence and "'growing'" in caught.value.sentence
    said(caught.value.sentence)


def test_more_samples_than_a_run_may_have_are_not_planned() -> None:
    many = of_several("linpack", "classic").model_copy(update={"seconds": 25.0})
    workloads = [one.model_copy(update={"scheduling": "auto"}) for one in many.workloads]
    decided_plan, _ = decided(resolve(many.model_copy(update={"workloads": workloads}), KINDS))
    assert decided_plan.workloads[0].scheduling == "continuous"


def test_the_trials_of_an_interleaved_workload_stand_together() -> None:
    of = plan("memory", "triad")
    trials = schedule(of, ["native", "box"], 1)
    assert [trial.turns for trial in trials[:4]] == [0, 0, 2, 2]
    assert [trial.start_group for trial in trials[:4]] == [0, 0, 1, 1]


COUNTED = """
virtometer: 1
name: p
fresh: {fresh}
blocks: 6
environments:
  - {{name: native, kind: native}}
{more}
workloads:
  - {{name: w, workload: {work}, runs: {runs}, seconds: 600}}
"""
BOX = "  - {name: box, kind: bubblewrap}"
QUOTA = "  - {name: box, kind: runc, settings: {cpus: 0.5}}"
TIMED = "command, op: time, parameters: {command: ls}"


def counted(runs: int = 60, more: str = BOX, fresh: str = "block", work: str = TIMED) -> str:
    return COUNTED.format(fresh=fresh, more=more, work=work, runs=runs)


def test_counted_runs_take_turns_whatever_they_take_and_alone_too() -> None:
    for more, fresh, expected in (
        (BOX, "block", "interleaved"),
        ("", "block", "interleaved"),
        (QUOTA, "block", "continuous"),
        (BOX, "trial", "continuous"),
    ):
        (workload,) = parsed(counted(more=more, fresh=fresh)).workloads
        assert (workload.scheduling, workload.runs) == (expected, 60)


@pytest.mark.parametrize(
    "text",
    [counted(5), counted(18_001), counted(0), counted(work="linpack, op: classic"),
     counted() + "scenarios: [{name: s, type: together, guests: [2]}]\n"],
)  # fmt: skip
def test_runs_that_no_block_can_have_are_refused(text: str) -> None:
    with pytest.raises(PlanError):
        parsed(text)
