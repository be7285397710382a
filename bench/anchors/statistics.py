"""Pure: figures of pairs become a median ratio with an exact interval, and a verdict.

The interval of a median needs no shape of the noise: the number of values below the median is binomial(n, 1/2), so
the interval from the k-th smallest to the k-th largest value covers the median with probability 1 - 2 P(B < k). The
largest k that keeps at least 95 % is taken (H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., 2003, section
7.1). Logs are not needed for that: order is the same with and without.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of n ratios, and what bounds it with probability `coverage`; None where n is too small for 95 %."""

    n: int
    median: float
    low: float | None
    high: float | None
    coverage: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`met`, `missed` or `inconclusive`, and why."""

    word: str
    reason: str


def ratios(agent: Sequence[float], anchor: Sequence[float], *, lower_is_better: bool) -> list[float]:
    """Pair by pair, above 1 where the agent is better: agent / anchor, or anchor / agent for times."""
    pairs = zip(agent, anchor, strict=True)
    return [b / a if lower_is_better else a / b for a, b in pairs]


def outer_rank(n: int, level: float = LEVEL) -> tuple[int, float] | None:
    """The largest k for which [k-th smallest, k-th largest] of n values covers their median at this level, and the
    probability with which it does. None where even the smallest and the largest value do not."""
    found = None
    below = 0  # number of outcomes, of 2^n, with fewer than k values below the median
    for k in range(1, n // 2 + 1):
        below += comb(n, k - 1)
        coverage = 1 - 2 * below / 2**n
        if coverage < level:
            break
        found = (k, coverage)
    return found


def estimate(values: Sequence[float]) -> Estimate:
    """The median of at least one ratio, with its interval."""
    ordered = sorted(values)
    rank = outer_rank(len(ordered))
    median = statistics.median(ordered)
    if rank is None:
        return Estimate(len(ordered), median, None, None, None)
    k, coverage = rank
    return Estimate(len(ordered), median, ordered[k - 1], ordered[-k], coverage)


def verdict(ratio: Estimate, control: Estimate, demand: float, tolerance: float) -> Verdict:
    """Whether a ratio reaches its demand. `control` is the agent against itself in the same blocks."""
    if not 1 / (1 + tolerance) <= control.median <= 1 + tolerance:
        return Verdict("inconclusive", f"A/A {control.median:.3f} is out of its tolerance of {tolerance:.0%}")
    if ratio.low is None or ratio.high is None:
        return Verdict("inconclusive", f"too few pairs for an interval: {ratio.n}")
    if ratio.low >= demand:
        return Verdict("met", "")
    if ratio.high < demand:
        return Verdict("missed", "")
    side = "reaches" if ratio.median >= demand else "is below"
    return Verdict("inconclusive", f"the interval holds the demand, the median {side} it")
