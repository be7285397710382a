"""What of a run is compared: its value, or the mean of the histogram that the agent's table names for its operation.

An open loop sends at a given rate. While the place keeps up, all places reach that rate: how long the requests took
tells them apart. The mean counts every stall in full, as total work / total time does elsewhere.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from virtometer import agent_table
from virtometer.model import Better, Run

_ENOUGH = 0.98


@dataclass(frozen=True, slots=True)
class Judged:
    """The value that is compared, with its unit and direction. Not finite where there is none."""

    value: float
    unit: str
    better: Better


def judged(run: Run) -> Judged:
    """What of a scored run is compared, in host time."""
    by = agent_table.judged_by(run.kernel, run.op)
    if by is None:
        return Judged(run.scored.value, run.unit, run.better)
    counts = run.reported.histograms.get(by.histogram, {}).get("counts", ())
    total = sum(int(count) for _, count in counts)
    # Of work that the laboratory timed nobody knows how fast the guest's clock runs beside it.
    if not total or (run.host_timed and run.scored.clock.compared):
        return Judged(math.nan, "s", "lower")
    mean_ns = math.fsum(top_ns * int(count) for top_ns, count in counts) / total
    return Judged(mean_ns * 1e-9 * run.scored.clock.rate, "s", "lower")


def unmet(runs: Iterable[Run]) -> float | None:
    """The part of the offered rate that open loops reached, by their median; None where they reached all of it."""
    reached = [
        run.scored.value * run.scored.clock.rate / offered
        for run in runs
        if (by := agent_table.judged_by(run.kernel, run.op)) is not None
        and (offered := float(run.reported.measures.get(by.wanted, {}).get("value", 0.0))) > 0
    ]
    share = statistics.median(reached) if reached else 1.0
    return share if share < _ENOUGH else None
