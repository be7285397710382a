"""Which trials are of one guest by itself: what environments are compared by.

Trials of several guests at once are the matter of `groups`: the mean of what their guests reach is no value of an
environment. A plan without scenarios has trials of single guests only.
"""

from __future__ import annotations

from collections.abc import Callable

from virtometer.model import Plan, Trial


def alone_in(plan: Plan) -> Callable[[Trial], bool]:
    """Whether a trial of this plan is of one guest by itself."""
    kinds = {scenario.name: scenario.type for scenario in plan.scenarios}
    return lambda trial: kinds.get(trial.scenario, "alone") == "alone"


def compared_in(plan: Plan) -> Callable[[str, str], bool]:
    """Whether a plan measures a workload by itself in an environment: asked by their names."""
    if not plan.scenarios:
        return lambda _workload, _environment: True
    alone = [scenario for scenario in plan.scenarios if scenario.type == "alone"]
    names = [environment.name for environment in plan.environments]
    pairs = {
        (workload, environment)
        for scenario in alone
        for workload in (scenario.workloads or [one.name for one in plan.workloads])
        for environment in ([scenario.environment] if scenario.environment is not None else names)
    }
    pairs |= {(workload, plan.baseline) for workload, _ in pairs if plan.baseline in names}
    return lambda workload, environment: (workload, environment) in pairs
