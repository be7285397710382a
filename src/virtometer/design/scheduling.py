"""Which workloads of a plan are interleaved: guests take turns in slices. PURE.

Only what is close in time can be compared on a host whose noise is 1/f; long windows are left to work that cannot
pause, and to guests whose speed shows over a long window alone.
"""

from __future__ import annotations

from virtometer.design.catalogue import Catalogue
from virtometer.design.document import Path
from virtometer.model import Plan, PlanWorkload

MOST_SLICES = 3_000
"""In a window: an agent may send no more lines and samples in a run, those of the long windows included."""

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
            scheduling = "continuous" if reason else "interleaved"
            workload = workload.model_copy(update={"scheduling": scheduling})
        workloads.append(workload)
    return plan.model_copy(update={"workloads": workloads}), wrong


def _of_plan(plan: Plan, catalogue: Catalogue) -> str:
    """Why nothing of the plan can be interleaved; empty where it can."""
    if plan.fresh == "trial":
        return "with 'fresh: trial' a guest lives for one trial alone; write 'fresh: block'"
    if plan.scenarios and not any(one.type == "alone" for one in plan.scenarios):
        return "the plan has no scenario of the type alone, and other guests do not take turns"
    if len(plan.environments) == 1:
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
    return description.cannot_pause(workload.op, parameters, seconds, _cached(plan, catalogue))


def _cached(plan: Plan, catalogue: Catalogue) -> str:
    """Which guest writes to the disk through a cache, and why; empty where none does."""
    for environment in plan.environments:
        kind = catalogue.kinds[environment.kind]
        if reason := kind.caches_disk(kind.settings.model_validate(environment.settings)):
            return f"'{environment.name}' {reason}"
    return ""
