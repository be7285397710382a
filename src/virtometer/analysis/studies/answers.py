"""The questions of a study: what its cells say, beside what the same cells say here. PURE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.capacity import CapacityFound, capacity
from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.effects import EffectsFound, effects
from virtometer.analysis.studies.fairness import FairnessFound, fairness
from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.ranking import RankingFound, ranking
from virtometer.analysis.studies.ratios import Paired, Ratios, campaigns_of, joined, ratio_now, ratio_then, ratios
from virtometer.analysis.studies.steps import StepsFound, steps
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Answer
from virtometer.studies.sections import others, reference
from virtometer.studies.selectors import selects


@dataclass(frozen=True, slots=True)
class RatiosFound:
    """Ratios of cells.

    then: of the printed cells; now: of those that the campaigns fill, and then_there: of these as printed. None: of
    none. campaigns: numbers of those that took part. by: the environments that stand for the cells of `now`.
    """

    then: Ratios | None
    now: Ratios | None
    then_there: Ratios | None
    campaigns: tuple[int, ...] = ()
    by: tuple[str, ...] = ()


Evidence = RatiosFound | EffectsFound | CapacityFound | RankingFound | FairnessFound | StepsFound


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with the answer of the study in our words, and what its cells and campaigns say."""

    question: str
    published: str
    found: Evidence


def answered(answer: Answer, sections: Sequence[StudySection], matcher: Matcher) -> Answered:
    """The answer by the cells that the question is about."""
    cells = [cell.published for one in sections for cell in one.all_cells]
    return Answered(answer.question, answer.published, _found(answer, cells, matcher))


def _found(answer: Answer, cells: Sequence[PublishedValue], matcher: Matcher) -> Evidence:
    some = [one for one in cells if any(selects(selector, one) for selector in answer.selectors)]
    if answer.effects is not None:
        return effects(answer.effects, some, matcher)
    if answer.capacity is not None:
        return capacity(answer.capacity, some, matcher)
    if answer.fairness is not None:
        return fairness(answer.fairness, some, matcher)
    if answer.ranking is not None:
        return ranking(answer.ranking, some, matcher)
    if answer.steps is not None:
        return steps(answer.steps, some, matcher)
    pairs = [(one, against) for one in some if (against := _against(answer, one, matcher)) is not None]
    then = [ratio_then(*pair) if all(one.better for one in pair) else None for pair in pairs]
    found = [ratio_now(*pair, matcher) for pair in pairs]
    now = [None if one is None else joined([one]) for one in found]
    there = [printed for printed, measured in zip(then, now, strict=True) if measured is not None]
    return RatiosFound(
        ratios(then),
        ratios(None if one is None else one.value for one in now),
        ratios(there),
        campaigns_of(one for one in found if one is not None),
        tuple(dict.fromkeys(_standing(pairs, found, matcher))),
    )


def _standing(
    pairs: Sequence[tuple[PublishedValue, PublishedValue]], found: Sequence[Paired | None], matcher: Matcher
) -> Iterator[str]:
    """The environments that stand for the first cells of the pairs that campaigns have."""
    for (value, _), one in zip(pairs, found, strict=True):
        standing = matcher.within(one[0]).find(value) if one is not None else None
        if isinstance(standing, Found):
            yield standing.by


def _against(answer: Answer, value: PublishedValue, matcher: Matcher) -> PublishedValue | None:
    if not answer.against:
        return reference(value, matcher.of)
    return next((one for one in others(value, answer.against) if one is not value), None)
