"""Samples in the host's time: by the line fitted to the guest's clock, or as the laboratory timed them itself. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from virtometer.clock.steps import Span, spans
from virtometer.model import (
    ITERATIONS,
    MAX_SLEW,
    PINGS,
    ClockFit,
    RoundTrip,
    Run,
    Sample,
    SampleColumns,
    columns_of,
    of_kinds,
)

_LOST_NS = 1.0
"""What arithmetic loses: a line through the corner of the feasible region misses it by no more."""


@dataclass(frozen=True, slots=True)
class Interval:
    """When a sample began and ended (host ns), how long it lasted (s), and the bounds of their errors."""

    start_ns: float
    end_ns: float
    duration_s: float
    start_bound_ns: float
    end_bound_ns: float
    bound_s: float

    @property
    def relative_bound(self) -> float:
        """Bound of the error of the duration, as a fraction of it; NaN where a guest-timed one has no length."""
        return self.bound_s / self.duration_s if self.duration_s > 0 else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Sequence[Interval]):
    """The intervals of many samples in columns, as `Interval` has them; each is made when it is read."""

    start_ns: NDArray[np.float64]
    end_ns: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    start_bound_ns: NDArray[np.float64]
    end_bound_ns: NDArray[np.float64]
    bound_s: NDArray[np.float64]

    @property
    def relative_bound(self) -> NDArray[np.float64]:
        """As `Interval.relative_bound`."""
        known = self.duration_s > 0
        found: NDArray[np.float64] = np.full(len(known), math.nan)
        return np.divide(self.bound_s, self.duration_s, out=found, where=known)

    @property
    def columns(self) -> tuple[NDArray[np.float64], ...]:
        """The columns in the order of the fields of `Interval`."""
        return self.start_ns, self.end_ns, self.duration_s, self.start_bound_ns, self.end_bound_ns, self.bound_s

    def __len__(self) -> int:
        return len(self.start_ns)

    @overload
    def __getitem__(self, index: int) -> Interval: ...

    @overload
    def __getitem__(self, index: slice) -> list[Interval]: ...

    def __getitem__(self, index: int | slice) -> Interval | list[Interval]:
        if isinstance(index, slice):
            return [Interval(*numbers) for numbers in zip(*(one[index].tolist() for one in self.columns), strict=True)]
        return Interval(*(float(column[index]) for column in self.columns))

    def __iter__(self) -> Iterator[Interval]:
        return iter(self[:])


def of_run(run: Run, clock: ClockFit | None = None) -> Intervals:
    """The intervals of a run's samples, by the clock of its score or by another.

    Of a run that the laboratory timed they are those of its iterations, unless the clock was not compared: then they
    last as long as the guest's clock said.
    """
    clock = clock or run.scored.clock
    if not clock.compared:
        return by_line(run.samples, clock, ())
    return (by_iterations if run.host_timed else by_line)(run.samples, clock, run.probes)


def by_iterations(samples: Sequence[Sample], clock: ClockFit, trips: Sequence[RoundTrip]) -> Intervals:
    """As the laboratory timed them: each sample has a round trip of its work, in the same order."""
    work = of_kinds(trips, "work")
    of = columns_of(samples)
    # No piece of work has a larger bound than their sum.
    guest_ns = sum((of.end_ns - of.start_ns).tolist())
    bound_s = min(clock.bound_ns, clock.rate_bound * guest_ns) * 1e-9
    # The fit includes the one-way delay: half of a null round trip, negative where the work is continuous.
    way_ns = clock.reference_host_ns - work[0].sent_host_ns
    starts = np.array([trip.sent_host_ns + way_ns for trip in work], np.float64)
    ends = np.array([trip.received_host_ns - abs(way_ns) for trip in work], np.float64)
    lasted_s = np.array([trip.received_host_ns - abs(way_ns) - trip.sent_host_ns - way_ns for trip in work]) * 1e-9
    bounds = np.full(len(work), clock.bound_ns)
    return Intervals(starts, ends, lasted_s, bounds, bounds, np.full(len(work), bound_s))


def by_line(samples: Sequence[Sample], clock: ClockFit, trips: Sequence[RoundTrip]) -> Intervals:
    """By the line alone. The bound of a duration holds the drift between two pings that the line does not explain."""
    of = columns_of(samples)
    after = of.start_ns - clock.reference_guest_ns, of.end_ns - clock.reference_guest_ns
    starts, ends = (one.astype(np.float64) for one in after)
    duration_s = of.lasted_s(clock.rate)
    return Intervals(
        start_ns=clock.reference_host_ns + starts * clock.rate,
        end_ns=clock.reference_host_ns + ends * clock.rate,
        duration_s=duration_s,
        start_bound_ns=clock.bound_ns + np.abs(starts) * clock.rate_bound,
        end_bound_ns=clock.bound_ns + np.abs(ends) * clock.rate_bound,
        bound_s=duration_s * clock.relative_bound + _beside_ns(of, clock, of_kinds(trips, *PINGS)) * 1e-9,
    )


def _beside_ns(of: SampleColumns, clock: ClockFit, pings: Sequence[RoundTrip]) -> NDArray[np.float64]:
    """By how much the clock may have gone wrong within each sample that the line does not explain."""
    if clock.missed_ns(pings) == 0.0:  # a line that keeps to all pings explains every drift between them
        return np.zeros(len(of.start_ns))
    drifts = [(span, abs(span.drift_ns(clock.rate, clock.rate))) for span in spans(pings)]
    # A clock ticks that stands still between two pings, or goes twice as far: both ends of a sample may be off so much.
    ticks = any(drift_ns >= span.least_ns > 0 for span, drift_ns in drifts)
    beside_ns = np.full(len(of.start_ns), 2 * clock.missed_ns(pings) if ticks else 0.0)
    unexplained = [(span, drift_ns) for span, drift_ns in drifts if drift_ns > _LOST_NS and span.guest_ns > 0]
    if not unexplained:
        return beside_ns
    ends_ns = [span.end_guest_ns for span, _ in unexplained]
    for number, (start_ns, end_ns) in enumerate(zip(of.start_ns.tolist(), of.end_ns.tolist(), strict=True)):
        for span, drift_ns in unexplained[bisect_right(ends_ns, start_ns) :]:
            if span.begin_guest_ns >= end_ns:
                break
            beside_ns[number] += _share(span, drift_ns, start_ns, end_ns)
    return beside_ns


def residual_s(run: Run) -> float:
    """How far the fitted line misses the interval that the worst round trip proves: 0 where it misses none.

    Where the laboratory timed the work the line is that of the work, and misses what its own bound leaves open.
    """
    clock = run.scored.clock
    worst_ns = clock.missed_ns(of_kinds(run.probes, *PINGS, *ITERATIONS)) - (clock.bound_ns if run.host_timed else 0.0)
    return worst_ns * 1e-9 if worst_ns > _LOST_NS else 0.0


def _share(span: Span, drift_ns: float, start_ns: int, end_ns: int) -> float:
    """How much of the drift between two pings may lie in a sample: more than slewing may have come at once."""
    if drift_ns > MAX_SLEW * span.least_ns:
        return drift_ns
    within_ns = min(end_ns, span.end_guest_ns) - max(start_ns, span.begin_guest_ns)
    return drift_ns * within_ns / span.guest_ns
