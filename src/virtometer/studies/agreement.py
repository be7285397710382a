"""Whether cells agree with the claims of a study: printed ones, or new ones with their intervals. PURE."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Literal

from virtometer.counted import counted
from virtometer.studies.bounds import Bounded, Region, geometric_mean, of_printed
from virtometer.studies.data import NOWHERE, Claim, PublishedValue, claims
from virtometer.studies.rules import NEAR, Case, Holds, Rule, Scalar, field, rules, stated_range

Verdict = Literal["agrees", "disagrees", "undecided", "cannot be tried here"]
VERDICTS: tuple[Verdict, ...] = ("agrees", "disagrees", "undecided", "cannot be tried here")

Measured = Callable[[PublishedValue], Bounded | None]
"""What was measured for a printed cell, with its interval, in the unit of the cell; None where nothing was."""

Figure = Literal["ratio", "speed ratio", "loss", "gain", "difference", "value"]
"""What is judged. Speed ratio, loss and gain are of works: a speed ratio above 1 means that the subject is better."""

_OF_WORKS = frozenset({"speed ratio", "loss", "gain"})
_SHARES = frozenset({"fair", "unfair"})

SHORT_FORM = "measured in short form"
"""Of new cells that are from a campaign with less work than its plan has in full."""

NOT_PRINTED = "the study prints no number for it"
RESTATED = "the only printed number is the claim itself"
CHARTED = "its values are printed nowhere, so that only new cells decide it"
NOT_MEASURED = "no cell of it is measured"


@dataclass(frozen=True, slots=True)
class Compared:
    """Two cells, or one that is judged alone, with their numbers, and the figure that is made of them.

    ratio: subject over reference, or of their works where the figure is of works. None without a reference.
    holds: whether the figure is in the region of the claim; None where its bounds lie on both sides of a border.
    """

    subject: PublishedValue
    reference: PublishedValue | None
    subject_number: Bounded
    reference_number: Bounded | None
    ratio: Bounded | None
    figure: Bounded
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict with its numbers.

    reason: why it cannot be tried; empty otherwise. figure: what `pairs` and `mean` have. region: where the figure
    agrees with the claim. mean: the figure of the geometric mean of all ratios, where the claim is judged by it.
    of: how many pairs the claim has; less than these are compared where some are not measured. left_out: ids of cells
    that are printed with a slip, and are in no pair.
    """

    verdict: Verdict
    reason: str = ""
    figure: Figure = "ratio"
    region: Region | None = None
    mean: Bounded | None = None
    pairs: tuple[Compared, ...] = ()
    of: int = 0
    left_out: tuple[str, ...] = ()

    @property
    def holding(self) -> int:
        """In how many pairs the claim holds."""
        return sum(pair.holds is True for pair in self.pairs)

    @property
    def words(self) -> str:
        """The verdict, with the reason where there is one."""
        return f"{self.verdict}: {self.reason}" if self.reason else self.verdict


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim with its verdicts: by the printed cells of the studies, and by new ones. new: None without campaigns.

    short_form: names of the campaigns in short form that new cells are from.
    """

    claim: Claim
    rule: Rule
    published: Outcome
    new: Outcome | None
    short_form: tuple[str, ...] = ()

    @property
    def here(self) -> str:
        """The verdict of the new cells in words, and whether a short form measured them; empty without campaigns."""
        said = "" if self.new is None else self.new.words
        return f"{said} ({SHORT_FORM})" if self.short_form else said

    @property
    def claim_id(self) -> str:
        """The id without the study: c001."""
        return self.claim.claim_id.rpartition("/")[2]

    @property
    def note(self) -> str:
        """What a reader should know: the note of the rule, and which printed cells are left out."""
        why = Counter(self.rule.slipped[name] for name in self.published.left_out)
        return " ".join(
            [self.rule.note, *(f"Left out: {counted(n, 'cell')}, {words}." for words, n in why.items())]
        ).strip()


def claims_table(study: str, measured: Measured | None = None) -> tuple[ClaimRow, ...]:
    """All claims of a study, in its order, each with its verdicts. Empty for an unknown study.

    measured: the new value of a printed cell, with its interval, in the unit of the cell.
    """
    of = rules(study) if claims(study) else {}
    return tuple(
        ClaimRow(
            claim=claim,
            rule=of[claim.claim_id],
            published=by_printed(claim, of[claim.claim_id]),
            new=None if measured is None else by_measured(claim, of[claim.claim_id], measured),
        )
        for claim in claims(study)
    )


def by_printed(claim: Claim, rule: Rule) -> Outcome:
    """The verdict of the printed cells, with what rounding allows. Cells that are printed with a slip are left out."""
    if rule.restates:
        return Outcome("cannot be tried here", RESTATED)
    charted = any(cell.status == NOWHERE for case in rule.cases for cell in case.subject_cells())
    return evaluate(claim, rule, of_printed, CHARTED if charted else NOT_PRINTED, rule.slipped.keys())


def by_measured(claim: Claim, rule: Rule, measured: Measured) -> Outcome:
    """The verdict of new cells. A claim whose environments do not run here cannot be tried."""
    if claim.untried:
        return Outcome("cannot be tried here", claim.untried)
    return evaluate(claim, rule, measured, NOT_MEASURED)


def evaluate(claim: Claim, rule: Rule, number_of: Measured, without: str, slipped: Set[str] = frozenset()) -> Outcome:
    """The verdict of cells whose numbers are given. without: the reason where no pair of cells has numbers.

    A claim that must hold in each pair is contradicted by one; a claim for most pairs by half of them. A mean that
    agrees while no pair does decides nothing. slipped: ids of cells that are left out, with the pairs they are in.
    """
    if rule.undecidable:
        return Outcome("cannot be tried here", rule.undecidable)
    figure, region = _figure(claim, rule), _region(claim, rule)
    every = [cells for case in rule.cases for cells in _candidates(rule, case)]
    candidates = [kept for cells in every if (kept := _without(cells, slipped, rule))]
    left_out = tuple(dict.fromkeys(cell.id for cells in every for cell in cells if cell.id in slipped))
    of = sum(len(cells) - 1 if rule.along else 1 for cells in candidates)
    numbered = [pair for cells in candidates for pair in _numbered(rule, cells, number_of)]
    if not numbered:
        return Outcome("cannot be tried here", without, figure, region, of=of, left_out=left_out)
    pairs = tuple(_compared(figure, region, *pair) for pair in numbered)
    mean = None
    if rule.holds == "mean":
        mean = _of_ratio(figure, geometric_mean(pair.ratio for pair in pairs if pair.ratio is not None))
        answer = region.holds(mean)
        if answer and not any(pair.holds for pair in pairs):
            answer = None
    else:
        answer = _of_all([pair.holds for pair in pairs], rule.holds)
    verdict: Verdict = "undecided" if answer is None else "agrees" if answer else "disagrees"
    return Outcome(verdict, "", figure, region, mean, pairs, of, left_out)


def counts(outcomes: Iterable[Outcome]) -> dict[Verdict, int]:
    """How many outcomes have each verdict."""
    found = [one.verdict for one in outcomes]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


_Pair = tuple[PublishedValue, Bounded, PublishedValue | None, Bounded | None]
_Cells = tuple[PublishedValue, ...]


def _without(cells: _Cells, slipped: Set[str], rule: Rule) -> _Cells:
    """The cells of a candidate without those that slipped; none where a pair has lost one."""
    kept = tuple(cell for cell in cells if cell.id not in slipped)
    return kept if len(kept) == len(cells) or rule.along or rule.relation in _SHARES else ()


def _numbered(rule: Rule, cells: _Cells, number_of: Measured) -> Iterator[_Pair]:
    """The cells of a candidate that are compared, with their numbers: steps of a trend, or the greatest and the least.

    Cells without a number are left out.
    """
    numbered = [(cell, one) for cell in cells if (one := number_of(cell)) is not None]
    if rule.along:
        yield from ((*after, *before) for before, after in itertools.pairwise(numbered))
    elif rule.relation in _SHARES and len(numbered) > 1:
        by_value = sorted(numbered, key=lambda one: one[1].value)
        yield (*by_value[-1], *by_value[0])
    elif rule.relation not in _SHARES and len(numbered) == len(cells):
        subject, number = numbered[0]
        yield (subject, number, *(numbered[1] if len(numbered) > 1 else (None, None)))


def _candidates(rule: Rule, case: Case) -> Iterator[_Cells]:
    """The cells of each comparison: a trend, the shares of guests, a subject with its reference, a subject alone."""
    subjects = case.subject_cells()
    if rule.along or rule.relation in _SHARES:
        yield from _groups(rule, case)
    elif not case.references:
        yield from ((cell,) for cell in subjects)
    else:
        references = [(cell, [field(cell, name) for name in case.same]) for cell in case.reference_cells()]
        for cell in subjects:
            mine = [field(cell, name) for name in case.same]
            yield from ((cell, other) for other, theirs in references if _alike(mine, theirs))


def _groups(rule: Rule, case: Case) -> Iterator[_Cells]:
    """The cells of each trend in its order, or the members of each group of guests."""
    name, order = rule.along or ("", ())
    groups: dict[tuple[object, ...], list[PublishedValue]] = {}
    for cell in case.subject_cells():
        key = tuple(field(cell, one) for one in case.same if one != name)
        groups.setdefault(key, []).append(cell)
    for group in groups.values():
        if not name:
            yield tuple(group)
            continue
        first = {field(cell, name): cell for cell in reversed(group)}
        yield tuple(first[one] for one in order if one in first)


def _alike(mine: Iterable[Scalar], theirs: Iterable[Scalar]) -> bool:
    """Whether two cells agree in all fields of which the study says something for both."""
    return all(
        one == other or one in ("", None) or other in ("", None) for one, other in zip(mine, theirs, strict=True)
    )


def _compared(
    figure: Figure,
    region: Region,
    subject: PublishedValue,
    number: Bounded,
    reference: PublishedValue | None,
    other: Bounded | None,
) -> Compared:
    if other is None:
        return Compared(subject, None, number, None, None, number, region.holds(number))
    ratio = other.over(number) if figure in _OF_WORKS and subject.better == "lower" else number.over(other)
    found = number.minus(other) if figure == "difference" else _of_ratio(figure, ratio)
    return Compared(subject, reference, number, other, ratio, found, region.holds(found))


def _figure(claim: Claim, rule: Rule) -> Figure:
    """What is judged. A gain or loss that is stated in a unit of its own is a difference."""
    if rule.relation == "loss":
        return "loss"
    if rule.relation == "gain":
        return "gain" if claim.unit in {"", "share"} else "difference"
    if rule.relation in {"faster than", "slower than", "influence", *NEAR}:
        return "speed ratio"
    return "value" if rule.relation in {"value", "limit"} else "ratio"


def _of_ratio(figure: Figure, ratio: Bounded) -> Bounded:
    if figure == "loss":
        return ratio.turned()
    return Bounded(ratio.value - 1, ratio.low - 1, ratio.high - 1) if figure == "gain" else ratio


def _region(claim: Claim, rule: Rule) -> Region:
    """Where the figure must lie."""
    relation = rule.relation
    if relation in NEAR or relation == "influence":
        return Region(1 - rule.margin, 1 + rule.margin, outside=relation == "influence")
    if relation in _SHARES:
        return Region(1, 1 + rule.margin, outside=relation == "unfair")
    if relation in {"faster than", "higher than", "trend up"}:
        return Region(1, math.inf, open=True)
    if relation in {"slower than", "lower than", "trend down"}:
        return Region(-math.inf, 1, open=True)
    stated = stated_range(rule, claim.unit)
    if stated is None:
        return Region(0, math.inf, open=True)
    return Region(*stated)


def _of_all(answers: list[bool | None], holds: Holds) -> bool | None:
    """One answer of several: all must hold, more than half of them, or more than two thirds (`clearly`)."""
    right, wrong = answers.count(True), answers.count(False)
    if holds == "each":
        return False if wrong else True if right == len(answers) else None
    if 2 * wrong >= len(answers):
        return False
    enough = 3 * right > 2 * len(answers) if holds == "clearly" else 2 * right > len(answers)
    return True if enough else None
