"""Samples in the host's time: by the line fitted to the guest's clock, or as the laboratory timed them itself. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.clock.steps import Span, spans
from virtometer.model import MAX_SLEW, ClockFit, RoundTrip, Run, Sample

_LOST_NS = 1.0
"""What arithmetic loses: a line through the corner of the feasible region misses it by no more."""

_CLOSE_NS = 10_000_000
"""Pings that are closer together follow each other without a pause."""


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


def of_run(run: Run) -> list[Interval]:
    """The intervals of a scored run's samples. Guest-timed ones last as long as the guest's clock said."""
    return of(run.samples, run.scored.clock, run.probes)


def of(samples: Sequence[Sample], clock: ClockFit, trips: Sequence[RoundTrip]) -> list[Interval]:
    """The intervals of a run's samples, by its clock and its round trips.

    Where the laboratory timed the run, each sample has a round trip of its work. What is left of them beside the work
    is shared by all.
    """
    work = [trip for trip in trips if trip.kind == "work"] if clock.compared else []
    if not work or len(work) != len(samples):
        return _by_line(samples, clock, trips if clock.compared else ())
    guest_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    beside_ns = (sum(trip.round_trip_ns for trip in work) - guest_ns * clock.rate) / len(work)
    # No piece of work is known worse than all of them together.
    bound_ns = min(clock.bound_ns, clock.rate_bound * guest_ns)
    # The line was moved by one way: into what the laboratory released, or, where the work is continuous, back.
    way_ns = clock.reference_host_ns - work[0].sent_host_ns
    return [
        Interval(
            start_ns=trip.sent_host_ns + way_ns,
            end_ns=trip.received_host_ns - abs(way_ns),
            duration_s=(trip.round_trip_ns - beside_ns) * 1e-9,
            start_bound_ns=clock.bound_ns,
            end_bound_ns=clock.bound_ns,
            bound_s=bound_ns * 1e-9,
        )
        for trip in work
    ]


def residual_s(run: Run) -> float:
    """How far the fitted line misses the interval that the worst round trip proves: 0 where it misses none.

    Where the laboratory timed the work the line is that of the work, and misses what its own bound leaves open.
    """
    clock = run.scored.clock
    worst_ns = clock.missed_ns(run.probes) - (clock.bound_ns if run.host_timed else 0.0)
    return worst_ns * 1e-9 if worst_ns > _LOST_NS else 0.0


def _by_line(samples: Sequence[Sample], clock: ClockFit, trips: Sequence[RoundTrip]) -> list[Interval]:
    """By the line alone. The bound of a duration holds the drift between two pings that the line does not explain."""
    drifts = [(span, abs(span.drift_ns(clock.rate, clock.rate))) for span in spans(trips)]
    drifts = [(span, drift_ns) for span, drift_ns in drifts if drift_ns > _LOST_NS]
    # A clock that contradicts itself within a moment ticks coarsely: a sample may be off by a tick at both ends.
    ticks = any(span.least_ns < _CLOSE_NS for span, _ in drifts)
    ticks_ns = 2 * clock.missed_ns(trips) if ticks else 0.0
    unexplained = [(span, drift_ns) for span, drift_ns in drifts if span.guest_ns > 0]
    ends_ns = [span.end_guest_ns for span, _ in unexplained]
    found = []
    for sample in samples:
        beside_ns = ticks_ns
        for span, drift_ns in unexplained[bisect_right(ends_ns, sample.start_ns) :]:
            if span.begin_guest_ns >= sample.end_ns:
                break
            beside_ns += _share(span, drift_ns, sample)
        found.append(
            Interval(
                start_ns=clock.to_host_ns(sample.start_ns),
                end_ns=clock.to_host_ns(sample.end_ns),
                duration_s=clock.duration_s(sample.start_ns, sample.end_ns),
                start_bound_ns=clock.bound_at_ns(sample.start_ns),
                end_bound_ns=clock.bound_at_ns(sample.end_ns),
                bound_s=clock.duration_bound_s(sample.start_ns, sample.end_ns) + beside_ns * 1e-9,
            )
        )
    return found


def _share(span: Span, drift_ns: float, sample: Sample) -> float:
    """How much of the drift between two pings may lie in a sample: more than slewing may have come at once."""
    if drift_ns > MAX_SLEW * max(span.least_ns, 0):
        return drift_ns
    within_ns = min(sample.end_ns, span.end_guest_ns) - max(sample.start_ns, span.begin_guest_ns)
    return drift_ns * within_ns / span.guest_ns
