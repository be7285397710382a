"""Level averages: what a kernel of the memory reaches in each cache and in RAM, from a sweep over sizes.

The caches are those that the agent found. A size lies in the smallest cache that holds all arrays of the operation at
once, or else in RAM. Within each block the values of a level's sizes are averaged arithmetically, as the published
RAMspeed series did over doubling sizes. The blocks' averages are the replicates (`interval`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from virtometer import agent_table
from virtometer.analysis.compare.blocks import Key, TreatmentData
from virtometer.analysis.compare.values import metric
from virtometer.analysis.curves.sweeps import Series
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Estimate, Quantity

RAM = "RAM"
MEASURES = {"L1": "l1d-bytes", "L2": "l2-bytes", "L3": "l3-bytes", "L4": "l4-bytes"}


def of_series(table: Mapping[Key, TreatmentData], series: Series) -> dict[str, dict[str, Quantity[Estimate]]]:
    """Level averages by environment, of a series of an operation on arrays over their sizes; empty for any other.

    table: of the campaign.
    """
    arrays = agent_table.arrays(series.workload, series.op)
    if arrays is None or series.axes != ("size",):
        return {}
    sizes = {name: int(place[0]) for place, name in series.points.items()}
    made = {}
    for environment in dict.fromkeys(name for _, name in table):
        at = {key: data for key, data in table.items() if key[1] == environment and key[0] in sizes and data.values}
        own = {sizes[workload]: data for (workload, _), data in at.items()}
        if not own:
            continue
        first = next(iter(own.values()))
        values, found = {size: data.values for size, data in own.items()}, caches(first.results[0][1].reported.measures)
        if (averages := level_averages(values, arrays.held, found)) and first.shape is not None:
            op, unit, better = first.shape
            what = metric(series.workload, op, unit)
            made[environment] = {
                level: Quantity(environment, f"{what} in {level}", unit, better, "geometric mean", average)
                for level, average in averages.items()
            }
    return made


def caches(measures: Mapping[str, Any]) -> dict[str, float]:
    """Bytes of each cache that a result's measures report, L1 first. Empty where none was found."""
    return {level: float(measures[name]["value"]) for level, name in MEASURES.items() if name in measures}


def level_of(size: int, arrays: int, found: Mapping[str, float]) -> str:
    """The smallest of the caches `found` that holds `arrays` arrays of `size` bytes, or RAM."""
    holding = [(most, level) for level, most in found.items() if size * arrays <= most]
    return min(holding)[1] if holding else RAM


def level_averages(
    values: Mapping[int, Mapping[int, float]], arrays: int, found: Mapping[str, float]
) -> dict[str, Estimate]:
    """Average of each level that has sizes, from `values` by size in bytes and block. Empty where no cache was found.

    A block counts for a level when all of the level's sizes have a value in it. Values must be positive.
    """
    if not found:
        return {}
    levels: dict[str, list[Mapping[int, float]]] = {level: [] for level in (*found, RAM)}
    for size, by_block in values.items():
        levels[level_of(size, arrays, found)].append(by_block)
    averages = {}
    for level, sizes in levels.items():
        complete = set[int].intersection(*(set(by_block) for by_block in sizes)) if sizes else set()
        means = [math.fsum(by_block[block] for by_block in sizes) / len(sizes) for block in sorted(complete)]
        if (average := interval(map(math.log, means))) is not None:
            averages[level] = average
    return averages
