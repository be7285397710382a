"""Single changes of numbers that restore the pattern of a table: slips, and exchanges of neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.plausible.grid import Accused, Grid, Mask, Place
from virtometer.analysis.plausible.labels import DERIVED
from virtometer.analysis.plausible.pattern import LARGE, Floats, Pattern, near, pattern, roughness
from virtometer.analysis.plausible.slips import slips

_STRANGE = 4.5
_EXCHANGED = 3.2
_USUAL = 2.5
_STRANGE_DIGITS = 2.2  # of a small table, where two exchanged digits explain all but _CLOSE: chance does so seldom
_CLOSE = 1.3
_FEWEST_LINES = 3  # on each side, for more than slips of the decimal point
_LEFT = 0.25  # as a logarithm, between the changed number and its prediction
_LEFT_OF_FEW = 0.12  # where chance explains more: few lines, and digits
_LEFT_OF_ODD_LINE = 0.03  # where other cells of the line are odd in the same way
_LIKE = 1 / 3  # of a residual, in another cell of its line
_NO_PATTERN = 0.25  # spread of predictions, as a logarithm, which fits chance
_NEARER = 3.0  # to its prediction, after a change
_LEAST = 0.02  # change of a number, as a logarithm
_MOST = 40  # cells of a table that are looked at, the strangest first
_MOST_OF_LARGE = 400


@dataclass(frozen=True, slots=True)
class Repair:
    """changes: of each cell, the number that it should be. gain: by how much they make the table more even."""

    rule: str
    reason: str
    changes: dict[Place, float]
    gain: float


def repairs(grid: Grid, free: Mask, confirmed: Mask) -> Iterator[Accused]:
    """Cells whose change restores the pattern, the best change first. free: cells that may be changed.

    confirmed: cells whose number arithmetic confirms. Their exchange may leave a sum as it is.

    A small table is looked at again after each change. Of a large one all changes of one look are taken that are too
    far from each other to meet.
    """
    values = base_values(grid)
    large = values.size > LARGE
    left = free.copy()
    for _ in range(1 if large else max(1, values.size // 10)):
        of = pattern(values, grid.halves)
        ranked = sorted(_candidates(grid, values, of, left, confirmed), key=lambda one: -one.gain)
        for repair in ranked if large else ranked[:1]:
            if not all(left[place] for place in repair.changes):
                continue
            for place, value in repair.changes.items():
                yield Accused(place, repair.rule, repair.reason, value)
                values[place] = value
                if large:
                    left[_around(place, near(values.size))] = False
                left[place] = False
        if not ranked:
            return


def base_cells(grid: Grid) -> Mask:
    """Cells that are calculated from no others."""
    return np.asarray(grid.lines_without(DERIVED, DERIVED) & np.isfinite(grid.values))


def base_values(grid: Grid) -> Floats:
    """The numbers without those that are calculated from others."""
    return np.where(base_cells(grid), grid.values, np.nan)


def _candidates(grid: Grid, values: Floats, of: Pattern, free: Mask, confirmed: Mask) -> Iterator[Repair]:
    """Changes of the strangest cells that bring these close to their predictions."""
    odd = _strangest(of, free)
    lines = int(min(np.isfinite(of.logs).any(axis=side).sum() for side in (0, 1)))
    for place in odd:
        for rule, value, words in () if confirmed[place] else _slips(grid, of, place, lines):
            gain, spread = _gain(values, grid, {place: value})
            if spread <= _NO_PATTERN:
                yield Repair(rule, f"{words}, judged by its row and column", {place: value}, gain)
    for place in odd if lines >= _FEWEST_LINES else ():
        for other in ((place[0] + 1, place[1]), (place[0], place[1] + 1)):
            if other in odd and _exchange(of, place, other):
                change = {place: float(values[other]), other: float(values[place])}
                yield Repair(
                    "exchanged",
                    f"{_label(grid, place)} and {_label(grid, other)} are exchanged",
                    change,
                    _gain(values, grid, change)[0],
                )


def _strangest(of: Pattern, free: Mask) -> dict[Place, None]:
    """The cells farthest from their predictions, in order: at most 40, or 400 of a large table."""
    strange = np.where(free & np.isfinite(of.residuals), of.strangeness, 0.0).ravel()
    most = _MOST if strange.size <= LARGE else _MOST_OF_LARGE
    ranked = np.argsort(-strange, kind="stable")[:most]
    places = np.unravel_index(ranked[strange[ranked] > _STRANGE_DIGITS], free.shape)
    return dict.fromkeys((int(row), int(column)) for row, column in zip(*places, strict=True))


def _slips(grid: Grid, of: Pattern, place: Place, lines: int) -> Iterator[tuple[str, float, str]]:
    """Numbers of which a cell may be a slip, and which fit there. lines: of the table, the smaller number."""
    cell, strange = grid.cells[place[0]][place[1]], float(of.strangeness[place])
    if cell is None:
        return
    most = _LEFT_OF_ODD_LINE if _companion(of, place) else _LEFT
    for rule, value, words in slips(cell, by_arithmetic=False):
        if (
            value <= 0
            or abs(math.log(value / cell.value)) < _LEAST
            or (rule != "decimal point" and lines < _FEWEST_LINES)
        ):
            continue
        left = abs(of.residuals[place] + math.log(value / cell.value))
        after = left / of.spreads[place]
        if left > min(most, _LEFT if lines > _FEWEST_LINES and rule != "digits" else _LEFT_OF_FEW):
            continue
        clear = strange > _STRANGE and after < min(2.4 * _USUAL, max(_USUAL, strange / 12))
        if after < strange / _NEARER and (clear or (rule == "digits" and after < _CLOSE and of.logs.size <= LARGE)):
            yield rule, value, words


def _companion(of: Pattern, place: Place) -> bool:
    """Whether another cell of the row or column deviates in the same direction: then the line is odd, not the cell."""
    own = float(of.residuals[place])
    row, column = np.delete(of.residuals[place[0]], place[1]), np.delete(of.residuals[:, place[1]], place[0])
    with np.errstate(all="ignore"):
        return bool((row / own > _LIKE).any() or (column / own > _LIKE).any())


def _exchange(of: Pattern, one: Place, other: Place) -> bool:
    """Whether both fit in the place of the other."""
    step = float(of.logs[other] - of.logs[one])
    ends = [(one, step), (other, -step)]
    after = [abs(of.residuals[place] + change) / of.spreads[place] for place, change in ends]
    before = [abs(of.residuals[place]) / of.spreads[place] for place, _ in ends]
    return (
        abs(step) > _LEAST
        and min(before) > _EXCHANGED
        and all(a < min(2.4 * _USUAL, max(_USUAL, b / 8)) and a < b / 4 for a, b in zip(after, before, strict=True))
    )


def _label(grid: Grid, place: Place) -> str:
    return f"({grid.rows[place[0]]}, {grid.columns[place[1]]})"


def _around(place: Place, lines: int) -> tuple[slice, slice]:
    """The part of a table that is at most so many lines away."""
    row, column = (slice(max(0, at - lines), at + lines + 1) for at in place)
    return row, column


def _gain(values: Floats, grid: Grid, change: dict[Place, float]) -> tuple[float, float]:
    """By how much a change makes the table more even, and the largest spread of predictions of the changed cells.

    A change moves the predictions of cells near it, and these depend on cells as far away again: no more is compared.
    """
    within = near(values.size)
    part = _around(min(change), 2 * within + 1)
    before, halves = values[part], grid.halves[part]
    after = before.copy()
    places = [(row - part[0].start, column - part[1].start) for row, column in change]
    for place, value in zip(places, change.values(), strict=True):
        after[place] = value
    of = pattern(after, halves, within)
    gain = _unevenness(pattern(before, halves, within)) - _unevenness(of)
    return gain, max(float(of.spreads[place]) for place in places)


def _unevenness(of: Pattern) -> float:
    """First by the pattern, then by neighbours."""
    return float(np.nansum(np.abs(of.residuals))) + 0.01 * roughness(of.logs)
