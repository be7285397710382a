"""The median ratio of the blocks with an interval that holds for every distribution: order statistics.

W. R. Thompson, "On confidence ranges for the median and other expectation distributions for populations of unknown
distribution form", Ann. Math. Statist. 7 (1936) 122-128. The median lies between the k-th smallest and the k-th largest
of n independent values with the probability 1 - 2·P(B < k), B binomial of n and 1/2. Six blocks have 96.9 % between
the smallest and the largest. It says nothing of the mean, which a few slow starts change and the median does not show.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from scipy import special

from virtometer.model import MIN_BLOCKS, Estimate


def interval(logs: Sequence[float], level: float = 0.95, jointly: int = 1) -> Estimate | None:
    """The median of logarithms as a ratio, with the narrowest interval that covers at least `level`.

    `level` of the result is the coverage of this interval alone. No interval below MIN_BLOCKS; None without a value.
    """
    n, ordered = len(logs), sorted(logs)
    if n == 0:
        return None
    middle = math.exp(statistics.median(ordered))
    rank = rank_of(n, level if jointly == 1 else 1 - (1 - level) / jointly)
    if n < MIN_BLOCKS or rank == 0:
        return Estimate(middle, None, None, n, level)
    covers = 1 - 2 * float(special.bdtr(rank - 1, n, 0.5))
    return Estimate(middle, math.exp(ordered[rank - 1]), math.exp(ordered[-rank]), n, covers)


def rank_of(n: int, level: float = 0.95) -> int:
    """The greatest rank whose interval covers `level`; 0 where none does."""
    rank = 0
    while 2 * (rank + 1) <= n and 1 - 2 * float(special.bdtr(rank, n, 0.5)) >= level:
        rank += 1
    return rank
