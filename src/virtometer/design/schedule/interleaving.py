"""Which workloads of a plan are interleaved: guests take turns in slices, and numbers of guests in windows. PURE.

Only what is close in time can be compared on a host whose noise is 1/f; long windows are left to work that cannot
pause, and to guests whose speed shows over a long window alone.
"""

from __future__ import annotations

from virtometer.design.plan.document import Wrong
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.model import COMMAND, LONG_SLICE_S, Plan, PlanWorkload

MOST_SLICES = 3_000
"""In a window: an agent may send no more lines and samples in a run, those of the long windows included."""

_MOST_SAMPLES = 20_000
_ITERATIONS = 5  # of a slice


def decided(resolved: ResolvedPlan) -> tuple[Plan, list[Wrong]]:
    """The plan with `scheduling` decided where it was `auto`, and what is `interleaved` that cannot be."""
    plan = resolved.plan
    general = _of_plan(resolved)
    wrong: list[Wrong] = []
    workloads = []
    for number, workload in enumerate(plan.workloads):
        if sentence := _wrong_runs(workload, resolved):
            wrong.append((("workloads", number, "runs"), sentence))
        # Runs that are counted are released one by one, also where a guest has nobody to take turns with.
        one_alone = len(plan.environments) == 1 and workload.runs is not None and plan.fresh == "block"
        reason = _long_windows(resolved) if one_alone else general or _of_workload(workload, resolved)
        if workload.scheduling == "interleaved" and reason:
            wrong.append((("workloads", number, "scheduling"), f"'{workload.name}' cannot be interleaved: {reason}"))
        if workload.scheduling == "auto":
            reason = reason or _unlike_in_slices(workload, resolved)
            scheduling = "continuous" if reason else "interleaved"
            workload = workload.model_copy(update={"scheduling": scheduling})
        workloads.append(workload)
    if plan.enter and plan.fresh == "trial":
        wrong.append((("enter",), "entering guests needs guests that live for a block: write 'fresh: block'"))
    if plan.enter and plan.scenarios and not any(one.type == "alone" for one in plan.scenarios):
        wrong.append((("enter",), "only guests that work alone are entered, and the plan has no scenario of this type"))
    if plan.turns == "commands" and not any(one.workload == COMMAND for one in plan.workloads):
        wrong.append((("turns",), "commands take turns, and the plan has no workload `command`"))
    return plan.model_copy(update={"workloads": workloads}), wrong


def _of_plan(resolved: ResolvedPlan) -> str:
    """Why nothing of the plan can be interleaved; empty where it can."""
    plan = resolved.plan
    if plan.fresh == "trial":
        return "with 'fresh: trial' a guest lives for one trial alone; write 'fresh: block'"
    if plan.scenarios and not any(one.type in ("alone", "together") for one in plan.scenarios):
        return "the plan has no scenario of the type `alone` or `together`, and other guests do not take turns"
    if len(plan.environments) == 1 and not any(one.type == "together" for one in plan.scenarios):
        return "the plan has one environment, so there are no turns to take"
    return _long_windows(resolved)


def _long_windows(resolved: ResolvedPlan) -> str:
    """Which environment needs long windows, and why; empty where none does."""
    plan = resolved.plan
    for environment in plan.environments:
        reason = resolved.settings[environment.name].needs_long_windows
        if environment.timing == "laboratory":
            reason = "the laboratory times its work"
        if reason:
            return f"'{environment.name}' needs long windows, because {reason}"
    return ""


def _of_workload(workload: PlanWorkload, resolved: ResolvedPlan) -> str:
    """Why this workload cannot be interleaved; empty where it can."""
    plan, work = resolved.plan, resolved.works[workload.name]
    if workload.runs is None and work.seconds > MOST_SLICES * plan.slice_s:
        return f"its window of {work.seconds:g} s has more than {MOST_SLICES:,} slices"
    beside = [one for one in plan.scenarios if one.type == "together" and workload.name in one.workloads]
    for scenario in beside:
        # A guest has one run for all numbers of guests.
        if _ITERATIONS * work.seconds / plan.slice_s * len(scenario.guests) > _MOST_SAMPLES:
            windows = f"its windows of {work.seconds:g} s for each number of guests"
            return f"{windows} have more than {_MOST_SAMPLES:,} samples"
    if work.cannot_pause or not work.writes_disk:
        return work.cannot_pause
    # What one guest writes must be on the disk before the next one has its turn.
    cached = [f"'{name}' {one.caches_disk}" for name, one in resolved.settings.items() if one.caches_disk]
    cached += [f"guests of '{one.name}' write at the same time" for one in beside]
    return f"it writes the disk file, and {cached[0]}" if cached else ""


def _wrong_runs(workload: PlanWorkload, resolved: ResolvedPlan) -> str:
    """Why this workload cannot have the number of runs that the plan gives it; empty where it can."""
    plan, runs = resolved.plan, workload.runs
    if runs is None:
        return ""
    if not resolved.works[workload.name].anew:
        return f"'{workload.name}' has no runs to be counted: its window decides how much work it does"
    if any(one.type != "alone" for one in plan.scenarios):
        return f"'{workload.name}' has counted runs, which only the scenario type `alone` has"
    if runs < plan.first_blocks:
        return f"'{workload.name}' has {runs} runs, which are fewer than the {plan.first_blocks} blocks"
    if runs > MOST_SLICES * plan.first_blocks:
        return f"'{workload.name}' has {runs:,} runs, which are more than {MOST_SLICES:,} in a block"
    return ""


def _unlike_in_slices(workload: PlanWorkload, resolved: ResolvedPlan) -> str:
    """Why short slices do not show the speed of long windows; empty where they do. Who wants them can have them."""
    if resolved.plan.slice_s >= LONG_SLICE_S:
        return ""
    unlike = [resolved.kind(one).unlike_in_slices for one in resolved.plan.environments]
    return next(filter(None, (one.get(f"{workload.workload} {workload.op}") for one in unlike)), "")
