"""Absolute values: what a workload reached in one environment, in its unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

from virtometer import agent_table
from virtometer.analysis.compare.blocks import TreatmentData
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Better, Estimate, Quantity

_Known = TypeVar("_Known", bound=Estimate | None)

# What a unit measures, in words.
METRICS = {
    "FLOP/s": "floating-point rate",
    "B/s": "throughput",
    "IO/s": "I/O rate",
    "1/s": "rate",
    "s": "time per operation",
}


def metric(workload: str, op: str, unit: str) -> str:
    """What was measured, in words. Of arrays the convention by which their bytes are counted is a part of it."""
    arrays = agent_table.arrays(workload, op)
    if arrays is not None and arrays.moved:
        return arrays.bandwidth
    by = agent_table.judged_by(workload, op)
    return METRICS.get(unit, unit) if by is None else by.metric


def value_of(
    data: TreatmentData, kernel: str, shape: tuple[str, str, Better], values: Mapping[int, float] | None = None
) -> Quantity[Estimate | None]:
    """Geometric mean over the blocks with its interval. kernel: of its workload. shape: that of a treatment.

    values: by block, instead of the treatment's own.

    The geometric one, because the ratio of two geometric means over the same blocks is the geometric mean of the
    ratios.
    """
    op, unit, better = shape
    of = interval(map(math.log, (data.values if values is None else values).values()))
    return Quantity(data.environment, metric(kernel, op, unit), unit, better, "geometric mean", of)


def efficiency(
    subject: str, against: str, of: _Known, statistic: str = "geometric mean", metric: str = "efficiency"
) -> Quantity[_Known]:
    """A ratio of values within blocks that is above 1 where the subject is better."""
    return Quantity(subject, metric, "", "higher", statistic, of, against)


def clock_bound(value: float, unit: str, share: float) -> float | None:
    """How far off a value may be, in its unit, whose duration may be off by this `share`; None where nobody knows.

    A rate divides by the duration: of one that may be shorter by a share e it is too low by up to e / (1 - e).
    """
    if not share < 1:  # nor where there is no bound (NaN)
        return None
    return value * share if unit == "s" else value * share / (1 - share)
