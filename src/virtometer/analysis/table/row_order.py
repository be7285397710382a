"""Whether the rows of a table are in random order within their blocks; without it order and treatment are one.

The places of each treatment are added up over the blocks, and the squares of the sums, each by its number of blocks,
are compared with those of rows that are shuffled within their blocks (M. Friedman, J. American Statistical Association
32 (1937) 675-701, for blocks of any size). With two treatments the number of blocks in which one is first is binomial.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.analysis.table.long_table import LongTable

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
    for treatment, block, _ in table.rows.get(metric, ()):
        own = found.setdefault(block, {})
        own.setdefault(treatment, len(own) + 1)
    return found


def sentences(table: LongTable) -> dict[str, str]:
    """What is not random in the order of the rows, by metric. Metrics with the same order share a sentence."""
    orders = {metric: {block: tuple(own) for block, own in places(table, metric).items()} for metric in table.metrics}
    keys = {metric: tuple(sorted(order.items())) for metric, order in orders.items()}
    different = set(keys.values())
    uneven = {key: sentence(dict(key)) for key in different if p_value(dict(key)) <= LEVEL / len(different)}
    return {metric: uneven[key] for metric, key in keys.items() if key in uneven}


def p_value(orders: Mapping[str, Sequence[str]]) -> float:
    """The chance of an order as uneven as this one where each block is in random order. orders: treatments by block.

    Of more than LEVEL it is only said that it is more.
    """
    rows = [order for order in orders.values() if len(order) > 1]
    names = {name: number for number, name in enumerate(dict.fromkeys(name for order in rows for name in order))}
    if len(rows) < 2:
        return 1.0
    if len(names) == 2:
        first = sum(names[order[0]] == 0 for order in rows)
        return min(1.0, 2 * float(special.bdtr(min(first, len(rows) - first), len(rows), 0.5)))
    if len(set(map(tuple, rows))) == 1:  # nothing is more uneven, and there is one such order for each first block
        return math.exp(-(len(rows) - 1) * math.lgamma(len(rows[0]) + 1))
    by_size: dict[int, list[Sequence[str]]] = {}
    for order in rows:
        by_size.setdefault(len(order), []).append(order)
    treatment = np.array([names[name] for group in by_size.values() for order in group for name in order])
    by_treatment, counts = np.argsort(treatment, kind="stable"), np.bincount(treatment)
    places = [np.tile(np.arange(size) - (size - 1) / 2, (len(group), 1)) for size, group in by_size.items()]

    def unevenness(of: Sequence[_Array]) -> _Array:
        """Of each time that the places of all blocks were drawn; of: times x blocks of a size x places."""
        joined = np.concatenate([drawn.reshape(len(drawn), -1) for drawn in of], axis=1)[:, by_treatment]
        sums = np.add.reduceat(joined, np.cumsum(counts) - counts, axis=1)
        found: _Array = (sums**2 / counts).sum(axis=1)
        return found

    seen = float(unevenness([of[None] for of in places])[0])
    generator = np.random.default_rng(len(treatment))
    shuffles = max(_ENOUGH_SHUFFLES, min(_SHUFFLES, _MOST_NUMBERS // len(treatment)))
    at_once = max(1, _AT_ONCE // len(treatment))
    above = 0
    for done in range(0, shuffles, at_once):
        times = min(at_once, shuffles - done)
        drawn = [generator.permuted(np.broadcast_to(of, (times, *of.shape)), axis=2) for of in places]
        above += int((unevenness(drawn) >= seen * (1 - 1e-12)).sum())
        if 1 + above > LEVEL * (1 + shuffles):
            break
    return (1 + above) / (1 + shuffles)


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
