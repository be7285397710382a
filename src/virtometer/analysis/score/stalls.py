"""Stalls of a guest within a run: one or a few long ones are a disturbance, regular ones a property of the place.

A run is a row of pieces: its samples, and the gaps between them. The loss of a sample is its time beyond the median
pace of the run's samples, that of a gap its time beyond the median gap. A piece is a stall when it lost LONG_S or more,
and FAR times as much as the pieces beyond the FEW that lost most. A CPU quota halts a guest in every period, and the
scheduler takes away a slice now and then: neither stands out of its own run. The loss of all stalls is compared with
the plan's limit.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from virtometer.clock.intervals import Interval
from virtometer.model import Mark, MarkKind

FEW = 3
FAR = 4.0
LONG_S = 0.15
"""Half as long again as the period of a CPU quota, 100 ms: what a quota takes away at once is shorter."""

_ENOUGH = 3  # samples, for their median to be the pace of the work


@dataclass(frozen=True, slots=True)
class Stalls:
    """Host seconds lost in a run's stalls: in all, in how many, and when the longest one came."""

    window_s: float
    lost_s: float
    count: int
    longest_at_s: float

    @property
    def share(self) -> float:
        """The part of the window that was lost."""
        return self.lost_s / self.window_s if self.window_s > 0 else 0.0

    def mark(self, limit: float, environment: str) -> Mark | None:
        """Why the trial is disturbed; None where no more than `limit` of the window was lost."""
        if self.share <= limit:
            return None
        times = "in one stall" if self.count == 1 else f"in {self.count} stalls"
        return Mark(
            MarkKind.STALL,
            f"{self.lost_s:.3g} s of the window of {self.window_s:.3g} s were lost {times}, the longest "
            f"{self.longest_at_s:.3g} s after its beginning (the plan allows {limit:.0%}) in {environment}",
        )


def stalls_of(samples: Sequence[tuple[Interval, int]], *, gaps: bool) -> Stalls:
    """The stalls of one run. `samples`: time and work of each, in order; `gaps`: whether time between them counts.

    The agent waits between iterations that the laboratory releases, so that such gaps say nothing.
    """
    if len(samples) < _ENOUGH:
        return Stalls(0.0, 0.0, 0, 0.0)
    begin_ns = samples[0][0].start_ns
    paces = [stretch.duration_s / work for stretch, work in samples if work > 0]
    pace = statistics.median(paces) if paces else 0.0
    lost = [(stretch.duration_s - pace * work, stretch.start_ns) for stretch, work in samples]
    if gaps:
        between = [((b.start_ns - a.end_ns) * 1e-9, a.end_ns) for (a, _), (b, _) in pairwise(samples)]
        usual = statistics.median(length for length, _ in between)
        lost += [(length - usual, at_ns) for length, at_ns in between]
    lost.sort(reverse=True)
    ordinary = max(lost[FEW][0], 0.0) if len(lost) > FEW else 0.0
    found = [one for one in lost[:FEW] if one[0] >= max(LONG_S, FAR * ordinary)]
    worked_s = math.fsum(stretch.duration_s for stretch, _ in samples)
    window_s = (samples[-1][0].end_ns - begin_ns) * 1e-9 if gaps else worked_s
    longest_at_s = (found[0][1] - begin_ns) * 1e-9 if found else 0.0
    return Stalls(window_s, sum(seconds for seconds, _ in found), len(found), longest_at_s)
