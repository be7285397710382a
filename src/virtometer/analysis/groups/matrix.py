"""A matrix of estimates: victim x aggressor, or source x target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from virtometer.model import Estimate


@dataclass(frozen=True, slots=True)
class Matrix:
    """One value for each row and column; None where nothing was measured. Intervals of all cells hold together.

    of: what the values are. slowdown: times slower than alone, above 1 is worse. throughput: in `unit`, of which
    `better` says the direction. shares: of the host's processors that the aggressor took, by row and column; None:
    unknown. workload: empty where the rows are workloads.
    """

    scenario: str
    type: str
    workload: str
    of: Literal["slowdown", "throughput"]
    unit: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]
    notes: tuple[str, ...] = ()
    shares: tuple[tuple[float | None, ...], ...] = ()
    better: Literal["higher", "lower"] = "higher"

    def cell(self, row: str, column: str) -> Estimate | None:
        """The estimate at a row and a column by name. ValueError for a name that it does not have."""
        return self.cells[self.rows.index(row)][self.columns.index(column)]
