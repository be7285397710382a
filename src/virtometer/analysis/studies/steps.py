"""What each step of a sequence brought: against the stage before, and against the first one. PURE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.ratios import (
    Paired,
    Ratios,
    campaigns_of,
    joined,
    ratio_now,
    ratio_then,
    ratios,
    taking_part,
)
from virtometer.model import Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Stage, Steps
from virtometer.studies.sections import others
from virtometer.studies.selectors import selects

if TYPE_CHECKING:
    from virtometer.analysis.effects.claims import Influence


@dataclass(frozen=True, slots=True)
class StageReached:
    """A stage of a group: ratios of speeds to the stage before and to the first one; None where no cell has both."""

    group: str
    stage: str
    before_then: Ratios | None
    first_then: Ratios | None
    before_now: Estimate | None
    first_now: Estimate | None


@dataclass(frozen=True, slots=True)
class StepHere:
    """What a design of a campaign says of a step. step: in the words of the study. change: in per cent.

    factor, level: of the design. metric: what is changed.
    """

    step: str
    factor: str
    level: str
    metric: str
    change: Estimate
    verdict: Influence


@dataclass(frozen=True, slots=True)
class StepsFound:
    """The stages of each group in their order, without the first; and what designs of campaigns say of such steps.

    campaigns: numbers of those that the stages are from.
    """

    stages: tuple[StageReached, ...]
    here: tuple[StepHere, ...]
    campaigns: tuple[int, ...] = ()


def steps(of: Steps, cells: Sequence[PublishedValue], matcher: Matcher) -> StepsFound:
    """The stages of a question, by those of these cells that it is about."""
    found = []
    campaigns: set[int] = set()
    for group in of.groups:
        last = [one for one in cells if selects(group.cells, one)]
        rows = [[_at(one, stage) for stage in of.stages] for one in last]
        for at in range(1, len(of.stages)):
            before = [(row[at], row[at - 1]) for row in rows]
            first = [(row[at], row[0]) for row in rows]
            now = _now(before, matcher), _now(first, matcher)
            campaigns |= {one for some in now for one in campaigns_of(taking_part(some))}
            reached = [joined(some, median=True) for some in now]
            found.append(StageReached(group.name, of.stages[at].name, _then(before), _then(first), *reached))
    return StepsFound(tuple(found), tuple(_here(of, matcher)), tuple(sorted(campaigns)))


_Pairs = Sequence[tuple[PublishedValue | None, PublishedValue | None]]


def _at(one: PublishedValue, stage: Stage) -> PublishedValue | None:
    return next(iter(others(one, stage.cells)), None)


def _then(pairs: _Pairs) -> Ratios | None:
    return ratios(ratio_then(one, other) for one, other in pairs if one is not None and other is not None)


def _now(pairs: _Pairs, matcher: Matcher) -> list[Paired]:
    some = [ratio_now(one, other, matcher) for one, other in pairs if one is not None and other is not None]
    return [of for of in some if of is not None]


def _here(of: Steps, matcher: Matcher) -> list[StepHere]:
    found = []
    for analysis in matcher.analyses if of.factors else ():
        for metric in analysis.effects.metrics:
            for step, factor in of.factors.items():
                for effect in metric.effects:
                    if effect.factors == (factor,) and not metric.beside:
                        largest = effect.largest
                        level = f"{largest.level[0]} against {largest.against[0]}"
                        change = largest.change.estimate
                        found.append(StepHere(step, factor, level, metric.metric, change, largest.verdict))
    return found
