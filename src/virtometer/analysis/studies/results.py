"""All that a page of a study says: its answers, and one section for each item. PURE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from virtometer.analysis.studies.answers import Answered, answered
from virtometer.analysis.studies.cells import StudySection, estimate, section
from virtometer.analysis.studies.grouped import grouped
from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.remarks import remarks
from virtometer.studies.agreement import ClaimRow, claims_table
from virtometer.studies.bounds import Bounded
from virtometer.studies.data import PublishedValue, Study, items
from virtometer.studies.sections import Description, description

if TYPE_CHECKING:
    from virtometer.analysis import Analysis


@dataclass(frozen=True, slots=True)
class StudyResults:
    """A study beside campaigns. campaigns: the names of their plans, in the order in which cells were looked for.

    remarks: what was calculated of an item's cells, a sentence each, by item. claims: with their verdicts.
    shortened: what the short form of each campaign replaced, in words; empty for a campaign in full.
    experiments: each with what was measured of it, or how to measure it.
    """

    study: Study
    of: Description
    answers: tuple[Answered, ...]
    sections: tuple[StudySection, ...]
    remarks: dict[str, tuple[str, ...]]
    claims: tuple[ClaimRow, ...]
    campaigns: tuple[str, ...]
    shortened: tuple[tuple[str, ...], ...] = ()
    experiments: tuple[tuple[str, str], ...] = ()

    @property
    def filled(self) -> int:
        """How many printed cells have a new value."""
        return sum(one.filled for one in self.sections if one.chart is None)

    @property
    def cells(self) -> int:
        """How many cells are printed."""
        return sum(len(one.all_cells) for one in self.sections if one.chart is None)

    @property
    def chart_filled(self) -> int:
        """How many cells of charts have a new value, whose values are printed nowhere."""
        return sum(one.filled for one in self.sections if one.chart is not None)

    @property
    def chart_cells(self) -> int:
        """How many cells there are whose values are printed nowhere."""
        return sum(len(one.all_cells) for one in self.sections if one.chart is not None)


def results(study: Study, analyses: Sequence[Analysis]) -> StudyResults:
    """A study beside the campaigns of its experiments; beside none where there are none.

    Raises UsageError where the description of the study cannot be read.
    """
    of = description(study.study)
    matcher = Matcher(of, analyses)
    sections = tuple(grouped(section(item, matcher), matcher) for item in items(study.study).values())
    return StudyResults(
        study=study,
        of=of,
        answers=tuple(answered(answer, sections, matcher) for answer in of.answers),
        sections=sections,
        remarks={one.item.item: remarks(one, matcher) for one in sections},
        claims=_claims(study, matcher),
        campaigns=tuple(analysis.campaign.plan.name for analysis in analyses),
        shortened=tuple(tuple(analysis.campaign.plan.shortened) for analysis in analyses),
    )


def judged(study: Study, analyses: Sequence[Analysis]) -> tuple[ClaimRow, ...]:
    """The claims of a study with the verdicts of the printed cells, and those of campaigns where there are some.

    Raises UsageError where the description of the study cannot be read.
    """
    return _claims(study, Matcher(description(study.study), analyses))


def _claims(study: Study, matcher: Matcher) -> tuple[ClaimRow, ...]:
    rows = claims_table(study.study, (lambda value: _bounded(value, matcher)) if matcher.analyses else None)
    return tuple(replace(row, short_form=_short_form(row, matcher)) for row in rows)


def _short_form(row: ClaimRow, matcher: Matcher) -> tuple[str, ...]:
    """The names of the campaigns in short form that new cells of a claim are from."""
    pairs = () if row.new is None else row.new.pairs
    found = [matcher.find(one) for pair in pairs for one in (pair.subject, pair.reference) if one is not None]
    numbers = sorted({one.campaign for one in found if isinstance(one, Found)})
    plans = [matcher.analyses[number].campaign.plan for number in numbers]
    return tuple(plan.name for plan in plans if plan.shortened)


def _bounded(value: PublishedValue, matcher: Matcher) -> Bounded | None:
    """What claims are judged by: a new value in the unit of the cell. Without an interval its bounds are open."""
    found = matcher.find(value)
    of = estimate(found.values, value) if isinstance(found, Found) else None
    if of is None:
        return None
    return Bounded(of.value, of.low if of.low is not None else 0.0, of.high if of.high is not None else math.inf)
