"""A printed table: labels, and numbers with the digits that stand there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

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
    restored: cells that are not printed, but follow from other cells by their source. They are never accused.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Printed | None, ...], ...]
    quantities: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)
    restored: Set[Place] = frozenset()

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The numbers, rows x columns; not a number where none is printed."""
        return self.of_cells(lambda cell: np.nan if cell is None else cell.value, np.float64)

    @cached_property
    def halves(self) -> NDArray[np.float64]:
        """Half a unit of the last printed digit, rows x columns: what rounding may have changed."""
        return self.of_cells(lambda cell: np.nan if cell is None else cell.step / 2, np.float64)

    def of_cells(self, of: Callable[[Printed | None], float | bool], kind: DTypeLike) -> NDArray[Any]:
        """What a function says of each cell, rows x columns. It is asked once for cells that are one object."""
        distinct, numbers = self._distinct
        return np.array([of(cell) for cell in distinct], dtype=kind)[numbers]

    @cached_property
    def texts(self) -> NDArray[np.int64]:
        """Numbers of what is printed, rows x columns: equal where the text is."""
        number_of: dict[str, int] = {"": 0}
        return self.of_cells(lambda cell: number_of.setdefault(_text_of(cell), len(number_of)), np.int64)

    @cached_property
    def _distinct(self) -> tuple[list[Printed | None], NDArray[np.int64]]:
        """The cells that are different objects, and the number of each cell in this list, rows x columns."""
        number_of: dict[int, int] = {}
        distinct: list[Printed | None] = []
        numbers = np.empty(len(self.rows) * len(self.columns), dtype=np.int64)
        for at, cell in enumerate(itertools.chain.from_iterable(self.cells)):
            number = number_of.setdefault(id(cell), len(distinct))
            if number == len(distinct):
                distinct.append(cell)
            numbers[at] = number
        return distinct, numbers.reshape(len(self.rows), len(self.columns))

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
        distinct, numbers = self._distinct
        made.__dict__.update(values=self.values.T, halves=self.halves.T, _distinct=(distinct, numbers.T))  # as computed
        made.__dict__.update(row_roles=self.column_roles, column_roles=self.row_roles)
        return made

    def in_one_unit(self) -> Grid:
        """Without the numbers of columns whose cells have several units: these are not compared."""
        number_of: dict[str, int] = {"": 0}
        units = self.of_cells(lambda cell: number_of.setdefault(_unit_of(cell), len(number_of)), np.int64)
        least = np.where(units > 0, units, len(number_of)).min(axis=0, initial=len(number_of))
        mixed = (least < units.max(axis=0, initial=0)).tolist()
        if not any(mixed):
            return self
        cells = tuple(tuple(None if mixed[at] else cell for at, cell in enumerate(row)) for row in self.cells)
        return replace(self, cells=cells)

    def without_restored(self) -> Grid:
        """The printed cells alone, at the same places."""
        if not self.restored:
            return self
        cells = tuple(
            tuple(None if (row, column) in self.restored else cell for column, cell in enumerate(line))
            for row, line in enumerate(self.cells)
        )
        return replace(self, cells=cells, restored=frozenset())

    def places(self) -> Iterator[tuple[Place, Printed]]:
        """All printed numbers with their places, row by row."""
        for row, cells in enumerate(self.cells):
            for column, cell in enumerate(cells):
                if cell is not None:
                    yield (row, column), cell

    @property
    def printed(self) -> int:
        """How many numbers are printed."""
        return int(np.isfinite(self.values).sum()) - len(self.restored)


def _text_of(cell: Printed | None) -> str:
    return "" if cell is None else cell.text


def _unit_of(cell: Printed | None) -> str:
    """The letters at the end of what is printed."""
    found = re.search(r"[^\W\d_][\w/]*$|%$", cell.text.strip()) if cell is not None else None
    return found[0] if found else ""


@dataclass(frozen=True, slots=True)
class Accused:
    """A cell that does not follow; column -1 stands for a whole row, row -1 for a column. rule: a name of `RULES`.

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
