"""Ratios of speeds, printed and measured, as all answers to the questions of a study have them. PURE."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.measured import Blocks
from virtometer.model import Better, Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.sections import per_run

Logs = Mapping[int, float]
"""Logarithms of ratios by block."""


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


def ratio_now(value: PublishedValue, against: PublishedValue, matcher: Matcher) -> Logs:
    """The same within the blocks of the campaign that has both cells, as logarithms. Empty where none has.

    Where one series stands for both cells there is nothing to compare.
    """
    mine, theirs = matcher.find(value), matcher.find(against)
    if not isinstance(mine, Found) or not isinstance(theirs, Found) or mine.campaign != theirs.campaign:
        return {}
    if mine.by == theirs.by and mine.values == theirs.values:
        return {}
    return logs(mine.values, theirs.values, value.better)


def logs(subject: Blocks, against: Blocks, better: str) -> Logs:
    """Logarithms of ratios within blocks, above 0 where the subject is better."""
    from virtometer.analysis.compare.blocks import logs_by_block  # loads scipy, which printed values do not need

    turned: Better = "lower" if better == "lower" else "higher"
    return logs_by_block(positive(subject), positive(against), turned)


def positive(of: Blocks) -> Blocks:
    """The positive values."""
    return {block: one for block, one in of.items() if one > 0}


def joined(of: Sequence[Logs], *, median: bool = False) -> Estimate | None:
    """The mean of several ratios, or their median, within each block that all have, with the interval of the blocks."""
    if not of:
        return None
    from virtometer.analysis.statistics.interval import interval  # loads scipy, which printed values do not need

    shared = sorted(set[int].intersection(*(set(one) for one in of)))
    middle = statistics.median if median else statistics.fmean
    return interval(middle([one[block] for one in of]) for block in shared)
