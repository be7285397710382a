"""Confidence interval of a geometric mean: Student's t on logarithms.

Student (W. S. Gosset), "The probable error of a mean", Biometrika 6 (1908) 1-25. The interval is
mean ± t(n-1) · s / √n, taken back from the log scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.model import MIN_BLOCKS, Estimate


def interval(logs: Sequence[float], level: float = 0.95, jointly: int = 1) -> Estimate | None:
    """Of the blocks' logarithms; the interval is None on both sides below MIN_BLOCKS blocks."""
    of = spread(logs)
    return None if of is None else of_spread(of, level, jointly)


def of_spread(of: Spread, level: float = 0.95, jointly: int = 1) -> Estimate:
    """As `interval`, where the mean and its error are not those of one series of blocks."""
    if of.n < MIN_BLOCKS:
        return Estimate(math.exp(of.mean), None, None, of.n, level)
    half = of.reach((1 - level) / jointly / 2)
    return Estimate(math.exp(of.mean), math.exp(of.mean - half), math.exp(of.mean + half), of.n, level)
