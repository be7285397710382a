"""The samples of a run in host time, as reports show them: in columns, because there may be a million."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.compare.values import clock_bound
from virtometer.analysis.score.of_run import per_unit
from virtometer.clock.intervals import Intervals, of_run
from virtometer.model import Run, SampleColumns, columns_of


@dataclass(frozen=True, slots=True, eq=False)
class TimedSamples:
    """All samples of a scored run, used or not, with their times on the host.

    rate: work per host second, or host seconds per work for the unit s; NaN where there is none. rate_bound: how far
    off the clock may make it, in its unit; NaN where nobody knows.
    """

    columns: SampleColumns
    intervals: Intervals
    rate: NDArray[np.float64]
    rate_bound: NDArray[np.float64]


def timed_samples(run: Run) -> TimedSamples:
    """The samples of a scored run in host time."""
    of, intervals = columns_of(run.samples), of_run(run)
    rate, bound = np.full(len(of.work), np.nan), np.full(len(of.work), np.nan)
    possible = (intervals.duration_s > 0) if run.unit != "s" else (of.work > 0)
    rate[possible] = per_unit(of.work[possible].astype(np.float64), intervals.duration_s[possible], run.unit)
    share = intervals.relative_bound
    known = possible & (share < 1)
    off = rate[known] * share[known]
    bound[known] = off if run.unit == "s" else off / (1 - share[known])
    return TimedSamples(of, intervals, rate, bound)


def samples_unused(run: Run) -> int:
    """Number of samples excluded for a fault, and not by the design of slices and long windows."""
    return int(columns_of(run.samples).unused.sum())


def value_bound(run: Run) -> float | None:
    """How far off the clock may make a run's value, in its unit; None without a score, and where nobody knows."""
    return None if run.score is None else clock_bound(run.score.value, run.unit, run.score.clock.relative_bound)
