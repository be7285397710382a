"""The samples of a run in host time, as reports show them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from virtometer.analysis.score import per_unit
from virtometer.analysis.values import clock_bound
from virtometer.clock.intervals import Interval, of_run
from virtometer.model import Run, Sample


@dataclass(frozen=True, slots=True)
class TimedSample:
    """A sample with its time on the host.

    rate: work per host second, or host seconds per work for the unit s; None where there is none. rate_bound: how far
    off the clock may make it, in its unit; None where nobody knows.
    """

    sample: Sample
    interval: Interval
    rate: float | None
    rate_bound: float | None


def timed_samples(run: Run) -> Iterator[TimedSample]:
    """All samples of a scored run, used or not."""
    for sample, interval in zip(run.samples, of_run(run), strict=True):
        possible = interval.duration_s > 0 if run.unit != "s" else sample.work > 0
        rate = per_unit(sample.work, interval.duration_s, run.unit) if possible else None
        bound = None if rate is None else clock_bound(rate, run.unit, interval.relative_bound)
        yield TimedSample(sample, interval, rate, bound)


def value_bound(run: Run) -> float | None:
    """How far off the clock may make a run's value, in its unit; None without a score, and where nobody knows."""
    return None if run.score is None else clock_bound(run.score.value, run.unit, run.score.clock.relative_bound)
