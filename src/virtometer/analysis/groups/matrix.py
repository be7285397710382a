"""A matrix of estimates: victim x aggressor, or source x target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from virtometer.analysis.groups.further import Measures
from virtometer.model import Estimate, Quantity


@dataclass(frozen=True, slots=True)
class Matrix:
    """One value for each row and column; None where nothing was measured. Intervals of all cells hold jointly.

    of: what all cells are: slowdowns (times slower than alone) or throughputs. shares: of the host's processors that
    the aggressor took, by row and column; None: unknown. workload: empty where the rows are workloads. measures:
    further ones of a path, by row and column and by name; empty of slowdowns, whose groups have them.
    """

    scenario: str
    type: str
    workload: str
    of: Quantity[None]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]
    notes: tuple[str, ...] = ()
    shares: tuple[tuple[float | None, ...], ...] = ()
    measures: Mapping[tuple[str, str], Measures] = field(default_factory=dict)

    def cell(self, row: str, column: str) -> Estimate | None:
        """The estimate at a row and a column by name. ValueError for a name that it does not have."""
        return self.cells[self.rows.index(row)][self.columns.index(column)]
