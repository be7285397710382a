"""What equal guests would show: tests and ranges that noise alone explains, without a distribution.

Under "all guests are equal" the rates of a block may be exchanged between its guests: any noise that is alike for all
guests, skewed or not, gives each order the same probability. The permutation test of that is exact: R. A. Fisher, "The
design of experiments" (1935), section 21; for the largest of several statistics P. H. Westfall, S. S. Young,
"Resampling-based multiple testing" (1993), section 2. Random permutations count the seen order as one of them.

The smallest share of a block does not change by exchange, and lies below the ideal by noise alone. Its range for equal
guests is that of the same blocks without the guests' own means: B. Efron, "Bootstrap methods: another look at the
jackknife", Ann. Statist. 7 (1979) 1-26. Where the test above shows no guest that differs, the means may be noise too,
and the range also holds what the blocks as seen give. So equal guests lie outside of it in at most 5 %, whatever their
noise is. The seed is fixed: the same blocks give the same range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from virtometer.model import MIN_BLOCKS, Estimate

LEVEL = 0.95
_SEED = 20_260_101
_DRAWS = 999
_LARGEST = 2_000_000  # numbers that are drawn at most, with at least a quarter of _DRAWS
_EXACT_BLOCKS = 11  # of two guests: 2048 orders or fewer are all taken

_Floats = NDArray[np.float64]


def p_of_equal(logs: Sequence[Sequence[float]]) -> list[float]:
    """Of each guest the chance that in any guest of equal ones the mean log is as far from the others'.

    logs: of the rates, a row a block and a column a guest. The chance that any of these p is at most 5 % is 5 % or less
    where all guests are equal: no further adjustment is needed.
    """
    values = np.array(logs, dtype=np.float64)
    centred = values - values.mean(axis=1, keepdims=True)
    seen = np.abs(centred.sum(axis=0))
    largest, complete = _largest(centred)
    # Sums of the same numbers in another order differ by rounding.
    beyond = (largest[:, None] >= seen * (1 - 1e-9)).sum(axis=0)
    ps = beyond / len(largest) if complete else (beyond + 1) / (len(largest) + 1)
    return [float(p) for p in ps]


def _largest(centred: _Floats) -> tuple[_Floats, bool]:
    """The largest absolute sum of a guest in each order of the guests, and whether these are all orders."""
    blocks, guests = centred.shape
    if guests == 2 and blocks <= _EXACT_BLOCKS:
        signs = 1 - 2 * ((np.arange(1 << blocks)[:, None] >> np.arange(blocks)) & 1)
        return np.abs(signs @ centred[:, 0]), True
    draws = max(_DRAWS // 4, min(_DRAWS, _LARGEST // centred.size))
    rng = np.random.default_rng(_SEED)
    sums = np.zeros((draws, guests))
    for block in centred:
        sums += rng.permuted(np.broadcast_to(block, (draws, guests)), axis=1)
    return np.abs(sums).max(axis=1), False


def worst_share_of_equal(blocks: Sequence[Sequence[float]]) -> Estimate | None:
    """The mean of the worst share that equal guests have with the noise of these blocks, with its range.

    blocks: rates of the guests, in each block of the same ones. None below MIN_BLOCKS blocks, for fewer than two
    guests, and where a guest got nothing.
    """
    rates = np.array(blocks, dtype=np.float64)
    if len(rates) < MIN_BLOCKS or rates.shape[1] < 2 or not (rates > 0).all():
        return None
    logs = np.log(rates)
    noise = logs - logs.mean(axis=1, keepdims=True)
    without = noise - noise.mean(axis=0)
    without *= math.sqrt(len(noise) / (len(noise) - 1))  # the means took a part of the noise
    ranges = [_range(without)]
    if min(p_of_equal(logs.tolist())) >= 1 - LEVEL:
        ranges.append(_range(noise))
    return Estimate(
        float(_worst(without).mean()), min(low for low, _ in ranges), max(high for _, high in ranges), len(noise), LEVEL
    )


def _worst(logs: _Floats) -> _Floats:
    """The smallest share in each block."""
    parts = np.exp(logs)
    found: _Floats = parts.min(axis=1) / parts.sum(axis=1)
    return found


def _range(logs: _Floats) -> tuple[float, float]:
    """Of the mean of the worst shares in as many blocks, drawn from these."""
    worst = _worst(logs)
    drawn = np.random.default_rng(_SEED).integers(0, len(worst), (_DRAWS, len(worst)))
    low, high = np.quantile(worst[drawn].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
