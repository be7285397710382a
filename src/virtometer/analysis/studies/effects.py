"""Which parameters of a study matter: paired contrasts of its printed cells, and of campaigns. PURE.

An effect is the geometric mean of the ratios of all pairs of cells that differ by one parameter alone. An interaction
of two parameters is a ratio of such ratios. Printed cells have no repetitions, so their effects have no interval.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.ratios import (
    Logs,
    Paired,
    campaigns_of,
    joined,
    logs,
    ratio_now,
    ratio_then,
    taking_part,
)
from virtometer.model import Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Effects, Parameter
from virtometer.studies.rules import MARGIN, slipped
from virtometer.studies.sections import others, reference
from virtometer.studies.selectors import ANY, selects, text_of

Influence = Literal["matters", "matters with others", "does not matter", "undecided", "one pair only"]
"""A parameter that matters with others has no decided effect alone, but an interaction with another one.

One pair of printed cells decides nothing: without an interval nothing says what it would be again.
"""

_OPEN = frozenset({"undecided", "one pair only"})

MOST = 2 / 3
"""More than this share of the pairs must lie on the side of their mean, where no interval decides."""


@dataclass(frozen=True, slots=True)
class PrintedEffect:
    """An effect in printed cells. ratio: the geometric mean of the pairs, from the smallest to the largest of them.

    same_sign: the share of the pairs that lie on the side of the mean. within: how many lie within the margin.
    """

    ratio: float
    low: float
    high: float
    pairs: int
    same_sign: float
    within: int
    verdict: Influence


@dataclass(frozen=True, slots=True)
class MeasuredEffect:
    """An effect in campaigns: a ratio with the interval of the blocks, of so many pairs of cells.

    campaigns: numbers of those that the pairs are from, each pair from one.
    """

    ratio: Estimate
    pairs: int
    verdict: Influence
    campaigns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EffectRow:
    """A parameter, or an interaction of two. change: its levels in words. None where no pair has both levels."""

    parameters: tuple[str, ...]
    change: str
    then: PrintedEffect | None
    now: MeasuredEffect | None


@dataclass(frozen=True, slots=True)
class EffectsFound:
    """All effects of a question, the largest printed ones first: of one parameter, and interactions of two."""

    main: tuple[EffectRow, ...]
    interactions: tuple[EffectRow, ...]

    @property
    def campaigns(self) -> tuple[int, ...]:
        """Numbers of the campaigns that took part."""
        return tuple(sorted({one for row in (*self.main, *self.interactions) if row.now for one in row.now.campaigns}))


@dataclass(frozen=True, slots=True)
class _Change:
    """A step of a parameter from its first level to another one."""

    parameter: Parameter
    level: str = ""

    @property
    def words(self) -> str:
        if not self.parameter.field:
            return "guest against bare machine"
        return f"{self.level} against {self.parameter.levels[0]}"


_Pair = tuple[PublishedValue, PublishedValue]


def effects(of: Effects, cells: Sequence[PublishedValue], matcher: Matcher) -> EffectsFound:
    """The effects of a question in those of these cells that it is about."""
    known = _Known(of, [one for one in cells if selects(of.cells, one) and one.id not in slipped(one.study)], matcher)
    steps = [_Change(one, level) for one in of.parameters for level in (one.levels[1:] if one.field else [""])]
    main = [
        _row((step.parameter.name,), step.words, [((pair,), step) for pair in known.pairs(step)], known)
        for step in steps
    ]
    fields = [step for step in steps if step.parameter.field]
    crossed = [
        _row(
            (one.parameter.name, other.parameter.name),
            f"{one.words}, with {other.words}",
            [(found, one) for found in known.squares(one, other)],
            known,
        )
        for one, other in itertools.combinations(fields, 2)
        if one.parameter is not other.parameter
    ]
    return EffectsFound(_sorted([_with_others(one, crossed) for one in main]), _sorted(crossed))


def _with_others(row: EffectRow, crossed: Sequence[EffectRow]) -> EffectRow:
    """A row whose verdict says where its parameter matters with another one alone."""
    others_too = [one for one in crossed if row.parameters[0] in one.parameters]
    then, now = row.then, row.now
    if then and then.verdict in _OPEN and any(one.then and one.then.verdict == "matters" for one in others_too):
        then = replace(then, verdict="matters with others")
    if now and now.verdict == "undecided" and any(one.now and one.now.verdict == "matters" for one in others_too):
        now = replace(now, verdict="matters with others")
    return replace(row, then=then, now=now)


class _Known:
    """The cells of a question, and their partners at other levels."""

    def __init__(self, of: Effects, cells: Sequence[PublishedValue], matcher: Matcher) -> None:
        self.of = of
        self.cells = cells
        self.ids = {one.id for one in cells}
        self.matcher = matcher

    def pairs(self, step: _Change) -> list[_Pair]:
        """The cells at the step's level, each with its partner at the first level."""
        return [(one, other) for one in self.cells if (other := self._partner(one, step)) is not None]

    def squares(self, first: _Change, second: _Change) -> list[tuple[_Pair, _Pair]]:
        """The pairs of the first step at the level of the second one, each with the pair at its first level."""
        found = []
        for one, other in self.pairs(first):
            below = self._partner(one, second), self._partner(other, second)
            if below[0] is not None and below[1] is not None:
                found.append(((one, other), (below[0], below[1])))
        return found

    def _partner(self, one: PublishedValue, step: _Change) -> PublishedValue | None:
        parameter = step.parameter
        if not parameter.field:
            found = reference(one, self.matcher.of)
            return found if found is not None and found.id not in slipped(one.study) else None
        parts = text_of(one, parameter.field).split("-")
        if step.level not in parts:
            return None
        first = "-".join(parameter.levels[0] if part == step.level else part for part in parts)
        changes = {**dict.fromkeys(parameter.free, ANY), parameter.field: first}
        return next((other for other in others(one, changes) if other is not one and other.id in self.ids), None)

    def then(self, pair: _Pair, step: _Change) -> float | None:
        """The printed ratio of a pair: of values, or of efficiencies."""
        ratio = ratio_then(*pair)
        bare = self._bare(pair, step)
        if ratio is None or bare is None:
            return ratio
        mine, theirs = bare
        if mine is None or theirs is None:
            return None
        natives = ratio_then(mine, theirs)
        return None if natives is None else ratio / natives

    def now(self, pairs: Sequence[_Pair], step: _Change) -> Paired | None:
        """The first pair by the others, in the first campaign that has all of them; None where none has."""
        for campaign in self.matcher.campaigns_for(pairs[0][0]):
            of = [self._in(campaign, pair, step) for pair in pairs]
            if all(of):
                shared = sorted(set[int].intersection(*(set(one) for one in of)))
                return campaign, {block: of[0][block] - math.fsum(one[block] for one in of[1:]) for block in shared}
        return None

    def _in(self, campaign: int, pair: _Pair, step: _Change) -> Logs:
        """The ratio of a pair in a campaign; empty where that does not have both cells."""
        matcher = self.matcher.within(campaign)
        found = [matcher.find(one) for one in pair]
        if not all(isinstance(of, Found) and self._fits(one, of) for one, of in zip(pair, found, strict=True)):
            return {}
        compared = ratio_now(*pair, matcher)
        if compared is None:
            return {}
        if self._bare(pair, step) is None:
            return compared[1]
        natives = [one.against for one in found if isinstance(one, Found)]
        below = logs(natives[0], natives[1], pair[0].better)
        return {block: compared[1][block] - below[block] for block in compared[1].keys() & below.keys()}

    def _fits(self, value: PublishedValue, found: Found) -> bool:
        """Whether an environment has the bits of the cell that it stands for, where bits are a parameter."""
        if all(one.field != "bits" for one in self.of.parameters):
            return True
        bits = next(one.place.bits for one in self.matcher.series[found.campaign] if one.place.name == found.by)
        return value.bits in (None, bits)

    def _bare(self, pair: _Pair, step: _Change) -> tuple[PublishedValue | None, PublishedValue | None] | None:
        """The references of both cells; None where they do not count, or are the same cell."""
        if self.of.of == "value" or not step.parameter.field:
            return None
        mine, theirs = (reference(one, self.matcher.of) for one in pair)
        if mine is not None and theirs is not None and mine.id == theirs.id:
            return None
        left_out = slipped(pair[0].study)
        return tuple(None if one is None or one.id in left_out else one for one in (mine, theirs))  # type: ignore[return-value]


_Compared = Sequence[tuple[tuple[_Pair, ...], _Change]]
"""Of an effect its pairs, one by one; of an interaction two pairs each, the second of which is divided by."""


def _row(parameters: tuple[str, ...], change: str, compared: _Compared, known: _Known) -> EffectRow:
    printed: list[float] = []
    measured: list[Paired] = []
    for pairs, step in compared:
        then = [known.then(pair, step) for pair in pairs]
        if None not in then:
            numbers = [math.log(one) for one in then if one is not None]
            printed.append(numbers[0] - math.fsum(numbers[1:]))
        now = known.now(pairs, step)
        measured += [] if now is None else [now]
    return EffectRow(parameters, change, _printed(printed), _measured(measured))


def _printed(of: Sequence[float]) -> PrintedEffect | None:
    if not of:
        return None
    mean = statistics.fmean(of)
    side = sum(one * mean > 0 for one in of) / len(of)
    verdict: Influence = "undecided"
    within = sum(map(_within, of))
    if len(of) == 1:
        verdict = "one pair only"
    elif within == len(of):
        verdict = "does not matter"
    elif side > MOST and not _within(mean):
        verdict = "matters"
    return PrintedEffect(math.exp(mean), math.exp(min(of)), math.exp(max(of)), len(of), side, within, verdict)


def _measured(of: Sequence[Paired]) -> MeasuredEffect | None:
    """The mean over the pairs of all campaigns."""
    some = taking_part(of)
    found = joined(some)
    if found is None:
        return None
    low, high = (None if one is None else math.log(one) for one in (found.low, found.high))
    verdict: Influence = "undecided"
    if low is not None and high is not None:
        border = math.log1p(MARGIN), math.log1p(-MARGIN)
        if low > border[0] or high < border[1]:
            verdict = "matters"
        elif _within(low) and _within(high) and all(_within(statistics.fmean(one.values())) for _, one in some):
            verdict = "does not matter"
    return MeasuredEffect(found, len(some), verdict, campaigns_of(some))


def _within(log: float) -> bool:
    """Whether a ratio lies within the margin."""
    return math.log1p(-MARGIN) <= log <= math.log1p(MARGIN)


def _sorted(rows: Sequence[EffectRow]) -> tuple[EffectRow, ...]:
    """Those that have a number, the largest printed effect first."""

    def size(row: EffectRow) -> float:
        ratio = row.then.ratio if row.then else row.now.ratio.value if row.now else 1.0
        return abs(math.log(ratio))

    return tuple(sorted((row for row in rows if row.then or row.now), key=lambda row: -size(row)))
