"""Samples in the host's time: by the line fitted to the guest's clock, or as the laboratory timed them itself. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.clock.steps import Span, spans
from virtometer.model import ITERATIONS, MAX_SLEW, PINGS, ClockFit, RoundTrip, Run, Sample, of_kinds

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


def of_run(run: Run, clock: ClockFit | None = None) -> list[Interval]:
    """The intervals of a run's samples, by the clock of its score or by another.

    Of a run that the laboratory timed they are those of its iterations, unless the clock was not compared: then they
    last as long as the guest's clock said.
    """
    clock = clock or run.scored.clock
    if not clock.compared:
        return by_line(run.samples, clock, ())
    return (by_iterations if run.host_timed else by_line)(run.samples, clock, run.probes)


def by_iterations(samples: Sequence[Sample], clock: ClockFit, trips: Sequence[RoundTrip]) -> list[Interval]:
    """As the laboratory timed them: each sample has a round trip of its work, in the same order."""
    work = of_kinds(trips, "work")
    # No piece of work is known worse than all of them together.
    guest_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    bound_s = min(clock.bound_ns, clock.rate_bound * guest_ns) * 1e-9
    # The line was moved by one way: into what the laboratory released, or, where the work is continuous, back.
    way_ns = clock.reference_host_ns - work[0].sent_host_ns
    ends = [(trip.sent_host_ns + way_ns, trip.received_host_ns - abs(way_ns)) for trip in work]
    return [Interval(a, b, (b - a) * 1e-9, clock.bound_ns, clock.bound_ns, bound_s) for a, b in ends]


def by_line(samples: Sequence[Sample], clock: ClockFit, trips: Sequence[RoundTrip]) -> list[Interval]:
    """By the line alone. The bound of a duration holds the drift between two pings that the line does not explain."""
    pings = of_kinds(trips, *PINGS)
    drifts = [(span, abs(span.drift_ns(clock.rate, clock.rate))) for span in spans(pings)]
    # A clock ticks that stands still between two pings, or goes twice as far: both ends of a sample may be off so much.
    ticks = any(drift_ns >= span.least_ns > 0 for span, drift_ns in drifts)
    ticks_ns = 2 * clock.missed_ns(pings) if ticks else 0.0
    unexplained = [(span, drift_ns) for span, drift_ns in drifts if drift_ns > _LOST_NS and span.guest_ns > 0]
    ends_ns = [span.end_guest_ns for span, _ in unexplained]
    found = []
    for sample in samples:
        beside_ns = ticks_ns
        for span, drift_ns in unexplained[bisect_right(ends_ns, sample.start_ns) :]:
            if span.begin_guest_ns >= sample.end_ns:
                break
            beside_ns += _share(span, drift_ns, sample)
        duration_s = clock.duration_s(sample.start_ns, sample.end_ns)
        found.append(
            Interval(
                start_ns=clock.to_host_ns(sample.start_ns),
                end_ns=clock.to_host_ns(sample.end_ns),
                duration_s=duration_s,
                start_bound_ns=clock.bound_at_ns(sample.start_ns),
                end_bound_ns=clock.bound_at_ns(sample.end_ns),
                bound_s=duration_s * clock.relative_bound + beside_ns * 1e-9,
            )
        )
    return found


def residual_s(run: Run) -> float:
    """How far the fitted line misses the interval that the worst round trip proves: 0 where it misses none.

    Where the laboratory timed the work the line is that of the work, and misses what its own bound leaves open.
    """
    clock = run.scored.clock
    worst_ns = clock.missed_ns(of_kinds(run.probes, *PINGS, *ITERATIONS)) - (clock.bound_ns if run.host_timed else 0.0)
    return worst_ns * 1e-9 if worst_ns > _LOST_NS else 0.0


def _share(span: Span, drift_ns: float, sample: Sample) -> float:
    """How much of the drift between two pings may lie in a sample: more than slewing may have come at once."""
    if drift_ns > MAX_SLEW * span.least_ns:
        return drift_ns
    within_ns = min(sample.end_ns, span.end_guest_ns) - max(sample.start_ns, span.begin_guest_ns)
    return drift_ns * within_ns / span.guest_ns
