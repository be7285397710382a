"""What of a run is compared: its value, but of an open loop the mean latency at the rate that was offered.

An open loop sends at a given rate. While the place keeps up, all places reach that rate: how long the requests took
tells them apart. The mean counts every stall in full, as total work / total time does elsewhere.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from virtometer.model import Better, Run

_OPEN_LOOP = ("net", "open-loop")
_LATENCY = "latency"
_OFFERED = "offered"
_ENOUGH = 0.98
METRIC = "mean latency at the offered rate"


@dataclass(frozen=True, slots=True)
class Judged:
    """The value that is compared, with its unit and direction. Not finite where there is none."""

    value: float
    unit: str
    better: Better


def by_latency(kernel: str, op: str) -> bool:
    """Whether runs of this operation are judged by their latency."""
    return (kernel, op) == _OPEN_LOOP


def judged(run: Run) -> Judged:
    """What of a scored run is compared, in host time."""
    if not by_latency(run.kernel, run.op):
        return Judged(run.scored.value, run.unit, run.better)
    counts = run.reported.histograms.get(_LATENCY, {}).get("counts", ())
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
        if by_latency(run.kernel, run.op)
        and (offered := float(run.reported.measures.get(_OFFERED, {}).get("value", 0.0))) > 0
    ]
    share = statistics.median(reached) if reached else 1.0
    return share if share < _ENOUGH else None
