"""The log ratios of one comparison: total and typical ones, and which of them the verdict is about.

The plan chooses (`verdict`). The typical ratio is chosen where both sides were in slices and every complete block has
it; elsewhere the verdict is about the total ratio, and a note says so. Both are never mixed within a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from virtometer.analysis import blocks, typical
from virtometer.analysis.blocks import Cell, counterpart
from virtometer.analysis.counted import counted
from virtometer.model import VerdictBy


@dataclass(frozen=True, slots=True)
class Ratios:
    """Logs by block, above 0 where the subject is better. `by`: which of them the verdict is about.

    notes: why that is not the ratio that the plan chose, in a sentence; none where it is.
    """

    total: Mapping[int, float] = field(default_factory=dict)
    typical: Mapping[int, float] = field(default_factory=dict)
    by: VerdictBy = "total"
    notes: tuple[str, ...] = ()

    @property
    def decisive(self) -> Mapping[int, float]:
        """Those that the verdict is about."""
        return self.typical if self.by == "typical" else self.total


def ratios(cell: Cell, against: Cell, wanted: VerdictBy) -> Ratios:
    """The ratios of a treatment against the baseline. `wanted`: as the plan says."""
    if cell.shape is None:
        return Ratios()
    better = cell.shape[2]
    total = blocks.logs_by_block(cell.values, counterpart(cell, against), better)
    if cell.long_blocks or against.long_blocks:
        rounds: Mapping[int, float] = {}
    else:
        rounds = typical.logs_by_block(cell.rounds, against.rounds, better)
    missing = len(total.keys() - rounds.keys())
    if wanted == "total" or not total:
        return Ratios(total, rounds)
    if missing:
        why = f"{missing} of {counted(len(total), 'block')} {'has' if missing == 1 else 'have'} no typical one"
        return Ratios(total, rounds, notes=(f"the verdict is about the total ratio: {why}",))
    return Ratios(total, rounds, "typical")
