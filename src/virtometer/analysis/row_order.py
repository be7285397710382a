"""Whether the rows of a table are in random order within their blocks; without it order and treatment are one.

The places of each treatment are added up over the blocks, and the squares of the sums, each by its number of blocks,
are compared with those of rows that are shuffled within their blocks (M. Friedman, J. American Statistical Association
32 (1937) 675-701, for blocks of any size). With two treatments the number of blocks in which one is first is binomial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.analysis.long_table import LongTable

LEVEL = 0.035
"""Of a table: the same order of two treatments in six blocks has a chance of 0.031."""

_SHUFFLES = 4999
_ENOUGH_SHUFFLES = 400
_MOST_NUMBERS = 4_000_000
_AT_ONCE = 200_000
_MOST_NAMES = 5

_Array: TypeAlias = NDArray[np.float64]


def places(table: LongTable, metric: str) -> dict[str, dict[str, int]]:
    """The place of each treatment in each block of a metric, from 1 on, by its first row: by block and treatment."""
    found: dict[str, dict[str, int]] = {}
    for name, treatment, block, _ in table.rows:
        if name == metric:
            own = found.setdefault(block, {})
            own.setdefault(treatment, len(own) + 1)
    return found


def sentences(table: LongTable) -> dict[str, str]:
    """What is not random in the order of the rows, by metric. Metrics with the same order share a sentence."""
    orders = {metric: {block: tuple(own) for block, own in places(table, metric).items()} for metric in table.metrics}
    different = {tuple(sorted(order.items())) for order in orders.values()}
    tested = {key: (p_value(dict(key)), sentence(dict(key))) for key in different}
    found = {metric: tested[tuple(sorted(order.items()))] for metric, order in orders.items()}
    return {metric: text for metric, (p, text) in found.items() if p <= LEVEL / len(different)}


def p_value(orders: Mapping[str, Sequence[str]]) -> float:
    """The chance of an order as uneven as this one where each block is in random order. orders: treatments by block."""
    rows = [order for order in orders.values() if len(order) > 1]
    names = {name: number for number, name in enumerate(dict.fromkeys(name for order in rows for name in order))}
    if len(rows) < 2:
        return 1.0
    if len(names) == 2:
        first = sum(names[order[0]] == 0 for order in rows)
        return min(1.0, 2 * float(special.bdtr(min(first, len(rows) - first), len(rows), 0.5)))
    treatment = np.array([names[name] for order in rows for name in order])
    block = np.repeat(np.arange(len(rows)), [len(order) for order in rows])
    place = np.concatenate([np.arange(len(order)) - (len(order) - 1) / 2 for order in rows])
    seen = float(_unevenness(place[None, :], treatment)[0])
    generator = np.random.default_rng(len(place))
    shuffles = max(_ENOUGH_SHUFFLES, min(_SHUFFLES, _MOST_NUMBERS // len(place)))
    at_once = max(1, _AT_ONCE // len(place))
    above = 0
    for done in range(0, shuffles, at_once):
        drawn = generator.random((min(at_once, shuffles - done), len(place)))
        shuffled = place[np.argsort(block + drawn, axis=1)]
        above += int((_unevenness(shuffled, treatment) >= seen * (1 - 1e-12)).sum())
    return (1 + above) / (1 + shuffles)


def _unevenness(places: _Array, treatment: NDArray[np.int64]) -> _Array:
    """Of each row of places. treatment: of each column."""
    by_treatment = np.argsort(treatment, kind="stable")
    counts = np.bincount(treatment)
    sums = np.add.reduceat(places[:, by_treatment], np.cumsum(counts) - counts, axis=1)
    found: _Array = (sums**2 / counts).sum(axis=1)
    return found


def sentence(orders: Mapping[str, Sequence[str]]) -> str:
    """What is uneven, and what follows from it."""
    rows = [order for order in orders.values() if len(order) > 1]
    same = set(map(tuple, rows))
    if len(same) == 1:
        names = [*next(iter(same))]
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        what = f"all {len(rows)} blocks have the same order of rows ({', '.join(names[:_MOST_NAMES])}{more})"
    elif rows:
        sums: dict[str, list[float]] = {}
        for order in rows:
            for number, name in enumerate(order):
                sums.setdefault(name, []).append((number - (len(order) - 1) / 2) / (len(order) - 1))
        name = max(sums, key=lambda one: abs(sum(sums[one])) / len(sums[one]) ** 0.5)
        early = sum(sums[name]) < 0
        end = sum(order[0 if early else -1] == name for order in rows if name in order)
        what = (
            f"the order of rows within blocks is not random ({name} comes {'early' if early else 'late'}, and is "
            f"{'first' if early else 'last'} in {end} of {len(sums[name])} blocks)"
        )
    else:
        return ""
    return f"{what}: what the order does cannot be told from the treatments; measure in random order"
