"""How many guests a host carries: what all of them do in total, and what each keeps of its speed alone. PURE.

Of several rows of a work the median counts, so that one slip of the pen decides nothing.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.guests import MeasuredRow, PrintedRow, measured_rows, places_of, printed_rows, sizes
from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.measured import Blocks
from virtometer.analysis.studies.ratios import Logs, Ratios, campaigns_of, joined, logs, ratios, taking_part
from virtometer.model import Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Capacity
from virtometer.studies.rules import MARGIN


@dataclass(frozen=True, slots=True)
class Reach:
    """Up to how many guests something holds: at least and at most so many. last: the greatest number that was tried."""

    least: int
    most: int
    last: int


@dataclass(frozen=True, slots=True)
class GroupRatios:
    """So many guests against one alone, as printed, and here with the intervals of the blocks.

    total: speed of all guests; kept: speed of the slowest guest, or of the mean one where only all are known.
    """

    guests: int
    total_then: Ratios | None
    kept_then: Ratios | None
    total_now: Estimate | None
    kept_now: Estimate | None


@dataclass(frozen=True, slots=True)
class Carried:
    """A work with its groups, the smallest first. keeps: up to how many guests each guest keeps the stated share.

    grows: up to how many guests the speed of all grows by more than the margin. by: the environments here. campaigns:
    numbers of those that took part.
    """

    work: str
    groups: tuple[GroupRatios, ...]
    keeps_then: Reach | None
    keeps_now: Reach | None
    grows_then: Reach | None
    grows_now: Reach | None
    by: str
    campaigns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CapacityFound:
    """Each work of a question. kept: the share of its speed alone that each guest has to keep."""

    works: tuple[Carried, ...]
    kept: float

    @property
    def campaigns(self) -> tuple[int, ...]:
        """Numbers of the campaigns that took part."""
        return tuple(sorted({one for work in self.works for one in work.campaigns}))


_Bounds = tuple[int, float, float]
"""A number of guests, and between what a ratio lies there."""


def capacity(of: Capacity, cells: Sequence[PublishedValue], matcher: Matcher) -> CapacityFound:
    """What a host carries of each work, by those of these cells that it is about."""
    return CapacityFound(
        tuple(
            _carried(one.name, of.kept, printed_rows(one, cells), measured_rows(one, cells, matcher))
            for one in of.works
        ),
        of.kept,
    )


def _carried(work: str, kept: float, then: Sequence[PrintedRow], now: Sequence[MeasuredRow]) -> Carried:
    counts = sizes(then, now)
    totals = {guests: [(row.campaign, _total_now(row, guests)) for row in now] for guests in counts}
    groups = tuple(
        GroupRatios(
            guests,
            ratios(_total_then(row, guests) for row in then),
            ratios(_kept_then(row, guests) for row in then),
            joined(totals[guests], median=True),
            joined([(row.campaign, _kept_now(row, guests)) for row in now], median=True),
        )
        for guests in counts
    )
    kept_then = [(one.guests, one.kept_then.median, one.kept_then.median) for one in groups if one.kept_then]
    kept_now = [(one.guests, *_ends(one.kept_now)) for one in groups if one.kept_now]
    return Carried(
        work,
        groups,
        _reach(kept_then, kept),
        _reach(kept_now, kept),
        _reach(_growth_then(then), 1 + MARGIN, above=True),
        _reach(_growth_now(now), 1 + MARGIN, above=True),
        places_of(now),
        campaigns_of(one for some in totals.values() for one in taking_part(some)),
    )


def _total_then(row: PrintedRow, guests: int) -> float | None:
    group = next((one for one in row.groups if one.guests == guests), None)
    return None if group is None or group.total is None or not row.alone else group.total / row.alone


def _kept_then(row: PrintedRow, guests: int) -> float | None:
    group = next((one for one in row.groups if one.guests == guests), None)
    if group is None or not row.alone:
        return None
    if group.speeds:
        return min(group.speeds) / row.alone
    return None if group.total is None else group.total / guests / row.alone


def _total_now(row: MeasuredRow, guests: int) -> Logs:
    group = next((one for one in row.groups if one.guests == guests), None)
    return {} if group is None else logs(group.total, row.alone, "higher")


def _kept_now(row: MeasuredRow, guests: int) -> Logs:
    """Of the guest that is the slowest on average: the slowest of each block would be slow by chance."""
    group = next((one for one in row.groups if one.guests == guests), None)
    if group is None:
        return {}
    equal: Blocks = {block: one / guests for block, one in group.total.items()}
    of = [logs(one, row.alone, "higher") for one in group.speeds or (equal,)]
    return min(of, key=lambda one: statistics.fmean(one.values()) if one else math.inf)


def _ends(of: Estimate) -> tuple[float, float]:
    """The bounds of an estimate; without an interval nothing is known."""
    return (0.0, math.inf) if of.low is None or of.high is None else (of.low, of.high)


def _growth_then(rows: Sequence[PrintedRow]) -> list[_Bounds]:
    """By how much the speed of all grows from one number of guests to the next, in the rows that have both."""
    counts = sizes(rows, [])
    found = []
    for before, guests in itertools.pairwise([1, *counts]):
        growth = ratios(_growth(row, before, guests) for row in rows)
        if growth is not None:
            found.append((guests, growth.median, growth.median))
    return found


def _growth(row: PrintedRow, before: int, guests: int) -> float | None:
    totals = {1: row.alone} | {group.guests: group.total for group in row.groups}
    mine, theirs = totals.get(guests), totals.get(before)
    return mine / theirs if mine and theirs else None


def _growth_now(rows: Sequence[MeasuredRow]) -> list[_Bounds]:
    counts = sizes([], rows)
    found = []
    for before, guests in itertools.pairwise([1, *counts]):
        of = []
        for row in rows:
            totals = {1: row.alone} | {group.guests: group.total for group in row.groups}
            if before in totals and guests in totals:
                of.append((row.campaign, logs(totals[guests], totals[before], "higher")))
        if (ratio := joined(of, median=True)) is not None:
            found.append((guests, *_ends(ratio)))
    return found


def _reach(of: Sequence[_Bounds], border: float, *, above: bool = False) -> Reach | None:
    """Up to how many guests a ratio is not below a border, or above it. None where nothing is known."""
    if not of:
        return None

    def falls(one: _Bounds, bound: int) -> bool:
        return one[bound] < border or (above and one[bound] == border)

    holds = list(itertools.takewhile(lambda one: not falls(one, 1), of))
    failed = next((one[0] for one in of if falls(one, 2)), None)
    last = of[-1][0]
    return Reach(holds[-1][0] if holds else 1, last if failed is None else failed - 1, last)
