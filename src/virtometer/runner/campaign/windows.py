"""How long each workload of a plan works in a trial, as far as that is known before anything ran."""

from __future__ import annotations

from virtometer.model import Plan, PlanWorkload
from virtometer.workloads.base import Parameters
from virtometer.workloads.registry import WORKLOADS


def windows(plan: Plan) -> dict[str, float | None]:
    """By workload of the plan: seconds, or None where the work runs to completion and nobody knows yet how long."""
    return {
        one.name: WORKLOADS[one.workload].window_s(one.op, _parameters(one), one.seconds or plan.seconds)
        for one in plan.workloads
    }


def may_end_early(plan: Plan) -> bool:
    """Whether the work of some workload may be complete before its window ends."""
    return any(WORKLOADS[one.workload].ends_early(_parameters(one)) for one in plan.workloads)


def _parameters(workload: PlanWorkload) -> Parameters:
    return WORKLOADS[workload.workload].parameters.model_validate(workload.parameters)
