"""The number of guests from which on one more no longer raises the sum, from the sums alone, without a law.

Within each block the log of each later sum is compared with that of N guests. The sum still rises at N where some later
sum is shown to be higher, and has stopped at N where every later sum is shown to be higher by less than the margin.
All pairs share a chance of 5 %: one-sided t tests, each at 0.05 / pairs. The number lies between the first N at which
no rise is shown and the first N at which the stop is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.model import MIN_BLOCKS

_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Saturation:
    """The number of guests from which on the sum no longer rises by more than the margin.

    at: by the means; None where the largest number that was measured still has a higher sum than all before. low: the
    sum is shown to rise up to here. high: it is shown to have stopped here; None where that is not shown. measured: the
    largest number of guests.
    """

    at: int | None
    low: int
    high: int | None
    measured: int
    margin: float
    n: int


def saturation(blocks: Sequence[Mapping[int, float]], margin: float) -> Saturation | None:
    """From the sums by number of guests of each block; None with fewer than two numbers or MIN_BLOCKS blocks a pair."""
    counts = sorted({count for block in blocks for count in block})
    pairs = list(combinations(counts, 2))
    found: dict[tuple[int, int], Spread] = {}
    for few, many in pairs:
        of = spread(math.log(block[many] / block[few]) for block in blocks if few in block and many in block)
        if of is None or of.n < MIN_BLOCKS:
            return None
        found[few, many] = of
    if not found:
        return None
    limit = math.log1p(margin)

    def later(few: int) -> list[tuple[float, float, float]]:
        """Lower bound, mean and upper bound of the log ratio of each later sum to that of `few`."""
        made = []
        for (one, _), of in found.items():
            if one == few:
                half = of.reach(_LEVEL / len(pairs))
                made.append((of.mean - half, of.mean, of.mean + half))
        return made

    before = counts[:-1]
    low = next((few for few in before if all(bound <= 0 for bound, _, _ in later(few))), counts[-1])
    high = next((few for few in before if all(bound < limit for _, _, bound in later(few))), None)
    at = next((few for few in before if all(mean < limit for _, mean, _ in later(few))), None)
    if high is not None:
        low = min(low, high)
    if at is not None:
        at = max(low, min(at, high if high is not None else at))
    return Saturation(at, low, high, counts[-1], margin, min(of.n for of in found.values()))


def sentence(of: Saturation | None) -> str:
    """What was found, in one sentence; empty where nothing was."""
    if of is None:
        return ""
    less = f"less than {100 * of.margin:.2g} %"
    if of.low == of.measured:
        return f"the sum still rises at {of.measured} guests, the most that were measured"
    if of.high is None:
        return f"the sum rises up to {of.low}; that it has stopped is not shown with {of.n} blocks"
    if of.low == of.high:
        return f"from {of.high} on, further guests raise the sum by {less}"
    return f"from {of.high} on, further guests raise the sum by {less}; that it rises is shown up to {of.low}"
