"""Programs of the host that guests carry because the tuning of a plan runs them in there."""

from __future__ import annotations

from virtometer.environments.registry import KINDS
from virtometer.environments.tuning.steps import carried_programs
from virtometer.model import Plan


def tuning_programs(plan: Plan) -> tuple[str, ...]:
    """Their names, each once."""
    found: dict[str, None] = {}
    for environment in plan.environments:
        kind = KINDS[environment.kind]
        settings = kind.settings_type.model_validate(environment.settings)
        found |= dict.fromkeys(carried_programs(kind, (*plan.tuning, *settings.tuning)))
    return tuple(found)
