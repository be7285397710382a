"""How many blocks deciding takes, as a number and a range: a posterior of the true ratio and spread.

A few blocks leave the mean and the spread open, and the blocks that a truth takes change much with both: with a spread
of 6 % and a margin of 5 % a ratio of 1.00 takes 15 blocks, 0.97 takes 42, and six blocks cannot tell the two apart.
Therefore the blocks are computed for many truths, weighted by how plausible each is after the blocks that were seen.

Before the blocks, half of the true log ratios are taken to lie near 1 (Gaussian, sd 0.6 times the margin), half
anywhere (sd 4 times the margin), with any spread alike on a log scale: A. Gelman and others, "Bayesian data analysis",
3rd ed. (2013), sections 3.2 and 5.7. The blocks of one truth are those of `precision` to within a few per cent, by W.
C. Guenther, "Sample size formulas for normal theory T tests", Am. Statistician 35 (1981) 243-244.
TYPICAL is calibrated by simulation: tests/analysis/statistics/test_forecast.py has the figures.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.analysis.statistics.equivalence import LEVEL as EQUIVALENCE_LEVEL
from virtometer.analysis.statistics.precision import MAX_BLOCKS, POWER, least_blocks
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import MIN_BLOCKS

TYPICAL = 0.68
"""The part of the plausible truths that the forecast number of blocks decides.

More than half: a forecast that is too low costs a second campaign, one that is too high is corrected by its range.
"""

RANGE = 0.9
"""The part of the plausible truths whose blocks lie within the range."""

_WIDTHS = ((0.6, 0.5), (4.0, 0.5))  # of the prior's parts, in margins, and their weights
_CONTROL_WIDTH = 0.15  # the same for a control: its two sides are the same environment
_SPREADS, _MEANS = 9, 15  # equally plausible values of each; more change forecasts by less than 2 %

AT_ONCE = 100
"""Comparisons that are forecast at once: each number of their truths takes 0.2 MB, which stays in the caches."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Blocks in all, and the range in which the number lies with a probability of RANGE.

    None: more than MAX_BLOCKS.
    """

    blocks: int | None
    low: int | None
    high: int | None


NOTHING_KNOWN = Forecast(MIN_BLOCKS, None, None)
"""Of fewer than two blocks: the least number that any verdict takes, without a range."""


def blocks_needed(
    of: Sequence[Spread],
    limit: float,
    level: float,
    equivalence_level: float = EQUIVALENCE_LEVEL,
    most: int = MAX_BLOCKS,
) -> list[Forecast]:
    """Of each comparison the blocks in all at which `equivalent` or a difference is found with 80 % power.

    limit: of equivalence, on the log scale. level: of a difference, two-sided.
    """
    found = [_without_truths(one) for one in of]
    open_ = [at for at, known in enumerate(found) if known is None]
    parts = [open_[begin : begin + AT_ONCE] for begin in range(0, len(open_), AT_ONCE)]

    def fill(part: Sequence[int]) -> None:
        forecasts = _by_truths([of[at] for at in part], limit, level, equivalence_level, most)
        for at, forecast in zip(part, forecasts, strict=True):
            found[at] = forecast

    if len(parts) > 1:  # numpy computes without the interpreter's lock: each thread has a processor of its own
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(fill, parts))
    else:
        list(map(fill, parts))
    return [one for one in found if one is not None]


def _without_truths(of: Spread) -> Forecast | None:
    """The forecast where one truth alone or none at all is plausible; None elsewhere."""
    if of.n < 2:
        return NOTHING_KNOWN
    least = _least(of)
    return Forecast(least, least, least) if of.sd == 0.0 else None


def _by_truths(
    of: Sequence[Spread], limit: float, level: float, equivalence_level: float, most: int
) -> Iterator[Forecast]:
    shifts, spreads, weights = _plausible(of, tuple((width * limit, weight) for width, weight in _WIDTHS))
    blocks = blocks_of(np.abs(shifts), spreads, limit, level, equivalence_level)
    order = np.argsort(blocks, axis=1)
    parts = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    wanted = np.array([TYPICAL, (1 - RANGE) / 2, (1 + RANGE) / 2]) * parts[:, -1:]
    at = (parts[:, None, :] < wanted[:, :, None]).sum(axis=2)
    found = np.take_along_axis(blocks, np.take_along_axis(order, at, axis=1), axis=1)
    least = np.array([_least(one) for one in of])[:, None]
    numbers = np.where(found <= most, np.maximum(np.ceil(found), least), np.nan)
    for row in numbers.tolist():
        yield Forecast(*(None if math.isnan(number) else int(number) for number in row))


def _least(of: Spread) -> int:
    """The least number of blocks in all that decides anything."""
    return max(MIN_BLOCKS, of.n + 1)


def blocks_for_floor(control: Spread, aim: float, most: int = MAX_BLOCKS) -> int | None:
    """Blocks in all at which the noise floor is at most `aim` on the log scale with 80 % probability.

    The blocks that were seen stay in the mean. Further ones have a true mean near 1 and a true spread, both as
    uncertain as the seen blocks leave them. None beyond `most`, and where the control differs from 1 by so much that no
    number of blocks helps.
    """
    least = _least(control)
    if control.n < 2:
        return least
    if control.sd == 0.0:
        return least if abs(control.mean) <= aim else None
    (shifts,), (spreads,), (weights,) = _plausible([control], ((_CONTROL_WIDTH * aim, 1.0),))

    def reaches(n: int) -> bool:
        more = n - control.n
        middle = (control.n * control.mean + more * shifts) / n
        spread = np.sqrt(((control.n - 1) * control.sd**2 + more * spreads**2) / (n - 1))
        room = aim - float(special.stdtrit(n - 1, 1 - EQUIVALENCE_LEVEL)) * spread / math.sqrt(n)
        error = spreads * math.sqrt(more) / n
        inside = special.ndtr((room - middle) / error) - special.ndtr((-room - middle) / error)
        return float(weights @ np.where(room > 0, inside, 0.0)) >= POWER * float(weights.sum())

    return least_blocks(reaches, least, most)


def _plausible(of: Sequence[Spread], parts: Sequence[tuple[float, float]]) -> tuple[_Floats, _Floats, _Floats]:
    """True mean logs and spreads that could stand behind these blocks, and the weight of each: comparisons x truths.

    parts: of the prior of the mean log, sd and weight of each.
    """
    n = np.array([one.n for one in of])[:, None]
    mean, square = (np.array(column)[:, None] for column in zip(*((one.mean, one.mean**2) for one in of), strict=True))
    middles = (np.arange(_SPREADS) + 0.5) / _SPREADS
    freedoms, which = np.unique(n[:, 0] - 1, return_inverse=True)  # many comparisons have as many blocks as others
    quantiles = special.chdtri(freedoms[:, None], middles)[which]
    spreads = np.array([one.sd for one in of])[:, None] * np.sqrt((n - 1) / quantiles)
    errors = spreads / np.sqrt(n)
    normal = special.ndtri((np.arange(_MEANS) + 0.5) / _MEANS)
    shifts, weights = [], []
    for width, weight in parts:
        total = width**2 + errors**2
        kept = width**2 / total  # of the mean that was seen
        shifts.append((kept * mean)[:, :, None] + (np.sqrt(kept) * errors)[:, :, None] * normal)
        weights.append(np.log(weight) - square / total / 2 - np.log(total) / 2)
    weighed = np.concatenate(weights, axis=1)
    all_spreads = np.broadcast_to(spreads[:, None, :, None], (len(of), len(parts), _SPREADS, _MEANS))
    return (
        np.stack(shifts, axis=1).reshape(len(of), -1),
        all_spreads.reshape(len(of), -1),
        np.repeat(np.exp(weighed - weighed.max(axis=1, keepdims=True)), _MEANS, axis=1),
    )


def blocks_of(shift: _Floats, sd: _Floats, limit: float, level: float, alike: float = EQUIVALENCE_LEVEL) -> _Floats:
    """Blocks with which each truth is decided with 80 % power; not rounded. shift: of the mean log, not negative."""
    found, claimed, inner = (float(special.ndtri(part)) for part in (POWER, 1 - level / 2, 1 - alike))
    inside = limit - shift
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        different = ((claimed + found) * sd / shift) ** 2 + claimed**2 / 2
        least = ((inner + found) * sd / inside) ** 2 + inner**2 / 2
        may_be_equal = (inside > 0) & (least < different)
        near, far, of = inside[may_be_equal], (limit + shift)[may_be_equal], sd[may_be_equal]
        equal = ((inner + float(special.ndtri((1 + POWER) / 2))) * of / near) ** 2
        for _ in range(4):  # the chance that the farther test fails becomes smaller with the shift
            fails = special.ndtr(inner - far * np.sqrt(equal) / of)
            equal = ((inner + special.ndtri(np.minimum(POWER + fails, (1 + POWER) / 2))) * of / near) ** 2
    blocks = different
    blocks[may_be_equal] = np.minimum(different[may_be_equal], equal + inner**2 / 2)
    return blocks
