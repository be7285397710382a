"""Which trials are of one guest alone: environments are compared by such trials.

Trials of a group of guests are the matter of `groups`: The mean rate of their guests is no value of an environment. A
plan without scenarios has trials of single guests only.
"""

from __future__ import annotations

from collections.abc import Callable

from virtometer.model import Plan, Trial


def alone_in(plan: Plan) -> Callable[[Trial], bool]:
    """Whether a trial of this plan is of one guest alone."""
    kinds = {scenario.name: scenario.type for scenario in plan.scenarios}
    return lambda trial: kinds.get(trial.scenario, "alone") == "alone"


def compared_in(plan: Plan) -> Callable[[str, str], bool]:
    """Whether a plan measures a workload alone in an environment, by the names of both."""
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
