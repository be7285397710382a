"""The same quantity in several tables, with different values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from virtometer.analysis.plausible.grid import Accused, Grid, Place, Printed

_Cell = tuple[int, Place, Printed]
"""Table, place and number of a cell."""


def printed_twice(grids: Sequence[Grid]) -> dict[int, dict[Place, Accused]]:
    """Of each table, by its index, the cells whose quantity most other tables print with another value.

    Quantities that a table prints several times are left out: its labels say what differs. Of two tables the later one
    is accused.
    """
    cells: dict[tuple[str, ...], list[_Cell]] = defaultdict(list)
    for at, grid in enumerate(grids):
        often = Counter(grid.quantities.values())
        for place, quantity in grid.quantities.items():
            cell = grid.cells[place[0]][place[1]]
            if often[quantity] == 1 and cell is not None and cell.high is None:
                cells[quantity].append((at, place, cell))
    found: dict[int, dict[Place, Accused]] = defaultdict(dict)
    for alike in cells.values():
        usual = max(alike, key=lambda one: sum(_equal(one[2], other[2]) for other in alike))  # the first of several
        for at, place, cell in alike:
            if not _equal(cell, usual[2]):
                found[at][place] = _contradiction(place, grids, usual)
    return found


def _equal(one: Printed, other: Printed) -> bool:
    """Whether rounding explains the difference, or digits that one of both leaves out."""
    step = max(one.step, other.step) if one.step != other.step else one.step / 2
    return abs(one.value - other.value) <= max(step, (one.step + other.step) / 2) * (1 + 1e-9)


def _contradiction(place: Place, grids: Sequence[Grid], usual: _Cell) -> Accused:
    at, (row, column), cell = usual
    where = grids[at].name, grids[at].rows[row], grids[at].columns[column]
    words = f"table {where[0]} has {cell.text} in {where[1]}, {where[2]}"
    return Accused(place, "contradiction", words, cell.value, elsewhere=(where,))
