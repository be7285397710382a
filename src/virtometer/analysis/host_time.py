"""Samples in the host's time: by the line fitted to the guest's clock, or as the laboratory timed them itself."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from virtometer.model import MAX_SLEW, ClockFit, ClockProbe, PlacementResult, Sample

_LOST_NS = 1.0
"""What arithmetic loses: a line through the corner of the corridor misses it by no more."""

_CLOSE_NS = 10_000_000
"""Probes that are closer together follow each other without a rest."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """When a sample began and ended (host ns), how long it lasted (s), and the bounds of their errors."""

    start_ns: float
    end_ns: float
    duration_s: float
    start_bound_ns: float
    end_bound_ns: float
    bound_s: float

    @property
    def relative_bound(self) -> float:
        """Bound of the error of the duration, as a fraction of it; NaN where a raw one has no length."""
        return self.bound_s / self.duration_s if self.duration_s > 0 else math.nan


def stretches(result: PlacementResult) -> list[Stretch]:
    """The samples of a result, one by one. Raw ones last as long as the guest's clock said, whoever timed them."""
    return of(result.samples, result.clock, result.probes, by_laboratory=result.by_laboratory)


def of(
    samples: Sequence[Sample], clock: ClockFit, probes: Sequence[ClockProbe], *, by_laboratory: bool
) -> list[Stretch]:
    """The stretches of samples. `probes` are those of the run.

    `by_laboratory`: some of the probes were away while an iteration worked. What is left of them beside the work is
    shared by all, unless they flow on from the passage before them.
    """
    if not clock.compared:
        return [_by_line(sample, clock, _Gaps(clock, ())) for sample in samples]
    found = _holders(samples, probes) if by_laboratory else []
    if len(found) < len(samples) or not found:
        gaps = _Gaps(clock, probes)
        return [_by_line(sample, clock, gaps) for sample in samples]
    flows = any(probe.received_host_ns == found[0].sent_host_ns for probe in probes)
    work_ns = sum(sample.end_ns - sample.start_ns for sample in samples) * clock.rate
    empty_ns = (sum(passage.away_ns for passage in found) - work_ns) / len(found)
    # No piece of work is known worse than all of them together.
    bound_s = min(clock.bound_ns * 1e-9, clock.rate_bound * work_ns / clock.rate * 1e-9)
    # Where it flows both ends come one way late; how late is what the line was moved by.
    late_ns = found[0].sent_host_ns - clock.reference_host_ns if flows else empty_ns / 2
    return [
        Stretch(
            start_ns=passage.sent_host_ns + (-late_ns if flows else late_ns),
            end_ns=passage.received_host_ns - late_ns,
            duration_s=(passage.away_ns - empty_ns) * 1e-9,
            start_bound_ns=clock.bound_ns,
            end_bound_ns=clock.bound_ns,
            bound_s=bound_s,
        )
        for passage in found
    ]


def residual_s(result: PlacementResult) -> float:
    """How far the fitted line misses the interval that the worst probe proves: 0 where one line explains them all.

    Where the laboratory timed the work the line is that of the work, and misses what its own bound leaves open.
    """
    open_ns = result.clock.bound_ns if result.by_laboratory else 0.0
    worst_ns = result.clock.missed_ns(result.probes) - open_ns
    return worst_ns * 1e-9 if worst_ns > _LOST_NS else 0.0


class _Gaps:
    """What the line does not explain of the time between two successive probes, for the samples that lie there.

    A clock that contradicts itself within a moment ticks coarsely: any sample may be off by a tick at both ends.
    """

    def __init__(self, clock: ClockFit, probes: Sequence[ClockProbe]) -> None:
        ticks = False
        self._ends_ns: list[int] = []
        self._unexplained: list[tuple[int, int, float, bool]] = []  # from and to (guest ns), host ns, all at once
        for one, after in pairwise(probes):
            guest_ns = after.received_guest_ns - one.sent_guest_ns
            least, most = after.sent_host_ns - one.received_host_ns, after.received_host_ns - one.sent_host_ns
            missed_ns = max(least - guest_ns * clock.rate, guest_ns * clock.rate - most, 0.0)
            if missed_ns <= _LOST_NS:
                continue
            ticks = ticks or least < _CLOSE_NS
            if guest_ns > 0:
                at_once = missed_ns > MAX_SLEW * max(least, 0)  # what is above slewing may have come at once
                self._unexplained.append((one.sent_guest_ns, after.received_guest_ns, missed_ns, at_once))
                self._ends_ns.append(after.received_guest_ns)
        self._ticks_ns = 2 * clock.missed_ns(probes) if ticks else 0.0

    def unexplained_s(self, start_ns: int, end_ns: int) -> float:
        """How much of it may lie between two readings of the guest's clock, in host seconds."""
        found_ns = self._ticks_ns
        for first_ns, last_ns, missed_ns, at_once in self._unexplained[bisect_right(self._ends_ns, start_ns) :]:
            if first_ns >= end_ns:
                break
            part = 1.0 if at_once else (min(end_ns, last_ns) - max(start_ns, first_ns)) / (last_ns - first_ns)
            found_ns += missed_ns * part
        return found_ns * 1e-9


def _holders(samples: Sequence[Sample], passages: Sequence[ClockProbe]) -> list[ClockProbe]:
    """Of each sample the probe that was away longest while it ended. Samples without one are left out."""
    found = []
    known = sorted(passages, key=lambda probe: probe.sent_guest_ns)
    for sample in samples:
        first = bisect_left(known, sample.end_ns, key=lambda probe: probe.sent_guest_ns)
        # An answer that happens to be on its way at this very moment may come before the one that is meant.
        near = [probe for probe in known[first : first + 3] if probe.received_guest_ns < sample.end_ns]
        found.extend(sorted(near, key=lambda probe: probe.away_ns)[-1:])
    return found


def _by_line(sample: Sample, clock: ClockFit, gaps: _Gaps) -> Stretch:
    start, end = sample.start_ns, sample.end_ns
    return Stretch(
        start_ns=clock.to_host_ns(start),
        end_ns=clock.to_host_ns(end),
        duration_s=clock.duration_s(start, end),
        start_bound_ns=clock.bound_at_ns(start),
        end_bound_ns=clock.bound_at_ns(end),
        bound_s=clock.duration_bound_s(start, end) + gaps.unexplained_s(start, end),
    )
