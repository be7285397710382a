"""What makes the numbers of a block comparable with each other: its groups of guests, and slices beside long windows.

A number is only comparable with that of the baseline in the same group of guests and in windows of the same kind, as in
findings. The baseline's own number in the block is the common scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from virtometer.analysis.compare.blocks import TreatmentData, beside
from virtometer.counted import counted

Blocks = Mapping[int, float]


class Incomparable(StrEnum):
    """Why the number of a treatment in a block is left out."""

    GROUP = "the baseline has no value in their group of guests"
    WINDOWS = "they are of long windows or slices, and the baseline beside them has nothing of the same kind"


def comparable(
    data: TreatmentData,
    baseline: TreatmentData | None,
    of: Callable[[TreatmentData], Blocks],
    long_of: Callable[[TreatmentData], Blocks] | None = None,
) -> tuple[Blocks, list[Incomparable]]:
    """The numbers of a treatment by block, on the scale of the baseline's own number; and why others are left out.

    Each is multiplied by (baseline in the block) / (baseline in the groups and windows of the treatment).

    of: the numbers of a treatment by block. long_of: those of its long windows beside slices; None where nobody knows
    them. Unchanged where the block has one group and all windows are of one kind.
    Without a baseline there are no groups.
    """
    if baseline is None or data is baseline:
        return of(data), []
    near = beside(data, baseline)
    whole, own, own_long = of(baseline), of(near), long_of(near) if long_of is not None else {}
    numbers: dict[int, float] = {}
    left_out = []
    for block, number in of(data).items():
        alike = (block in data.long_blocks) == (block in near.long_blocks)
        if alike and near.groups.get(block) == baseline.groups.get(block):
            numbers[block] = number
            continue
        # Only the baseline does both in a block: slices that count, and long windows beside them.
        against = own if alike else own_long if block in data.long_blocks else {}
        if block in against and block in whole:
            numbers[block] = number * whole[block] / against[block]
        else:
            left_out.append(Incomparable.GROUP if alike else Incomparable.WINDOWS)
    return numbers, left_out


def sentences(left_out: Sequence[Incomparable]) -> list[str]:
    """How many values of a metric are left out, a sentence for each reason."""
    counts = {reason: left_out.count(reason) for reason in Incomparable}
    return [f"{counted(count, 'value')} left out: {reason}" for reason, count in counts.items() if count]
