"""The typical ratio of guests that took turns: a trimmed mean over the rounds, which a stall of one guest cannot move.

In a round every guest has one slice, so that both sides of a round's ratio are a fraction of a second apart. Within a
block the value is the mean of the rounds' log ratios without the lowest and the highest 40 % of them (J. W. Tukey,
D. H. McLaughlin, "Less vulnerable confidence and significance procedures for location based on a single sample:
trimming/Winsorization 1", Sankhya A 25 (1963) 331-352). Where a side has two guests, as a baseline with its control,
each of them makes a ratio of its own in every round: a mean of both would be disturbed where either is. The blocks'
values are the replicates, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from virtometer.analysis.score.of_run import per_unit
from virtometer.model import Better, Run, columns_of

TRIMMED = 0.4
"""Part of the rounds that is left out at either end: a neighbour on the same core may disturb most ratios."""

Rounds = Mapping[int, float]
"""What one guest reached in each round of a block, by the number of the round."""

_ENOUGH = 5  # rounds, of which two are left out at either end


def rounds(run: Run) -> Rounds:
    """What a scored run reached in each slice, in the run's unit and in host time, by the number of the slice.

    Without long windows, and without slices of no work or no length: a clock that is not corrected may stand still.
    """
    of = columns_of(run.samples)
    which = of.used & (of.slice >= 0)
    numbers, place = np.unique(of.slice[which], return_inverse=True)
    columns = (of.work, of.lasted_s(run.scored.clock.rate))
    work, elapsed_s = (np.bincount(place, column[which], len(numbers)) for column in columns)
    sound = (work > 0) & (elapsed_s > 0)
    reached = per_unit(work[sound], elapsed_s[sound], run.unit)
    return dict(zip(numbers[sound].tolist(), reached.tolist(), strict=True))


def logs_by_block(
    subject: Mapping[int, Sequence[Rounds]], against: Mapping[int, Sequence[Rounds]], better: Better
) -> dict[int, float]:
    """The typical log ratio of each block, above 0 where the subject is better. Both have their guests by block.

    Blocks without enough rounds that both sides have are left out.
    """
    sign = 1.0 if better == "higher" else -1.0
    found = {}
    for block, guests in subject.items():
        pairs = [(own, other) for own in guests for other in against.get(block, ())]
        shared = {number for own, other in pairs for number in own.keys() & other.keys()}
        if len(shared) >= _ENOUGH:
            found[block] = trimmed_mean(
                [
                    sign * (math.log(value) - math.log(other[number]))
                    for own, other in pairs
                    for number, value in own.items()
                    if number in other
                ]
            )
    return found


def trimmed_mean(values: Sequence[float]) -> float:
    """The mean without the lowest and the highest 40 %. ValueError for no values."""
    if not values:
        raise ValueError("a mean of no values")
    beyond = math.floor(len(values) * TRIMMED)
    kept = sorted(values)[beyond : len(values) - beyond]
    return math.fsum(kept) / len(kept)
