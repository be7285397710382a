"""Rows and values that stand twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from virtometer.analysis.plausible.grid import Accused, Grid, Mask, Place, Printed
from virtometer.analysis.plausible.labels import DERIVED
from virtometer.analysis.plausible.pattern import Pattern

_FEWEST_DIGITS = 6  # of a row, which chance does not repeat
_MOST = 0.25  # of the rows: more repeat because the quantity is constant
_SELDOM = 0.05  # expected number of repeats by chance in a whole table
_STRANGE = 4.0
_FEWEST_OF_CELL = 3  # digits of a single number that may be repeated
_FEWEST_OF_ECHO = 4


def duplicated_rows(grid: Grid) -> list[tuple[int, int]]:
    """Rows that repeat an earlier one in all numbers: (earlier, later)."""
    first: dict[tuple[str, ...], int] = {}
    found = []
    for row, cells in enumerate(grid.cells):
        texts = tuple("" if cell is None else cell.text for cell in cells)
        earlier = first.setdefault(texts, row)
        numbers = [cell for cell in cells if cell is not None] if earlier != row else []
        if len(numbers) >= 2 and sum(_digits(one) for one in numbers) >= _fewest(numbers):
            found.append((earlier, row))
    return found if len(found) <= max(1, _MOST * len(grid.rows)) else []


def _fewest(numbers: Sequence[Printed]) -> int:
    """Digits of a row that chance does not repeat: counts of the same things are often equal."""
    return _FEWEST_DIGITS * (2 if all(one.step >= 1 for one in numbers) else 1)


def repeated_values(grid: Grid, of: Pattern, free: Mask) -> Iterator[Accused]:
    """Cells that print the number of a neighbour: the likelier wrong one of the two.

    free: cells that may be accused, and whose number is that of no duplicated row or wrong cell.
    """
    base, strange = _base(grid), of.strangeness
    equal = [*_equal_neighbours(grid, base & _has_digits(grid, _FEWEST_OF_CELL))]
    seldom = len(equal) in (1, 2) and _by_chance(grid, base) <= _SELDOM * len(equal)
    for one, other in equal:
        clearly = strange[one] > max(2 * strange[other], _STRANGE)  # else the later one is taken for the copy
        odd, even = (one, other) if clearly else (other, one)
        if free[odd] and (seldom or strange[odd] > _STRANGE > strange[even]):
            if _equal_ranks(grid, one, other):
                continue
            words = f"the same number as in {grid.rows[even[0]]}, {grid.columns[even[1]]}"
            yield Accused(odd, "repeated value", words)


def _equal_ranks(grid: Grid, one: Place, other: Place) -> bool:
    """Whether a column of ranks has the same rank for both rows."""
    ranks = [column for column, what in enumerate(grid.column_roles) if what == "rank"]
    return one[1] == other[1] and any(grid.values[one[0], rank] == grid.values[other[0], rank] for rank in ranks)


def echoes(grid: Grid) -> Mask:
    """Cells with four digits or more that print the number of a neighbour."""
    found = np.zeros(grid.values.shape, dtype=np.bool_)
    for one, other in _equal_neighbours(grid, _base(grid) & _has_digits(grid, _FEWEST_OF_ECHO)):
        found[one] = found[other] = True
    return found


def _base(grid: Grid) -> Mask:
    """Cells that are calculated from no others, are no counts and not zero."""
    return np.asarray(grid.lines_without(DERIVED, DERIVED | {"count"}) & np.isfinite(grid.values) & (grid.values != 0))


def _equal_neighbours(grid: Grid, base: Mask) -> Iterator[tuple[Place, Place]]:
    """Pairs of cells below or beside each other that print the same text, the earlier one first."""
    texts = grid.texts
    below, beside = np.zeros(base.shape, dtype=np.bool_), np.zeros(base.shape, dtype=np.bool_)
    below[:-1] = (texts[:-1] == texts[1:]) & base[:-1] & base[1:]
    beside[:, :-1] = (texts[:, :-1] == texts[:, 1:]) & base[:, :-1] & base[:, 1:]
    for row, column in np.argwhere(below | beside).tolist():
        for other, equal in (((row + 1, column), below), ((row, column + 1), beside)):
            if equal[row, column]:
                yield (row, column), other


def _by_chance(grid: Grid, base: Mask) -> float:
    """How many neighbours chance makes equal: of each pair a unit of the last digit, by the usual difference."""
    expected = 0.0
    for values, halves, known in ((grid.values, grid.halves, base), (grid.values.T, grid.halves.T, base.T)):
        for line in range(len(values)):
            numbers = values[line][known[line]]
            differences = np.abs(np.diff(numbers))
            differences = differences[differences > 0]
            gap = float(np.median(differences)) if len(differences) >= 2 else 0.0
            pairs = known[line, :-1] & known[line, 1:]
            steps = 2 * np.maximum(halves[line, :-1], halves[line, 1:])[pairs]
            expected += float(np.minimum(1.0, steps / gap).sum()) if gap > 0 else float(len(steps))
    return expected


def _has_digits(grid: Grid, fewest: int) -> Mask:
    """Cells whose numbers have so many digits."""
    return np.asarray(grid.of_cells(lambda cell: cell is not None and _digits(cell) >= fewest, np.bool_))


def _digits(cell: Printed) -> int:
    """Digits that stand there, without leading zeros."""
    return len("".join(char for char in cell.text if char.isdecimal()).lstrip("0"))
