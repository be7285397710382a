"""Arithmetic between two or three columns that no label names, found because nearly all rows follow it.

A form is a way to calculate one column from one or two others: a ratio, a loss, a difference, a fixed multiple. All
forms are tried for all columns at once, first on some rows alone. What these rows follow is then compared in all rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.plausible.grid import Grid
from virtometer.analysis.plausible.labels import hinted
from virtometer.analysis.plausible.relations import RULE_OF, Floats, Relation, Rows, judged

MOST_COLUMNS = 24
"""More columns than these are not searched."""

_ROWS_TRIED = 240
_FEWEST = 3  # rows that follow
_USUAL_FACTORS = (0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0, 4 / 3, 1.5, 2.0, 3.0, 4.0)  # of numbers of guests
_CHANCE = math.log(1e-4)  # that rows follow a relation that nobody named
_CHANCE_OF_MULTIPLE = math.log(1e-6)  # the same, of a multiple whose factor the rows themselves show
_CHANCE_BY_LABEL = math.log(1e-2)  # the same, where the label says that the column is a ratio or the like
_FAR = 0.05  # a value that deviates from a relation with a free factor is off by so much at least


@dataclass(frozen=True, slots=True)
class Operand:
    """Numbers of a column in some rows, and half a unit of the last digit of each. May stand for several columns.

    total, rounding: sum of the column over all rows, and of its halves.
    """

    values: Floats
    halves: Floats
    total: Floats
    rounding: Floats

    @property
    def error(self) -> Floats:
        """What rounding may have changed, as a share of the number."""
        return self.halves / np.abs(self.values)


Calculation = Callable[..., tuple[Floats, Floats]]
"""Takes operands, returns what the target should be and how far rounding of the operands moves it."""


@dataclass(frozen=True, slots=True)
class Form:
    """words: with a place for each operand. linear: factors of the operands, where it is a sum of them.

    free: the result is multiplied by a factor that all rows share, and that the rows themselves show. The calculation
    returns the error as a share then. ordered: the order of the operands counts. of: roles of targets that it is tried
    for; empty for all.
    """

    words: str
    calculate: Calculation
    linear: tuple[float, ...] = ()
    free: bool = False
    ordered: bool = True
    of: frozenset[str] = frozenset()


def _multiple(factor: float) -> Calculation:
    return lambda a: (factor * a.values, factor * a.halves)


def _share(factor: float) -> Calculation:
    def calculate(a: Operand) -> tuple[Floats, Floats]:
        part = factor * a.values / np.where(a.total == 0, np.nan, a.total)
        return part, np.abs(part) * (a.error + a.rounding / np.abs(a.total))

    return calculate


def _ratio(factor: float, sign: float, offset: float) -> Calculation:
    """Factor x (offset + sign x a / b)."""

    def calculate(a: Operand, b: Operand) -> tuple[Floats, Floats]:
        ratio = a.values / b.values
        return factor * (offset + sign * ratio), factor * np.abs(ratio) * (a.error + b.error)

    return calculate


_NAMED = frozenset(RULE_OF.values())
_FORMS_OF_ONE = (
    Form("of {}", lambda a: (a.values, a.error), free=True),
    Form("of 1 / {}", lambda a: (1 / a.values, a.error), free=True),
    *(Form(f"{factor:.3g} x {{}}", _multiple(factor), of=frozenset({"expected"})) for factor in _USUAL_FACTORS),
    Form("the share of {} in its sum", _share(1.0)),
    Form("the share of {} in its sum", _share(100.0)),
)
_FORMS_OF_TWO = (
    *(
        Form(f"{times}{words}", _ratio(factor, sign, offset))
        for factor, times in ((1.0, ""), (100.0, "100 x "))
        for words, sign, offset in (("{} / {}", 1.0, 0.0), ("(1 - {} / {})", -1.0, 1.0), ("({} / {} - 1)", 1.0, -1.0))
    ),
    Form("{} - {}", lambda a, b: (a.values - b.values, a.halves + b.halves), linear=(1.0, -1.0)),
    Form("{} + {}", lambda a, b: (a.values + b.values, a.halves + b.halves), linear=(1.0, 1.0), ordered=False),
    Form("of {} x {}", lambda a, b: (a.values * b.values, a.error + b.error), free=True, ordered=False),
    Form("of {} / {}", lambda a, b: (a.values / b.values, a.error + b.error), free=True, of=_NAMED),
)


def discovered(grid: Grid, explained: set[int]) -> list[Relation]:
    """Relations that nearly all rows follow: of the same columns the one with the fewest exceptions.

    explained: columns that follow from others already.
    """
    if len(grid.rows) < _FEWEST or not 2 <= len(grid.columns) <= MOST_COLUMNS:
        return []
    columns = np.flatnonzero(np.isfinite(grid.values).sum(axis=0) >= _FEWEST).tolist()
    best: dict[frozenset[int], Relation] = {}
    tried = math.log(max(len(columns), 2) ** 3)
    totals = np.nansum(grid.values, axis=0), np.nansum(grid.halves, axis=0)
    with np.errstate(all="ignore"):
        for target in columns:
            if target in explained:
                continue
            for one in _of_target(grid, totals, target, [column for column in columns if column != target]):
                if _credible(grid, one, tried):
                    key = frozenset((one.target, *one.members))
                    best[key] = max(best.get(key, one), one, key=_worth)
    return [*best.values()]


def _worth(of: Relation) -> tuple[int, bool]:
    """Which of several relations between the same columns counts: that of most rows, then that of a label."""
    return len(of.holds), of.rule != "contradiction"


def _credible(grid: Grid, of: Relation, tried: float) -> bool:
    """Whether so many rows follow by chance too seldom, and so few do not that these must be wrong."""
    rows = len(of.holds) + len(of.breaks)
    by_label = of.rule != "contradiction"
    fewest = _FEWEST - 1 if by_label and not of.free else _FEWEST
    if len(of.holds) < fewest or len(of.breaks) > max(1, rows // 5):
        return False
    printed = grid.values[:, of.target]
    spread = float(np.nanstd(printed))  # of numbers that have nothing to do with each other
    odds = np.minimum(1.0, 2 * of.reach / (np.maximum(0.2 * np.abs(printed), spread) + 1e-300))
    ranked = np.sort(np.log(odds[of.holds]))
    free = ranked[:-1] if of.free else ranked  # one row gives the factor
    limit = _CHANCE_BY_LABEL if by_label else _CHANCE_OF_MULTIPLE if of.free else _CHANCE
    return float(free.sum()) + tried < limit


def _of_target(grid: Grid, totals: tuple[Floats, Floats], target: int, others: Sequence[int]) -> Iterator[Relation]:
    """What a column may be calculated as, from one or two others: what may hold in some rows is compared in all."""
    rule = RULE_OF.get(hinted(grid.columns[target]), "contradiction")
    some = np.unique(np.linspace(0, len(grid.rows) - 1, min(len(grid.rows), _ROWS_TRIED)).round().astype(np.int64))
    pairs = [*itertools.permutations(others, 2)]
    for forms, sets in ((_FORMS_OF_ONE, [(one,) for one in others]), (_FORMS_OF_TWO, pairs)):
        if not sets:
            continue
        operands = [_operand(grid, totals, some, [members[place] for members in sets]) for place in range(len(sets[0]))]
        candidates: list[tuple[int, int]] = []
        for at, form in enumerate(forms):
            if form.of and rule not in form.of:
                continue
            expected, reach = form.calculate(*operands)
            likely = _may_hold(grid.values[some, target], grid.halves[some, target], expected, reach, form.free)
            candidates += [(at_set, at) for at_set in np.flatnonzero(likely).tolist()]
        for at_set, at in sorted(candidates):
            members, form = sets[at_set], forms[at]
            if form.ordered or members == tuple(sorted(members)):
                expected, reach = form.calculate(*(_operand(grid, totals, slice(None), [member]) for member in members))
                made = _free if form.free else _made
                yield from made(grid, target, members, expected[:, 0], reach[:, 0], rule, form)


def _operand(grid: Grid, totals: tuple[Floats, Floats], rows: Rows | slice, columns: Sequence[int]) -> Operand:
    values, halves = grid.values[rows][:, columns], grid.halves[rows][:, columns]
    return Operand(values, halves, totals[0][columns], totals[1][columns])


def _may_hold(own: Floats, half: Floats, expected: Floats, reach: Floats, free: bool) -> NDArray[np.bool_]:
    """Of several candidates, one a column: whether so many rows follow that comparing all is worth while."""
    own, half = own[:, None], half[:, None]
    if free:
        factor = own / expected
        known = np.isfinite(factor) & np.isfinite(reach) & (factor != 0)
        ranked = np.sort(np.where(known, factor, np.inf), axis=0)  # what is not known is last
        count = np.maximum(known.sum(axis=0), 1)[None]
        middle = sum(np.take_along_axis(ranked, at, axis=0) for at in ((count - 1) // 2, count // 2)) / 2
        near = np.abs(factor - middle) <= np.abs(factor) * (reach + half / np.abs(own)) + 1e-12 * np.abs(middle)
        return np.asarray((near & known).sum(axis=0) >= _FEWEST)
    known = np.isfinite(own) & np.isfinite(expected)
    near = known & (np.abs(own - expected) <= (reach + half) * (1 + 1e-9) + 1e-12 * np.abs(expected))
    follow, all_of = near.sum(axis=0), known.sum(axis=0)
    return np.asarray((follow >= _FEWEST) & (all_of - follow <= np.maximum(1, all_of // 5)))


def _made(
    grid: Grid, target: int, members: tuple[int, ...], expected: Floats, reach: Floats, rule: str, form: Form
) -> Iterator[Relation]:
    """A relation without a free factor."""
    reach = (reach + grid.halves[:, target]) * (1 + 1e-9) + 1e-12 * np.abs(expected)
    holds, breaks = judged(grid.values[:, target], expected, reach)

    def solve(row: int, member: int) -> float | None:
        if not form.linear:
            return None
        factors = dict(zip(members, form.linear, strict=True))
        rest = sum(factor * float(grid.values[row, one]) for one, factor in factors.items() if one != member)
        return (float(grid.values[row, target]) - rest) / factors[member]

    words = form.words.format(*(grid.columns[one] for one in members))
    yield Relation(rule, target, members, expected, reach, holds, breaks, words, solve)


def _free(
    grid: Grid, target: int, members: tuple[int, ...], base: Floats, error: Floats, rule: str, form: Form
) -> Iterator[Relation]:
    """The target is the same multiple of something in nearly all rows, as a product with a constant is."""
    own, half = grid.values[:, target], grid.halves[:, target]
    factor = own / base
    spread = np.abs(factor) * (error + half / np.abs(own))
    rows = np.flatnonzero(np.isfinite(factor) & np.isfinite(spread) & (factor != 0))
    if len(rows) < 4 or np.all(own[rows] == own[rows[0]]) or np.all(base[rows] == base[rows[0]]):
        return
    median = float(np.median(factor[rows]))
    near = rows[np.abs(factor[rows] - median) <= spread[rows] + 1e-12 * abs(median)]
    if len(near) < _FEWEST:
        return
    low, high = float((factor - spread)[near].max()), float((factor + spread)[near].min())
    common = (low + high) / 2 if low <= high else median
    expected = common * base
    reach = np.abs(expected) * (error + abs(high - low) / 2 / abs(common)) + half
    holds, breaks = judged(own, expected, reach)
    if (np.abs(own[breaks] / expected[breaks] - 1) < _FAR).any():
        return  # it may be a tendency with noise
    words = form.words.format(*(grid.columns[one] for one in members))

    def solve(row: int, member: int) -> float | None:
        """The base grows with a factor, and falls with a divisor."""
        share = float(own[row] / expected[row])
        divides = " / " in form.words and member == members[-1]
        return float(grid.values[row, member]) * (1 / share if divides else share)

    yield Relation(rule, target, members, expected, reach, holds, breaks, f"a fixed multiple {words}", solve, free=True)
