"""The questions of a study: what its cells say, beside what the same cells say here. PURE."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import logs_by_block
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.studies.data import PublishedValue
from virtometer.studies.sections import Answer, others, per_run, reference, selects


@dataclass(frozen=True, slots=True)
class Ratios:
    """Ratios of cells, above 1 where better: their median, the smallest, the largest, and how many."""

    median: float
    low: float
    high: float
    cells: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its answers.

    then: of the printed cells; now: of those that the campaigns fill, and then_there: of these as printed. None: of
    none.
    """

    question: str
    published: str
    then: Ratios | None
    now: Ratios | None
    then_there: Ratios | None


def answered(answer: Answer, sections: Sequence[StudySection], matcher: Matcher) -> Answered:
    """The answer by the cells that the question is about."""
    values = [cell.published for one in sections for cell in one.all_cells if selects(answer.cells, cell.published)]
    pairs = [(value, against) for value in values if (against := _against(answer, value, matcher)) is not None]
    then, now = [_then(*pair) for pair in pairs], [_now(*pair, matcher) for pair in pairs]
    there = [printed for printed, measured in zip(then, now, strict=True) if measured is not None]
    return Answered(answer.question, answer.published, _ratios(then), _ratios(now), _ratios(there))


def _against(answer: Answer, value: PublishedValue, matcher: Matcher) -> PublishedValue | None:
    if not answer.against:
        return reference(value, matcher.of)
    return next((one for one in others(value, answer.against) if one is not value), None)


def _then(value: PublishedValue, against: PublishedValue) -> float | None:
    mine, theirs = per_run(value), per_run(against)
    if not mine or not theirs:
        return None
    return theirs / mine if value.better == "lower" else mine / theirs


def _now(value: PublishedValue, against: PublishedValue, matcher: Matcher) -> float | None:
    mine, theirs = matcher.find(value), matcher.find(against)
    if not isinstance(mine, Found) or not isinstance(theirs, Found) or mine.campaign != theirs.campaign:
        return None
    of = interval(logs_by_block(mine.values, theirs.values, "lower" if value.better == "lower" else "higher").values())
    return None if of is None else of.value


def _ratios(of: Sequence[float | None]) -> Ratios | None:
    known = [one for one in of if one is not None and one > 0 and math.isfinite(one)]
    return Ratios(statistics.median(known), min(known), max(known), len(known)) if known else None
