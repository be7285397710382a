"""What an environment costs the host: CPU seconds of the guest's processes per unit of work, against the baseline's.

The ratio is taken within blocks like every other one; above 1 the subject costs the host more. The processes that
count as the guest are the kind's own statement (VMM and its threads, sandbox, container processes; see
docs/methods/cost.md).
"""

from __future__ import annotations

from virtometer.analysis.compare.blocks import TreatmentData, logs_by_block
from virtometer.analysis.statistics.interval import interval
from virtometer.counted import counted
from virtometer.model import Estimate, Quantity


def ratio(subject: TreatmentData, against: TreatmentData, alpha_factor: float = 1.0) -> Quantity[Estimate] | None:
    """Geometric mean of the within-block cost ratios, or None where either side has no account of its CPU time.

    alpha_factor: as of `interval`.
    """
    of = interval(logs_by_block(subject.costs, against.costs, "higher").values(), alpha_factor=alpha_factor)
    names = subject.environment, "host CPU time per unit of work"
    return of and Quantity(*names, "", "lower", "geometric mean", of, against.environment)


def notes(subject: TreatmentData, against: TreatmentData) -> list[str]:
    """Say why there is no cost, where values exist without one."""
    if subject.untimed or against.untimed:
        return ["the host CPU time is unknown: most of the window lies between the samples"]
    said = []
    for environment in dict.fromkeys((subject.environment, against.environment)):
        side = subject if environment == subject.environment else against
        if side.values and not side.costs:
            said.append(f"the host CPU time of {environment} is unknown")
        elif side.cost_gaps:
            trials = counted(len(side.results), "trial")
            said.append(f"the host CPU time of {environment} is missing in {side.cost_gaps} of {trials}")
    return said
