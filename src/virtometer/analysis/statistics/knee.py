"""The knee of latency under rising load: the rate at which the 99th percentile leaves its flat part.

The knee is where the percentile is `LATER` times that of the flat part, which is the geometric mean of the smallest two
rates, or where less than `REACHED` of the offered rate is reached. Of an M/M/1 queue every percentile is doubled at
half of the capacity, where L. Kleinrock's power (rate / latency) is largest: "Power and deterministic rules of thumb
for probabilistic problems in computer communications", Proc. ICC 1979, 43.1.1-43.1.10. R. Jain, "The Art of Computer
Systems Performance Analysis", Wiley 1991, section 3.3, calls this point the knee.

Within a block the percentile must not fall with the rate: isotonic regression on logarithms (R. E. Barlow et al.,
"Statistical Inference under Order Restrictions", Wiley 1972) pools what is against this order. A block says between
which two rates its knee lies. The interval over the blocks is that of a median, which needs no distribution and takes
knees outside of the measured rates (W. R. Thompson, "On confidence ranges for the median and other expectation
distributions for populations of unknown distribution form", Ann. Math. Stat. 7 (1936) 122-128).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from virtometer.analysis.statistics.median import rank_of
from virtometer.model import MIN_BLOCKS

LATER = 2.0
"""Times the percentile of the flat part."""

REACHED = 0.99
"""Of the offered rate."""

FLAT = 2
"""How many of the smallest rates give the flat part. They must not load the environment."""

FEWEST = FLAT + 1
"""Rates of a block."""


@dataclass(frozen=True, slots=True)
class Load:
    """What one rate (requests in a second) gave in one block.

    latency: 99th percentile from when a request was due, s. reached: part of the offered rate that was reached.
    """

    rate: float
    latency: float
    reached: float = 1.0


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` (0: nothing bounds it) to `high` (infinite: nothing bounds it)."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BlockKnee:
    """The knee of one block. between: two rates that enclose it. at: where by interpolation; a range where unknown."""

    between: Range
    at: Range


class Position(StrEnum):
    """What is known of a median."""

    WITHIN = "within"  # the measured rates: it has a value
    ABOVE = "above"  # `low`; without an interval, all measured rates
    BELOW = "below"  # `high`; without an interval, where latency is flat
    UNKNOWN = "unknown"  # the blocks contradict each other, or say nothing


@dataclass(frozen=True, slots=True)
class Middle:
    """The median of the blocks' knees, or of their ratios.

    value: only where `position` is within. low, high: its 95 % interval, None where nothing bounds it or with fewer
    than MIN_BLOCKS blocks. n: number of blocks.
    """

    position: Position
    value: float | None
    low: float | None
    high: float | None
    n: int


def of_block(loads: Sequence[Load]) -> BlockKnee | None:
    """The knee of one block, of rates in any order; None with fewer than FEWEST of them."""
    if len(loads) < FEWEST:
        return None
    loads = sorted(loads, key=lambda one: one.rate)
    logs = [math.log(one.latency) for one in loads]
    flat = math.fsum(logs[:FLAT]) / FLAT
    logs = _never_falling(logs)
    times = [max(math.exp(log - flat), 1.0) for log in logs]
    late = next((at for at, found in enumerate(times) if found > LATER), len(loads))
    full = len(loads)
    while full and loads[full - 1].reached < REACHED:  # an overload stays one at higher rates
        full -= 1
    first = min(late, full)
    if logs[FLAT - 1] - logs[0] > math.log(LATER):  # it rises from the beginning
        first = min(first, FLAT - 1)
    if first == len(loads):
        above = Range(loads[-1].rate, math.inf)
        return BlockKnee(above, above)
    if first < FLAT:  # there is no flat part
        below = Range(0.0, loads[first].rate)
        return BlockKnee(below, below)
    before, behind = loads[first - 1], loads[first]
    # An overloaded environment does what it can: its capacity is what it reached, not what it was offered.
    end = behind.rate if full > first else min(max(behind.rate * behind.reached, before.rate), behind.rate)
    at = end
    if late == first:
        # The inverse of a queue's latency falls linearly with its load.
        start, wanted, after = 1 / times[first - 1], 1 / LATER, 1 / times[first]
        at = before.rate + (end - before.rate) * (start - wanted) / (start - after)
    return BlockKnee(Range(before.rate, behind.rate), Range(at, at))


def ratio(subject: BlockKnee, against: BlockKnee) -> BlockKnee:
    """The subject's knee divided by the other one's, in the same block."""
    return BlockKnee(_divided(subject.between, against.between), _divided(subject.at, against.at))


def middle(blocks: Sequence[BlockKnee]) -> Middle | None:
    """The median over the blocks; None without one. Blocks that say nothing widen the interval alone."""
    n = len(blocks)
    if not n:
        return None
    low = high = None
    if n >= MIN_BLOCKS:
        place = rank_of(n) - 1
        low = sorted(one.between.low for one in blocks)[place] or None
        high = sorted(one.between.high for one in blocks)[n - 1 - place]
        high = None if math.isinf(high) else high
    known = [one.at for one in blocks if one.at.low > 0 or not math.isinf(one.at.high)]
    if 2 * len(known) <= n:
        return Middle(Position.UNKNOWN, None, low, high, n)
    # Where a block has a bound alone, the median of the lower ends and that of the upper ends differ.
    lowest, highest = _two_middle([one.low for one in known]), _two_middle([one.high for one in known])
    if lowest == highest and lowest[0] > 0 and not math.isinf(highest[1]):
        return Middle(Position.WITHIN, math.sqrt(lowest[0] * lowest[1]), low, high, n)
    above = math.isinf(highest[0]) and lowest[0] > 0 if n < MIN_BLOCKS else low is not None and high is None
    below = lowest[1] == 0 and not math.isinf(highest[1]) if n < MIN_BLOCKS else high is not None and low is None
    position = Position.ABOVE if above else Position.BELOW if below else Position.UNKNOWN
    return Middle(position, None, low, high, n)


def _never_falling(logs: Sequence[float]) -> list[float]:
    from scipy import optimize  # takes a moment to load, and few campaigns have a sweep over rates

    found: list[float] = optimize.isotonic_regression(logs).x.tolist()
    return found


def _divided(one: Range, other: Range) -> Range:
    low = one.low / other.high
    if other.low == 0 or math.isinf(one.high):
        return Range(low, math.inf)
    return Range(low, one.high / other.low)


def _two_middle(values: Sequence[float]) -> tuple[float, float]:
    """The value in the middle twice, or both middle ones of an even number."""
    found = sorted(values)
    return found[(len(found) - 1) // 2], found[len(found) // 2]
