"""The shape of a series of blocks: a first block unlike the others, a drift, two modes, an influence of the order.

A mean and its interval say little about a series with one of these shapes. Each shape has one test, whose level is
exact for Gaussian noise, from six blocks on:

- first block: how far the first value lies from the mean of the others, in their standard deviations, as Student's t
  (the externally studentised residual; R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982), with at
  most four degrees of freedom and half of the level: a rare value is not to be taken for a shape
- drift: the slope of the linear regression on the number of the block, as t
- order: the slope of the regression on the place of the treatment in its block, as t
- neighbours: the correlation of each value with the next one, against that of shuffled blocks (for tables alone:
  what else makes neighbours alike in a campaign is a drift)
- two modes: the distance of the means of two parts, in standard deviations within the parts, of the split for which it
  is largest; its distribution is simulated (Gaussian noise, so many blocks)

A family of series (all comparisons of a campaign) has one level of 5 % for each shape. It is the chance that any series
without a shape is said to have it, by the procedure of Y. Benjamini and Y. Hochberg, J. Royal Statistical Society B 57
(1995) 289-300: the more series have a shape, the more readily others are said to have it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.analysis.note import Note
from virtometer.model import MIN_BLOCKS

LEVEL = 0.05
"""Of a family, for each shape."""

RATIO = "the ratio"
"""The name of what is compared."""

_LEVEL_ALONE = 0.0008  # of 60 series, each tested alone, one is called so by chance in 5 % of cases
_LEAST_ALONE = math.log(1.01)
_APART = 4.5  # standard deviations within the parts: half a Gauss is 2.7 from the other half, of even noise 3.5
_MODES_APART = 5.0  # times the smallest difference that is named: of modes within the margin the mean says enough
_SMALLER_PART = 0.25  # of the values that the smaller mode has at least
_MOST_FREEDOM = 4  # of the first block: what is seldom in few blocks is not seldom with these tails in many
_SIMULATED = 20_000
_SHUFFLED, _MOST_SHUFFLED = 2_000, 200  # times, and blocks; the correlation of more blocks is Gaussian
_MOST_SIMULATED = 100  # blocks; of more blocks chance gives smaller distances

_Which = TypeVar("_Which", bound=Hashable)
_Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Series:
    """Logarithms by block, and the place of the treatment in its block, in trials, where blocks have an order.

    name: of what is compared, as a sentence names it. later: than what the places count, as a sentence names it.
    """

    logs: Mapping[int, float]
    name: str = RATIO
    places: Mapping[int, float] = field(default_factory=dict)
    later: str = "in the block"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a test found: the p value, and the note that stands where the test rejects."""

    p_value: float
    note: Note | None = None


_NONE = Shape(1.0)


def notes(
    family: Mapping[_Which, Series], least: float, level: float = LEVEL, tests: Sequence[Test] | None = None
) -> dict[_Which, list[Note]]:
    """The shapes of every series of a family, in sentences.

    least: the smallest difference in logarithms that is named. level: the chance of any note about a family without
    shapes, for each shape. tests: `TESTS` where none are given.
    """
    found: dict[_Which, list[Note]] = {which: [] for which in family}
    long_enough = {which: series for which, series in family.items() if len(series.logs) >= MIN_BLOCKS}
    for test in TESTS if tests is None else tests:
        tested = {which: test(series, least) for which, series in long_enough.items()}
        believed = _rejected([one.p_value for one in tested.values()], level, len(family))
        for which, of in tested.items():
            if of.p_value <= believed and of.note is not None:
                found[which].append(of.note)
    return found


def of_one(logs: Iterable[float], name: str) -> list[str]:
    """The shapes of one series alone, of logarithms in the order of their blocks, in sentences; `name`: whose.

    From six values on. A difference below 1 % is not named.
    """
    series = Series(dict(enumerate(logs)), name)
    found = (test(series, _LEAST_ALONE) for test in TESTS)
    return [one.note.text for one in found if one.note is not None and one.p_value < _LEVEL_ALONE]


def _rejected(p_values: Sequence[float], level: float, family: int) -> float:
    """The largest p value that counts as a rejection (Benjamini and Hochberg); below 0 where none does.

    family: how many series there are, those included that are too short for a p value.
    """
    return max((p for rank, p in enumerate(sorted(p_values), 1) if p <= level * rank / family), default=-1.0)


def first_block(series: Series, least: float) -> Shape:
    """Whether the first block is unlike the others."""
    blocks = sorted(series.logs)
    if len(blocks) < MIN_BLOCKS:
        return _NONE
    first, *others = (series.logs[block] for block in blocks)
    if not min(others) - least > first and not max(others) + least < first:
        return _NONE
    mean, sd = float(np.mean(others)), float(np.std(others, ddof=1))
    freedom = min(len(others) - 1, _MOST_FREEDOM)
    p = 2 * _two_sided(abs(first - mean), sd * math.sqrt(1 + 1 / len(others)), freedom)
    which = "" if series.name == RATIO else f" of {series.name}"
    brief = f"block {blocks[0] + 1}{which} is unlike the others"
    values = f"{_ratio(first)} against {_ratio(min(others))} to {_ratio(max(others))}"
    return Shape(p, Note(f"{brief}: {values}; look for what begins cold, or take more blocks", brief))


def drift(series: Series, least: float) -> Shape:
    """Whether the values rise or fall from block to block."""
    slope, p = trend(series.logs, {block: float(block) for block in series.logs})
    span = slope * (max(series.logs, default=0) - min(series.logs, default=0))
    if abs(span) < least:
        return _NONE
    brief = f"{series.name} drifts from block to block: it {'rises' if slope > 0 else 'falls'}"
    text = f"{brief}, by {_percent(abs(span))} in all; look for what changes with time, or take more blocks"
    return Shape(p, Note(text, brief))


def order(series: Series, least: float) -> Shape:
    """Whether the values follow the place of the treatment in its block."""
    both = series.logs.keys() & series.places.keys()
    slope, p = trend({block: series.logs[block] for block in both}, series.places)
    span = slope * (max(series.places.values(), default=0.0) - min(series.places.values(), default=0.0))
    if abs(span) < least:
        return _NONE
    brief = f"{series.name} depends on the order within the block"
    text = f"{brief}: it is {_percent(slope)} {'higher' if slope > 0 else 'lower'} for each place later {series.later}"
    return Shape(p, Note(f"{text}; look for what one trial leaves to the next", brief))


def two_modes(series: Series, least: float) -> Shape:
    """Whether the values lie in two parts that are far from each other."""
    n = len(series.logs)
    if n < MIN_BLOCKS:
        return _NONE
    ordered = np.sort(np.array([*series.logs.values()]))
    apart, at = _separation(ordered[None, :])
    low, high = ordered[: at[0]], ordered[at[0] :]
    if apart[0] < _APART or high.mean() - low.mean() < _MODES_APART * least:
        return _NONE
    by_chance = _separations(min(n, _MOST_SIMULATED))
    p = (1 + len(by_chance) - int(np.searchsorted(by_chance, apart[0]))) / (1 + len(by_chance))
    brief = f"{series.name} has two modes"
    where = " and ".join(f"{_ratio(part.mean())} in {len(part)} blocks" for part in (low, high))
    return Shape(p, Note(f"{brief}: {where}; the mean is neither; look how these blocks differ, or take more", brief))


def neighbours(series: Series, least: float) -> Shape:
    """Whether neighbouring blocks are alike, so that they are fewer than they seem."""
    n = len(series.logs)
    if n < MIN_BLOCKS:
        return _NONE
    values = np.array([series.logs[block] for block in sorted(series.logs)])
    if np.ptp(values) < least:
        return _NONE
    away = values - values.mean()
    seen = float(away[1:] @ away[:-1])
    if n <= _MOST_SHUFFLED:
        shuffled = away[_orders(n)]
        by_chance = (shuffled[1:] * shuffled[:-1]).sum(axis=0)
        p = (1 + int((by_chance >= seen * (1 - 1e-12)).sum())) / (1 + _SHUFFLED)
    else:
        p = float(special.ndtr(-(seen / float(away @ away) + 1 / n) * math.sqrt(n)))
    brief = f"neighbouring blocks of {series.name} are alike"
    correlation = f"lag-1 correlation {seen / float(away @ away):.2f}"
    return Shape(p, Note(f"{brief} ({correlation}): its interval is too short; take more blocks, farther apart", brief))


Test: TypeAlias = Callable[[Series, float], Shape]
TESTS: tuple[Test, ...] = (first_block, drift, order, two_modes)
TESTS_OF_TABLES: tuple[Test, ...] = (*TESTS, neighbours)


def trend(logs: Mapping[int, float], places: Mapping[int, float]) -> tuple[float, float]:
    """The slope of a regression on the places, and its two-sided p value; 0 and 1 where there is none."""
    if len(logs) < MIN_BLOCKS:
        return 0.0, 1.0
    y, x = np.array([*logs.values()]), np.array([places[block] for block in logs])
    x, y = x - x.mean(), y - y.mean()
    sxx = float(x @ x)
    if sxx == 0:
        return 0.0, 1.0
    slope = float(x @ y) / sxx
    rest = y - slope * x
    return slope, _two_sided(abs(slope), math.sqrt(float(rest @ rest) / (len(y) - 2) / sxx), len(y) - 2)


def _two_sided(distance: float, error: float, freedom: int) -> float:
    if distance == 0:
        return 1.0
    return 0.0 if error == 0 else float(2 * special.stdtr(freedom, -distance / error))


def _separation(rows: _Array) -> tuple[_Array, NDArray[np.intp]]:
    """Of each sorted row the largest distance of two parts in standard deviations within them, and where it is split.

    rows: of shape (rows, n). Both results are of shape (rows,).
    """
    n = rows.shape[1]
    least = max(math.ceil(n * _SMALLER_PART), 2)
    centred = rows - rows.mean(axis=1, keepdims=True)
    sums, squares = np.cumsum(centred, axis=1), np.cumsum(centred**2, axis=1)
    splits = np.arange(least, n - least + 1)
    low = sums[:, splits - 1] / splits
    high = (sums[:, -1:] - sums[:, splits - 1]) / (n - splits)
    within = np.maximum(squares[:, -1:] - splits * low**2 - (n - splits) * high**2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.nan_to_num((high - low) / np.sqrt(within / (n - 2)), nan=0.0, posinf=np.inf)
    best = apart.argmax(axis=1)
    return apart[np.arange(len(rows)), best], splits[best]


@lru_cache(maxsize=128)
def _separations(n: int) -> _Array:
    """What chance gives with so many blocks of Gaussian noise, in ascending order; the same at each call."""
    rows = np.sort(np.random.default_rng(n).standard_normal((_SIMULATED, n)), axis=1)
    found: _Array = np.sort(_separation(rows)[0])
    return found


@lru_cache(maxsize=16)
def _orders(n: int) -> NDArray[np.intp]:
    """So many blocks in random order, _SHUFFLED times: a column each; the same at each call.

    Columns, because sums of long rows take a fraction of the time of as many sums of short ones.
    """
    rows = np.random.default_rng(n).permuted(np.tile(np.arange(n), (_SHUFFLED, 1)), axis=1)
    return np.ascontiguousarray(rows.T)


def _ratio(log: float | np.floating[Any]) -> str:
    return f"{math.exp(log):.3g}"


def _percent(log: float) -> str:
    return f"{abs(math.expm1(log)) * 100:.2g} %"
