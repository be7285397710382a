"""Whether a plan tunes the host itself: then nothing else may be measured on it meanwhile."""

from __future__ import annotations

from virtometer.design.factorial.cells import steps_given
from virtometer.design.plan.factor_checks import TUNING
from virtometer.model import Plan, TuningStep, on_host


def tunes_host(plan: Plan) -> bool:
    """Whether steps of the plan, of an environment, or of a level that a further stage may measure tune the host."""
    steps = [step for environment in plan.environments for step in environment.settings.get(TUNING, ())]
    for factor in plan.factors if plan.sequential else ():
        steps += [step for level in range(len(factor.level_names)) for step in steps_given([factor], (level,))]
    return bool(on_host([*plan.tuning, *map(TuningStep.model_validate, steps)]))
