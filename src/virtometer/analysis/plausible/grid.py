"""A printed table: labels, and numbers with the digits that stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.plausible.labels import role

Place = tuple[int, int]
"""Row and column of a cell, from 0; labels are not counted."""

Mask = NDArray[np.bool_]
"""Some cells of a table, rows x columns."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number. step: one unit of its last digit. high: the upper end, where a range is printed."""

    text: str
    value: float
    step: float
    high: float | None = None

    def like(self, value: float) -> str:
        """Another value with as many digits after the decimal point."""
        decimals = max(0, -round(float(np.log10(self.step)))) if self.step > 0 else 0
        return f"{value:.{decimals}f}" if self.step < 10 or abs(value) < 1 else f"{value:.0f}"


@dataclass(frozen=True)
class Grid:
    """A table. cells: by row, None where no number is printed. name: of the table, or empty.

    quantities: what a cell says, where that is known: cells of several tables with the same one should be equal.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Printed | None, ...], ...]
    quantities: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The numbers, rows x columns; not a number where none is printed."""
        made = (np.nan if cell is None else cell.value for row in self.cells for cell in row)
        return np.fromiter(made, np.float64).reshape(len(self.rows), len(self.columns))

    @cached_property
    def halves(self) -> NDArray[np.float64]:
        """Half a unit of the last printed digit, rows x columns: what rounding may have changed."""
        made = (np.nan if cell is None else cell.step / 2 for row in self.cells for cell in row)
        return np.fromiter(made, np.float64).reshape(len(self.rows), len(self.columns))

    @cached_property
    def row_roles(self) -> tuple[str, ...]:
        """What the label of each row says; empty where that is nothing of `labels`."""
        return tuple(role(label) for label in self.rows)

    @cached_property
    def column_roles(self) -> tuple[str, ...]:
        """What the label of each column says."""
        return tuple(role(label) for label in self.columns)

    def lines_without(self, of_rows: Set[str], of_columns: Set[str]) -> Mask:
        """Cells in rows and columns whose roles are none of these."""
        rows = np.array([what not in of_rows for what in self.row_roles], dtype=np.bool_)
        columns = np.array([what not in of_columns for what in self.column_roles], dtype=np.bool_)
        return np.asarray(rows[:, None] & columns[None, :])

    def turned(self) -> Grid:
        """Rows and columns exchanged, without quantities."""
        return self._turned

    @cached_property
    def _turned(self) -> Grid:
        made = Grid(self.name, self.columns, self.rows, tuple(zip(*self.cells, strict=True)))
        made.__dict__.update(values=self.values.T, halves=self.halves.T)  # as computed already
        made.__dict__.update(row_roles=self.column_roles, column_roles=self.row_roles)
        return made

    def in_one_unit(self) -> Grid:
        """Without the numbers of columns whose cells have several units: these are not compared."""
        units = [{_unit_of(row[column]) for row in self.cells} - {""} for column in range(len(self.columns))]
        if all(len(one) <= 1 for one in units):
            return self
        cells = tuple(
            tuple(None if len(units[column]) > 1 else cell for column, cell in enumerate(row)) for row in self.cells
        )
        return replace(self, cells=cells)

    def places(self) -> Iterator[tuple[Place, Printed]]:
        """All printed numbers with their places, row by row."""
        for row, cells in enumerate(self.cells):
            for column, cell in enumerate(cells):
                if cell is not None:
                    yield (row, column), cell


def _unit_of(cell: Printed | None) -> str:
    """The letters at the end of what is printed."""
    found = re.search(r"[^\W\d_][\w/]*$|%$", cell.text.strip()) if cell is not None else None
    return found[0] if found else ""


@dataclass(frozen=True, slots=True)
class Accused:
    """A cell that does not follow; column -1 stands for a whole row. rule: a name of `RULES`.

    expected: None where arithmetic does not say. others: cells of which one may be wrong instead, where nothing but the
    order of calculation speaks for this one. elsewhere: the same in other tables: table, row and column.
    """

    place: Place
    rule: str
    reason: str
    expected: float | None = None
    others: tuple[Place, ...] = ()
    elsewhere: tuple[tuple[str, str, str], ...] = ()

    def turned(self) -> Accused:
        """Row and column exchanged."""
        return Accused(self.place[::-1], self.rule, self.reason, self.expected)
