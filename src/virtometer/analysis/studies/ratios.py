"""Ratios of speeds, printed and measured, as all answers to the questions of a study have them. PURE."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.measured import Blocks
from virtometer.model import MIN_BLOCKS, Better, Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.sections import per_run

Logs = Mapping[int, float]
"""Logarithms of ratios by block."""

Paired = tuple[int, Logs]
"""The number of a campaign, and ratios within its blocks."""


@dataclass(frozen=True, slots=True)
class Ratios:
    """Ratios of cells, above 1 where better: their median, the smallest, the largest, and how many."""

    median: float
    low: float
    high: float
    cells: int


def ratios(of: Iterable[float | None]) -> Ratios | None:
    """Of the positive numbers; None without one."""
    known = [one for one in of if one is not None and one > 0 and math.isfinite(one)]
    return Ratios(statistics.median(known), min(known), max(known), len(known)) if known else None


def speed(number: float | None, better: str) -> float | None:
    """A number, or its inverse where lower is better. None for what is no positive number."""
    if number is None or number <= 0:
        return None
    return 1 / number if better == "lower" else number


def speed_then(value: PublishedValue) -> float | None:
    """The printed speed; of times the inverse of one run."""
    return speed(per_run(value), value.better)


def ratio_then(value: PublishedValue, against: PublishedValue) -> float | None:
    """How many times as fast the one cell is as the other, as printed."""
    mine, theirs = speed_then(value), speed_then(against)
    return None if mine is None or theirs is None else mine / theirs


def ratio_now(value: PublishedValue, against: PublishedValue, matcher: Matcher) -> Paired | None:
    """The same within the blocks of the first campaign that has both cells, as logarithms. None where none has.

    Where one series stands for both cells there is nothing to compare.
    """
    for campaign in matcher.campaigns_for(value):
        mine, theirs = (matcher.within(campaign).find(one) for one in (value, against))
        if not isinstance(mine, Found) or not isinstance(theirs, Found):
            continue
        if mine.by == theirs.by and mine.values == theirs.values:
            continue
        found = logs(mine.values, theirs.values, value.better)
        if found:
            return campaign, found
    return None


def logs(subject: Blocks, against: Blocks, better: str) -> Logs:
    """Logarithms of ratios within blocks, above 0 where the subject is better."""
    from virtometer.analysis.compare.blocks import logs_by_block  # loads scipy, which printed values do not need

    turned: Better = "lower" if better == "lower" else "higher"
    return logs_by_block(positive(subject), positive(against), turned)


def positive(of: Blocks) -> Blocks:
    """The positive values."""
    return {block: one for block, one in of.items() if one > 0}


def taking_part(of: Sequence[Paired]) -> list[Paired]:
    """The ratios that can be joined: without those, and without campaigns, that have too few blocks for an interval.

    All of them where none has enough.
    """
    known = [one for one in of if len(one[1]) >= MIN_BLOCKS] or [one for one in of if one[1]]
    enough = {number for number, blocks in _shared(known).items() if len(blocks) >= MIN_BLOCKS}
    return [one for one in known if one[0] in enough] or known


def joined(of: Sequence[Paired], *, median: bool = False) -> Estimate | None:
    """The mean of several ratios, or their median, within each block, with the interval of the blocks.

    Of a campaign the blocks count that all its ratios have. Campaigns are independent: the first of these blocks of
    one stands beside the first ones of the others, and so on, as far as all have some.
    """
    some = taking_part(of)
    if not some:
        return None
    from virtometer.analysis.statistics.interval import interval  # loads scipy, which printed values do not need

    blocks = _shared(some)
    middle = statistics.median if median else statistics.fmean
    return interval(
        middle([one[block] for (_, one), block in zip(some, row, strict=True)])
        for row in zip(*(blocks[number] for number, _ in some), strict=False)
    )


def campaigns_of(of: Iterable[Paired]) -> tuple[int, ...]:
    """The numbers of their campaigns, each once."""
    return tuple(sorted({number for number, _ in of}))


def _shared(of: Sequence[Paired]) -> dict[int, list[int]]:
    """The blocks that all ratios of a campaign have, in their order, by the number of the campaign."""
    found: dict[int, set[int]] = {}
    for number, one in of:
        found[number] = found.get(number, set(one)) & set(one)
    return {number: sorted(blocks) for number, blocks in found.items()}
