"""How much values differ: their standard deviation by their mean, with its interval.

A. T. McKay, "Distribution of the coefficient of variation and the extended t distribution", Journal of the Royal
Statistical Society 95 (1932) 695-698, as modified by M. G. Vangel, "Confidence intervals for a normal coefficient of
variation", The American Statistician 50 (1996) 21-26. The values are taken as independent and normal.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable

from scipy import special

from virtometer.model import MIN_BLOCKS, Estimate


def variation(values: Iterable[float], level: float = 0.95) -> Estimate | None:
    """The coefficient of variation of positive values, n - 1 in its standard deviation; None for fewer than two.

    No interval where there are too few values. An end that the method cannot tell is infinite.
    """
    some = [*values]
    n = len(some)
    if n < 2:
        return None
    found = statistics.stdev(some) / statistics.fmean(some)
    if n < MIN_BLOCKS:
        return Estimate(found, None, None, n)

    def end(quantile: float) -> float:
        u = float(special.chdtri(n - 1, 1 - quantile))
        under = ((u + 2) / n - 1) * found**2 + u / (n - 1)
        return found / math.sqrt(under) if under > 0 else math.inf

    tail = (1 - level) / 2
    return Estimate(found, end(1 - tail), end(tail), n)
