"""The log ratios of one comparison: total and typical ones, and which of them the verdict is about.

The plan chooses (`verdict`). The typical ratio is chosen where both sides were in slices and every complete block has
it; elsewhere the verdict is about the total ratio, and a note says so. Both are never mixed within a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from virtometer.analysis.compare import blocks
from virtometer.analysis.compare.blocks import TreatmentData, counterpart
from virtometer.analysis.note import Note
from virtometer.analysis.score import typical
from virtometer.counted import counted
from virtometer.model import Better, VerdictBy

_INSTEAD = "the verdict is about the total ratio"
_Rounds: TypeAlias = Mapping[int, Sequence[typical.Rounds]]


@dataclass(frozen=True, slots=True)
class Ratios:
    """Logs by block, above 0 where the subject is better. `by`: which of them the verdict is about.

    notes: why that is not the ratio that the plan chose; none where it is.
    """

    total: Mapping[int, float] = field(default_factory=dict)
    typical: Mapping[int, float] = field(default_factory=dict)
    by: VerdictBy = "total"
    notes: tuple[Note, ...] = ()

    @property
    def decisive(self) -> Mapping[int, float]:
        """Those that the verdict is about."""
        return self.logs(self.by)

    def logs(self, by: VerdictBy) -> Mapping[int, float]:
        """Typical or total ones."""
        return self.typical if by == "typical" else self.total


def ratios(data: TreatmentData, against: TreatmentData, wanted: VerdictBy) -> Ratios:
    """The ratios of a treatment against the baseline. `wanted`: as the plan says."""
    if data.shape is None:
        return Ratios()
    in_windows = bool(data.long_blocks or against.long_blocks)
    rounds: tuple[_Rounds, _Rounds] = ({}, {}) if in_windows else (data.rounds, against.rounds)
    return ratios_of((data.values, counterpart(data, against)), rounds, data.shape[2], wanted)


def ratios_of(
    values: tuple[Mapping[int, float], Mapping[int, float]],
    rounds: tuple[_Rounds, _Rounds],
    better: Better,
    wanted: VerdictBy,
) -> Ratios:
    """The ratios of two sides, the subject first: values by block; the rounds of its guests, by block."""
    total = blocks.logs_by_block(*values, better)
    typical_logs = typical.logs_by_block(*rounds, better)
    missing = len(total.keys() - typical_logs.keys())
    if wanted == "total" or not total:
        return Ratios(total, typical_logs)
    if missing:
        why = f"{missing} of {counted(len(total), 'block')} {'has' if missing == 1 else 'have'} no typical one"
        note = Note(f"{_INSTEAD}: {why}", f"{_INSTEAD}: not every block has a typical one")
        return Ratios(total, typical_logs, notes=(note,))
    return Ratios(total, typical_logs, "typical")
