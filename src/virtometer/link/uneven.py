"""Clocks whose rate changes all the time, as that of an emulator that counts instructions. Pure.

No line fits them, but the probes during a run say how much host time passed in each stretch of it, and when `start` was
sent and the last samples arrived say where it began and ended. Between these knots the host's time is interpolated; the
result is one mean rate with which the samples together last as long as they really did.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from virtometer.link.corridor import Point
from virtometer.model import ClockFit, ClockProbe, Sample

Knot = tuple[float, float]
"""Guest and host time in ns."""


def fit(
    probes: Sequence[ClockProbe], samples: Sequence[Sample], started_ns: int, last_arrival: Point
) -> ClockFit | None:
    """The mean rate over the samples; None where no probe fell between them.

    `last_arrival` is the end of the last sample (guest) and when it arrived (host). From `start` to the first sample
    and from the last sample to its arrival no more time passes than the longest round trip and what the guest's clock
    showed between the samples and the probes before and after them. What lies between samples is taken to run at the
    rate of its surroundings. Nobody knows: a clock that counts instructions runs slow while they are dear and leaps
    while the guest waits, so that all of it is in the bound. Work that is timed almost without a pause is known well.
    """
    trips = sorted(probe.received_host_ns - probe.sent_host_ns for probe in probes)
    begin, end = samples[0].start_ns, samples[-1].end_ns
    inner = [
        ((probe.received_guest_ns + probe.sent_guest_ns) / 2, (probe.sent_host_ns + probe.received_host_ns) / 2)
        for probe in probes
        if begin < probe.received_guest_ns and probe.sent_guest_ns < end
    ]
    knots = [(float(begin), started_ns + trips[0] / 2), *inner, (float(end), last_arrival[1] - trips[0] / 2)]
    if not inner or any(a[0] >= b[0] or a[1] >= b[1] for a, b in pairwise(knots)):
        return None
    guest_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    host_ns = sum(_at(knots, sample.end_ns) - _at(knots, sample.start_ns) for sample in samples)
    rate = host_ns / guest_ns
    line = [(started_ns + trips[0] / 2) + (guest - begin) * rate for guest, _ in knots]
    astray = max(abs(there - host) for there, (_, host) in zip(line, knots, strict=True))
    earlier = [probe.sent_guest_ns for probe in probes if probe.sent_guest_ns <= begin]
    later = [probe.received_guest_ns for probe in probes if probe.received_guest_ns >= end]
    if not earlier or not later:
        return None
    idle_ns = (begin - max(earlier) + min(later) - end) * rate
    between_ns = (end - begin - guest_ns) * rate
    wrong = 2 * trips[-1] + idle_ns + between_ns
    return ClockFit(
        reference_guest_ns=begin,
        reference_host_ns=round(line[0]),
        rate=rate,
        bound_ns=trips[-1] + astray,
        rate_bound=rate * wrong / host_ns,
        probes=len(probes),
    )


def _at(knots: Sequence[Knot], guest: float) -> float:
    right = min(max(bisect_right(knots, guest, key=lambda knot: knot[0]), 1), len(knots) - 1)
    (a, host_a), (b, host_b) = knots[right - 1], knots[right]
    return host_a + (guest - a) * (host_b - host_a) / (b - a)
