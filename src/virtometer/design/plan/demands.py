"""What a plan's environments have and its workloads take, in bytes. PURE."""

from __future__ import annotations

from virtometer.design.plan.catalogue import Catalogue
from virtometer.model import Demand, PlanEnvironment, PlanWorkload


def guest_memory(environment: PlanEnvironment, catalogue: Catalogue) -> int | None:
    """Bytes of memory that a guest has, or may have at most. None: as much as the host."""
    settings = catalogue.kinds[environment.kind].settings.model_validate(environment.settings)
    memory = getattr(settings, "memory", None)
    return memory if isinstance(memory, int) else None


def demand_of(workload: PlanWorkload, catalogue: Catalogue) -> Demand:
    """What one workload of a plan takes."""
    description = catalogue.workloads[workload.workload]
    return description.demand(workload.op, description.parameters.model_validate(workload.parameters), workload.threads)


def rounded_size(size: int) -> str:
    """A size in the largest unit of which it has ten or more."""
    for shift, suffix in ((40, "T"), (30, "G"), (20, "M"), (10, "K")):
        if size >= 10 << shift or (size and size % (1 << shift) == 0):
            return f"{size >> shift}{suffix}"
    return str(size)
