"""Starts of another kind: what few blocks cannot say about them.

A guest may start in one of two ways, and keep its speed for the whole block. n blocks of which k lie apart know the
share of such starts by the binomial distribution only: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial
limits illustrated in the case of the binomial", Biometrika 26 (1934) 404-413. With k = 0 the upper limit is
1 - level^(1/n). The mean log ratio is then wrong by the share that is not in the blocks, times the size of the kind.
"""

from __future__ import annotations

import math

from scipy import special

from virtometer.analysis.statistics.precision import MAX_BLOCKS, least_blocks

LEVEL = 0.05
SIZE = math.log(1.25)
"""How far a kind of start that nobody has seen may lie apart, on the log scale: 20 % slower."""

ENOUGH = 10
"""Starts that a claim takes which a kind of this size could explain. 30 % of starts are then missed in 3 of 100."""

RARE = 0.09
"""Shares below this are not reported beside a verdict: 32 blocks and more."""


def share(n: int, apart: int = 0, level: float = LEVEL) -> float:
    """Up to this share of starts may be as the `apart` of n blocks that lie apart; 1 where all do, or for n = 0."""
    return 1.0 if apart >= n else float(special.betaincinv(apart + 1, n - apart, 1 - level))


def shift(n: int, apart: int = 0, size: float = SIZE, level: float = LEVEL) -> float:
    """How far the mean log ratio may be wrong by starts of the other kind that n blocks have too few of."""
    return (share(n, apart, level) - apart / n) * size if n else math.inf


def starts_needed(within: float, part: float = 0.0, size: float = SIZE, level: float = LEVEL) -> int | None:
    """The least number of starts whose `shift` is below `within`, if the same part of them lies apart.

    None beyond what a plan may have.
    """
    if within <= 0:
        return None
    return least_blocks(lambda n: shift(n, round(part * n), size, level) < within, 1, MAX_BLOCKS)
