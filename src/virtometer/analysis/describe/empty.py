"""Commands without the start of an empty program, which the agent starts beside them in each guest.

The empty program's time is taken from that of the command on both sides of each block. So the interval carries what
both have in common. Where a command does not take clearly longer, the difference is noise: there is no ratio then.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import Key, TreatmentData, beside, logs_by_block, usable
from virtometer.analysis.compare.commands import names_of, of_time
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.describe.measures import in_host_time
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Campaign, Estimate, Quantity, Run

MEASURE = "empty"
"""The agent's name of the time of an empty program."""
LONGER = 1.1
"""How many times the time of an empty program a command must take, as the interval of this ratio says."""


@dataclass(frozen=True, slots=True)
class WithoutEmpty:
    """The efficiency of a command without the start of an empty program, or why there is none. `why`: in words."""

    ratio: Quantity[Estimate] | None
    why: str = ""


def wanted(campaign: Campaign) -> list[str]:
    """The commands for which the plan asks this, in its order."""
    asked = {one.name for one in campaign.plan.workloads if of_time(one) and one.parameters.get("relative_to_empty")}
    return [name for name in names_of(campaign) if name in asked]


def without_empty(campaign: Campaign, table: Mapping[Key, TreatmentData]) -> dict[Key, WithoutEmpty]:
    """By command and environment, but for the baseline, over the blocks that have both. `table`: of the campaign."""
    baseline = campaign.plan.baseline
    found = {}
    for name in wanted(campaign):
        for environment in campaign.plan.environments:
            mine, against = table.get((name, environment.name)), table.get((name, baseline))
            if environment.name != baseline and mine is not None and against is not None:
                found[name, environment.name] = _without_empty(mine, beside(mine, against))
    return found


def _without_empty(data: TreatmentData, against: TreatmentData) -> WithoutEmpty:
    sides = []
    for side in (data, against):
        starts = _by_block(side)
        longer = interval(math.log(value / starts[block]) for block, value in side.values.items() if block in starts)
        if longer is None or longer.low is None:
            return WithoutEmpty(None, f"the start of an empty program is not known in {side.environment}")
        left = {block: value - starts[block] for block, value in side.values.items() if block in starts}
        if longer.low <= LONGER or min(left.values()) <= 0:
            return WithoutEmpty(None, f"not clearly longer than an empty program in {side.environment}")
        sides.append(left)
    estimate = interval(logs_by_block(sides[0], sides[1], "lower").values())
    if estimate is None:
        return WithoutEmpty(None, "no block has both sides")
    return WithoutEmpty(efficiency(data.environment, against.environment, estimate, metric="efficiency without start"))


def _by_block(data: TreatmentData) -> dict[int, float]:
    """The time of an empty program in each block, in host seconds."""
    found: dict[int, list[float]] = {}
    for record, run in data.results:
        took_s = _of_run(run) if usable(run) else None
        if took_s is not None:
            found.setdefault(record.trial.block, []).append(took_s)
    return {block: statistics.geometric_mean(of) for block, of in found.items()}


def _of_run(run: Run) -> float | None:
    measure = run.reported.measures.get(MEASURE)
    factor = None if measure is None else in_host_time(MEASURE, "s", run)
    took_s = 0.0 if measure is None or factor is None else float(measure["value"]) * factor
    return took_s if took_s > 0 else None
