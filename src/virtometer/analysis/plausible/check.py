"""All findings of tables: direct contradictions first, then arithmetic, then what does not fit the pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.plausible.conflicts import accused, conflicts
from virtometer.analysis.plausible.forms import discovered
from virtometer.analysis.plausible.grid import Accused, Grid, Mask, Place
from virtometer.analysis.plausible.order import above_limits, broken_orders, wrong_ranges, wrong_ranks
from virtometer.analysis.plausible.pattern import pattern
from virtometer.analysis.plausible.relations import Relation, misnamed, named
from virtometer.analysis.plausible.repairs import base_cells, base_values, repairs
from virtometer.analysis.plausible.repeats import duplicated_rows, echoes, repeated_values
from virtometer.analysis.plausible.signs import lost_signs
from virtometer.analysis.plausible.twice import printed_twice


@dataclass(frozen=True, slots=True)
class Implausible:
    """One finding. table: name of the grid, or empty. row, column: labels; one is empty for a whole row or column.

    rule: a name of `RULES`. value: None for a whole line. expected: None where arithmetic does not say. printed,
    expected_text: both in digits. others: table, row and column of cells of which one may be wrong instead.
    """

    table: str
    row: str
    column: str
    rule: str
    reason: str
    value: float | None
    expected: float | None
    printed: str = ""
    expected_text: str = ""
    others: tuple[tuple[str, str, str], ...] = ()


def check(grids: Iterable[Grid]) -> list[Implausible]:
    """All findings of tables, in the order of their cells. A cell is accused once."""
    tables = [*grids]
    twice = printed_twice(tables)
    return [
        finding
        for at, grid in enumerate(tables)
        for finding in _findings(grid, twice.get(at, {}) | _of_grid(grid.in_one_unit()))
    ]


class _Found:
    """Accusations of a table: the first one of each cell. mask: cells, rows x columns."""

    def __init__(self, grid: Grid) -> None:
        self.accused: dict[Place, Accused] = {}
        self.mask: Mask = np.zeros(grid.values.shape, dtype=np.bool_)

    def add(self, made: Iterable[Accused]) -> None:
        for one in made:
            self.accused.setdefault(one.place, one)
            if min(one.place) >= 0:
                self.mask[one.place] = True


def _of_grid(whole: Grid) -> dict[Place, Accused]:
    """All accusations that a table supports alone. Restored cells confirm arithmetic, and nothing else."""
    grid = whole.without_restored()
    found = _Found(grid)
    doubles = duplicated_rows(grid)
    found.add(_both_ways(wrong_ranges, grid))
    found.add(_both_ways(wrong_ranks, grid))
    of = pattern(base_values(grid), grid.halves)
    broken, held = conflicts(_relations(whole), grid)
    found.add(one for one in _both_ways(above_limits, grid) if not held[one.place])
    found.add(accused(broken, held, grid, of, echoes(grid)))
    found.add(misnamed(whole, "column"))
    found.add(one.turned() for one in misnamed(whole.turned(), "row"))
    found.add(lost_signs(grid))
    single = np.ones(grid.values.shape, dtype=np.bool_)
    single[[later for _, later in doubles], :] = False
    confirmed = held > 0
    for place in {place for one in broken for place in one.solutions}:
        confirmed[place] = True  # what does not follow there is explained already
    free = single & ~confirmed
    found.add(repairs(grid, base_cells(grid) & single & ~found.mask, confirmed))
    found.add(repeated_values(grid, of, free & ~found.mask))
    if not doubles:
        for one in broken_orders(grid):
            if free[one.place] and not found.mask[:, one.place[1]].any():
                found.add([one])
        for one in broken_orders(grid.turned()):
            if free[one.place[::-1]] and not found.mask[one.place[1], :].any():
                found.add([one.turned()])
    found.add(
        Accused((later, -1), "duplicated row", f"all numbers are those of {grid.rows[earlier]}")
        for earlier, later in doubles
    )
    return found.accused


def _both_ways(look: Callable[[Grid], Iterator[Accused]], grid: Grid) -> Iterator[Accused]:
    """What is found in columns, then in rows."""
    yield from look(grid)
    for one in look(grid.turned()):
        yield one.turned()


def _relations(grid: Grid) -> Iterator[tuple[bool, Relation]]:
    """Relations between columns, then those between rows (True), each time the named ones first."""
    for is_turned, here in ((False, grid), (True, grid.turned())):
        of_labels = [*named(here)]
        for one in (*of_labels, *discovered(here, {of.target for of in of_labels})):
            yield is_turned, one


def _findings(grid: Grid, found: dict[Place, Accused]) -> Iterator[Implausible]:
    """In the order of cells, with labels and digits."""
    for (row, column), of in sorted(found.items()):
        cell = grid.cells[row][column] if min(row, column) >= 0 else None
        label, row_label = grid.columns[column] if column >= 0 else "", grid.rows[row] if row >= 0 else ""
        if cell is None:
            yield Implausible(grid.name, row_label, label, of.rule, of.reason, None, None)
            continue
        text = "" if of.expected is None else cell.like(of.expected)
        others = tuple((grid.name, grid.rows[one], grid.columns[other]) for one, other in of.others) + of.elsewhere
        yield Implausible(
            grid.name, row_label, label, of.rule, of.reason, cell.value, of.expected, cell.text, text, others
        )
