"""How long the host takes to start an empty program in a guest that lives: the records of starts, over blocks."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from virtometer.analysis.statistics.interval import interval
from virtometer.model import ENTRY, Campaign, Estimate, GuestStart, Quantity


@dataclass(frozen=True, slots=True)
class Entered:
    """Of an environment: way: by which program. time: in s; None: it was never entered. reason: why not.

    time: the geometric mean over guests of the median of each. count: of entries that are timed.
    """

    way: str
    time: Quantity[Estimate] | None
    count: int
    reason: str


def entries(campaign: Campaign) -> dict[str, Entered]:
    """By environment, in the plan's order. Only of those whose guests were to be entered."""
    found = {}
    for environment in campaign.plan.environments:
        starts = [one for one in campaign.guests if one.environment == environment.name and ENTRY in one.effective]
        if starts:
            found[environment.name] = _of(environment.name, starts)
    return found


def _of(name: str, starts: list[GuestStart]) -> Entered:
    noted = [one.effective[ENTRY] for one in starts]
    way = next((str(one["way"]) for one in noted if one.get("way")), "")
    reason = next((str(one["reason"]) for one in noted if one.get("reason")), "")
    times = [one["seconds"] for one in noted if one.get("seconds")]
    estimate = interval([math.log(statistics.median(of)) for of in times]) if times else None
    time = None
    if estimate is not None:
        time = Quantity(name, "entry of a guest", "s", "lower", "geometric mean", estimate)
    return Entered(way, time, sum(map(len, times)), reason)
