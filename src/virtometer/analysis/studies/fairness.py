"""How fairly guests at once share what the host has: greatest by least share, and the slowest guest. PURE."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from virtometer.analysis.studies.guests import (
    MeasuredGroup,
    MeasuredRow,
    PrintedGroup,
    PrintedRow,
    measured_rows,
    places_of,
    printed_rows,
    sizes,
)
from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.ratios import Logs, Ratios, campaigns_of, joined, ratios, taking_part
from virtometer.model import Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Fairness
from virtometer.studies.rules import UNEVEN

Share = Literal["fair", "unfair", "partly fair", "undecided"]

FAIR = 1 + UNEVEN
"""Up to this ratio of the greatest share to the least one guests are treated alike."""


@dataclass(frozen=True, slots=True)
class Shares:
    """So many guests at once. uneven: greatest by least share; worst: the slowest guest by an equal share.

    bounded: the printed ratios are the worst ones that a printed standard deviation allows. here: of the means over the
    blocks. in_blocks: greatest by least share within single blocks. None where nothing is known. campaigns: numbers of
    those that took part.
    """

    guests: int
    uneven_then: Ratios | None
    worst_then: Ratios | None
    bounded: bool
    verdict_then: Share | None
    uneven_now: Estimate | None
    worst_now: Estimate | None
    in_blocks: Estimate | None
    verdict_now: Share | None
    campaigns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """A work with its groups, the smallest first. by: the environments here. campaigns: numbers of all of `shares`."""

    work: str
    shares: tuple[Shares, ...]
    by: str
    campaigns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FairnessFound:
    """Each work of a question."""

    works: tuple[Shared, ...]

    @property
    def campaigns(self) -> tuple[int, ...]:
        """Numbers of the campaigns that took part."""
        return tuple(sorted({one for work in self.works for one in work.campaigns}))


def fairness(of: Fairness, cells: Sequence[PublishedValue], matcher: Matcher) -> FairnessFound:
    """The shares of each work, by those of these cells that it is about."""
    return FairnessFound(
        tuple(_shared(one.name, printed_rows(one, cells), measured_rows(one, cells, matcher)) for one in of.works)
    )


def widest(spread: float, guests: int) -> tuple[float, float]:
    """The most uneven shares of so many guests with a standard deviation, by their mean: greatest by least, and least.

    The range is at most s sqrt(2 (n - 1)), and the least value is at least 1 - s (n - 1) / sqrt(n).
    """
    least = 1 - spread * (guests - 1) / math.sqrt(guests)
    return 1 + spread * math.sqrt(2 * (guests - 1)) / least, least


def _shared(work: str, then: Sequence[PrintedRow], now: Sequence[MeasuredRow]) -> Shared:
    of = [_shares(guests, then, now) for guests in sizes(then, now)]
    shown = tuple(one for one in of if one.verdict_then or one.verdict_now)
    return Shared(work, shown, places_of(now), tuple(sorted({one for share in shown for one in share.campaigns})))


def _shares(guests: int, then: Sequence[PrintedRow], now: Sequence[MeasuredRow]) -> Shares:
    printed = [group for row in then for group in row.groups if group.guests == guests]
    known = [pair for group in printed if (pair := _printed(group)) is not None]
    groups = [(row.campaign, one) for row in now for one in row.groups if one.guests == guests and one.speeds]
    uneven = taking_part([(campaign, _uneven(group)) for campaign, group in groups])
    here = joined(uneven, median=True)
    return Shares(
        guests,
        ratios(one for one, _ in known),
        ratios(one for _, one in known),
        any(group.spread is not None for group in printed),
        _judged([(one, one) for one, _ in known]),
        here,
        joined([(campaign, _worst(group)) for campaign, group in groups], median=True),
        joined([(campaign, _within_blocks(group)) for campaign, group in groups], median=True),
        _judged([_ends(joined([one])) for one in uneven]),
        campaigns_of(uneven),
    )


def _printed(group: PrintedGroup) -> tuple[float, float] | None:
    if group.speeds:
        return max(group.speeds) / min(group.speeds), min(group.speeds) / statistics.fmean(group.speeds)
    return None if group.spread is None else widest(group.spread, group.guests)


def _blocks(group: MeasuredGroup) -> list[int]:
    return sorted(set[int].intersection(*(set(one) for one in group.speeds)))


def _ordered(group: MeasuredGroup, blocks: Sequence[int]) -> list[int]:
    """The guests from the slowest to the fastest, by their geometric means."""
    means = [statistics.fmean(math.log(one[block]) for block in blocks) for one in group.speeds]
    return sorted(range(len(means)), key=lambda at: means[at])


def _uneven(group: MeasuredGroup) -> Logs:
    blocks = _blocks(group)
    if not blocks:
        return {}
    order = _ordered(group, blocks)
    slow, fast = group.speeds[order[0]], group.speeds[order[-1]]
    return {block: math.log(fast[block] / slow[block]) for block in blocks}


def _worst(group: MeasuredGroup) -> Logs:
    blocks = _blocks(group)
    if not blocks:
        return {}
    slow = group.speeds[_ordered(group, blocks)[0]]
    return {block: math.log(slow[block] / statistics.fmean(one[block] for one in group.speeds)) for block in blocks}


def _within_blocks(group: MeasuredGroup) -> Logs:
    by_block = {block: [one[block] for one in group.speeds] for block in _blocks(group)}
    return {block: math.log(max(of) / min(of)) for block, of in by_block.items()}


def _ends(of: Estimate | None) -> tuple[float, float]:
    return (1.0, math.inf) if of is None or of.low is None or of.high is None else (of.low, of.high)


def _judged(rows: Sequence[tuple[float, float]]) -> Share | None:
    """Of rows with the bounds of their greatest by least share. None without a row."""
    if not rows:
        return None
    fair, unfair = sum(high <= FAIR for _, high in rows), sum(low > FAIR for low, _ in rows)
    if fair == len(rows):
        return "fair"
    if unfair == len(rows):
        return "unfair"
    return "partly fair" if fair + unfair == len(rows) else "undecided"
