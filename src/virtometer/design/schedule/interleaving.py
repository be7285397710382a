"""Which workloads of a plan are interleaved: guests take turns in slices, and numbers of guests in windows. PURE.

Only what is close in time can be compared on a host whose noise is 1/f; long windows are left to work that cannot
pause, and to guests whose speed shows over a long window alone.
"""

from __future__ import annotations

from virtometer.design.plan.catalogue import Catalogue
from virtometer.design.plan.document import Path
from virtometer.model import Plan, PlanWorkload

MOST_SLICES = 3_000
"""In a window: an agent may send no more lines and samples in a run, those of the long windows included."""

LONG_SLICE_S = 0.0625
"""From this length on, iterations of a slice are as long as those of a window."""

_MOST_SAMPLES = 20_000
_ITERATIONS = 5  # of a slice

Wrong = tuple[Path, str]
"""Where the plan is wrong, and a sentence."""


def decided(plan: Plan, catalogue: Catalogue) -> tuple[Plan, list[Wrong]]:
    """The plan with `scheduling` decided where it was `auto`, and what is `interleaved` that cannot be."""
    general = _of_plan(plan, catalogue)
    wrong: list[Wrong] = []
    workloads = []
    for number, workload in enumerate(plan.workloads):
        reason = general or _of_workload(workload, plan, catalogue)
        if workload.scheduling == "interleaved" and reason:
            wrong.append((("workloads", number, "scheduling"), f"'{workload.name}' cannot be interleaved: {reason}"))
        if workload.scheduling == "auto":
            reason = reason or _unlike_in_slices(workload, plan, catalogue)
            scheduling = "continuous" if reason else "interleaved"
            workload = workload.model_copy(update={"scheduling": scheduling})
        workloads.append(workload)
    return plan.model_copy(update={"workloads": workloads}), wrong


def _of_plan(plan: Plan, catalogue: Catalogue) -> str:
    """Why nothing of the plan can be interleaved; empty where it can."""
    if plan.fresh == "trial":
        return "with 'fresh: trial' a guest lives for one trial alone; write 'fresh: block'"
    if plan.scenarios and not any(one.type in ("alone", "together") for one in plan.scenarios):
        return "the plan has no scenario of the type alone or together, and other guests do not take turns"
    if len(plan.environments) == 1 and not any(one.type == "together" for one in plan.scenarios):
        return "the plan has one environment, so there are no turns to take"
    for environment in plan.environments:
        kind = catalogue.kinds[environment.kind]
        reason = kind.needs_long_windows(kind.settings.model_validate(environment.settings))
        if environment.timing == "laboratory":
            reason = "the laboratory times its work"
        if reason:
            return f"'{environment.name}' needs long windows, because {reason}"
    return ""


def _of_workload(workload: PlanWorkload, plan: Plan, catalogue: Catalogue) -> str:
    """Why this workload cannot be interleaved; empty where it can."""
    description = catalogue.workloads[workload.workload]
    parameters = description.parameters.model_validate(workload.parameters)
    seconds = workload.seconds or plan.seconds
    if seconds > MOST_SLICES * plan.slice_s:
        return f"its window of {seconds:g} s has more than {MOST_SLICES:,} slices"
    beside = [one for one in plan.scenarios if one.type == "together" and workload.name in one.workloads]
    for scenario in beside:
        # A guest has one run for all numbers of guests.
        if _ITERATIONS * seconds / plan.slice_s * len(scenario.guests) > _MOST_SAMPLES:
            return f"its windows of {seconds:g} s for each number of guests have more than {_MOST_SAMPLES:,} samples"
    at_once = f"guests of '{beside[0].name}' write at the same time" if beside else ""
    return description.cannot_pause(workload.op, parameters, seconds, _cached(plan, catalogue) or at_once)


def _unlike_in_slices(workload: PlanWorkload, plan: Plan, catalogue: Catalogue) -> str:
    """Why short slices do not show the speed of long windows; empty where they do. Who wants them can have them."""
    if plan.slice_s >= LONG_SLICE_S:
        return ""
    unlike = [catalogue.kinds[one.kind].unlike_in_slices for one in plan.environments]
    return next(filter(None, (one.get(f"{workload.workload} {workload.op}") for one in unlike)), "")


def _cached(plan: Plan, catalogue: Catalogue) -> str:
    """Which guest writes to the disk through a cache, and why; empty where none does."""
    for environment in plan.environments:
        kind = catalogue.kinds[environment.kind]
        if reason := kind.caches_disk(kind.settings.model_validate(environment.settings)):
            return f"'{environment.name}' {reason}"
    return ""
