"""Time that guests in slices lose beyond their pace: is it more on one side than on the other, by more than chance?

The pace of a guest in a block is its median time for its work. The loss of a slice is its time beyond 1.25 times the
pace. A count of slow slices (`stalls`) does not show stalls that are shorter than a slice, nor the length of a stall.
The loss shows both. The test is one of permutations within blocks (R. A. Fisher, The Design of Experiments, 1935;
E. J. G. Pitman, "Significance tests which may be applied to samples from any populations", 1937): Under no difference
each loss falls on a side in proportion to its slices in the block. The test takes slices for independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.compare.blocks import TreatmentData

LEAST = 0.25
"""Part of the usual time of a slice beyond which it loses time: noise of the processor's speed is no loss."""

_MOST = 500  # losses that are drawn, the largest ones; the others count as they are
_DRAWS = 5_000
_SEED = 32

Lengths: TypeAlias = Mapping[int, NDArray[np.float64]]
"""By block: how long each slice of all guests took for its work, by the median of its guest in the block."""


def lengths(data: TreatmentData) -> dict[int, NDArray[np.float64]]:
    """Those of a treatment. Blocks without slices are left out."""
    higher = data.shape is not None and data.shape[2] == "higher"
    found = {}
    for block, guests in data.rounds.items():
        each = [np.fromiter(rounds.values(), np.float64, len(rounds)) for rounds in guests if rounds]
        paces = [1 / one if higher else one for one in each]
        if paces:
            found[block] = np.concatenate([pace / np.median(pace) for pace in paces])
    return found


def lost_share(of: Lengths) -> float:
    """What the slices of one side lost in all, as a part of the time that they would take at the pace."""
    slices = sum(map(len, of.values()))
    return float(sum(_losses(one).sum() for one in of.values())) / slices if slices else 0.0


def _losses(of: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(of > 1 + LEAST, of - 1, 0.0)


def p_value(own: Lengths, other: Lengths) -> float:
    """The chance that one side loses so much of what both lose where both are alike, over the blocks of both.

    From draws with a fixed seed, so that the same numbers give the same answer; never below 1 / (draws + 1).
    """
    values, shares, mine = [], [], []
    for block in own.keys() & other.keys():
        a, b = _losses(own[block]), _losses(other[block])
        a, b = a[a > 0], b[b > 0]
        slices = len(own[block]) + len(other[block])
        values += [a, b]
        shares.append(np.full(len(a) + len(b), len(own[block]) / slices))
        mine += [np.ones(len(a), np.bool_), np.zeros(len(b), np.bool_)]
    if not values:
        return 1.0
    loss, share, is_own = np.concatenate(values), np.concatenate(shares), np.concatenate(mine)
    largest = np.argsort(-loss, kind="stable")[:_MOST]
    loss, share, is_own = loss[largest], share[largest], is_own[largest]
    if not is_own.any():
        return 1.0
    drawn = np.random.default_rng(_SEED).random((_DRAWS, len(loss))) < share
    reached = drawn @ loss >= loss[is_own].sum() * (1 - 1e-12)
    return float((np.count_nonzero(reached) + 1) / (_DRAWS + 1))
