"""Intervals over blocks for what is no ratio: Student's t on the values themselves.

For figures that are skewed with the transformation of P. Hall, "On the removal of skewness by transformation", JRSS B
54 (1992) 221-228.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from scipy import special

from virtometer.analysis.statistics.spread import spread
from virtometer.model import MIN_BLOCKS, Estimate

LEVEL = 0.95


def interval(
    values: Iterable[float],
    jointly: int = 1,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    skewed: bool = False,
) -> Estimate | None:
    """The arithmetic mean with its interval, cut to what is possible; None without a value.

    `jointly`: how many intervals hold jointly. least, most: what the figure can be at all. skewed: its values have a
    long tail on one side.
    """
    found = list(values)
    of = spread(found)
    if of is None:
        return None
    if of.n < MIN_BLOCKS:
        return Estimate(of.mean, None, None, of.n, LEVEL)
    reach = float(special.stdtrit(of.n - 1, 1 - (1 - LEVEL) / jointly / 2)) / math.sqrt(of.n)
    skewness = _skewness(found, of.mean) if skewed else 0.0
    below, above = (_without_skewness(side * reach, skewness, of.n) * of.sd for side in (1, -1))
    return Estimate(of.mean, max(of.mean - below, least), min(of.mean - above, most), of.n, LEVEL)


def _skewness(values: Sequence[float], mean: float) -> float:
    n = len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / n
    return math.fsum((value - mean) ** 3 for value in values) / n / variance**1.5 if variance > 0 else 0.0


def _without_skewness(reach: float, skewness: float, n: int) -> float:
    """The inverse of Hall's transformation: how many standard deviations the bound is from the mean."""
    if abs(skewness) < 1e-9:
        return reach
    inner = 1 + skewness * (reach - skewness / (6 * n))
    return 3 / skewness * (math.copysign(abs(inner) ** (1 / 3), inner) - 1)
