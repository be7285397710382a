"""The clock of a run that the laboratory timed, from its iterations. Pure; docs/methods/clocks.md has the formulas.

An iteration is a ping whose answer is held while the guest works, whatever the guest's clock does meanwhile. What
else lies between sending and receiving is what an iteration without work takes. That one begins after both sides have
slept, and one with work ends after the laboratory has: waking up is in both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from virtometer.errors import ClockError
from virtometer.model import ClockFault, ClockFit, RoundTrip, Sample

NULL_ITERATIONS = 8
"""Iterations without work with which a run begins, beside the one before each that is released."""

_WAKING = 0.0015
"""What a laboratory may need longer to wake up after long sleep, or from under full load, of the time it slept."""


def fit(iterations: Sequence[RoundTrip], samples: Sequence[Sample], pings: Sequence[RoundTrip]) -> ClockFit:
    """The mean rate with which the samples in total last as long as they really did.

    `iterations` are in order, `pings` those around the run: they show how long the way may take. `bound_ns` is that of
    one moment. Raises ClockError where samples and iterations contradict each other.
    """
    work = [trip for trip in iterations if trip.kind == "work"]
    null_ns = [trip.round_trip_ns for trip in iterations if trip.kind == "null"]
    continuous = any(trip.kind == "warm-up" for trip in iterations)
    released = 0 if continuous else len(work)  # and one way there and back is no work
    complete = len(work) == len(samples) and len(null_ns) == NULL_ITERATIONS + max(released, 1)
    pairs = zip(work, samples, strict=False)
    if not complete or any(not trip.received_guest_ns < one.end_ns <= trip.sent_guest_ns for trip, one in pairs):
        sentence = "the agent sent samples from outside of the iterations that it was let do"
        raise ClockError(sentence, ClockFault("contradicts"))
    typical_ns = statistics.fmean(null_ns)
    shortest_ns, *_, longest_ns = sorted([*null_ns, *(ping.round_trip_ns for ping in pings)])
    host_ns = sum(trip.round_trip_ns for trip in work) - released * typical_ns
    guest_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    if host_ns <= 0:
        raise ClockError("the iterations were no longer than empty ones", ClockFault("contradicts"))
    # Errors of a mean and of a sum add up.
    spread_ns = (longest_ns - shortest_ns) * math.sqrt(released**2 / len(null_ns) + max(released, 1))
    return ClockFit(
        reference_guest_ns=samples[0].start_ns,
        reference_host_ns=round(work[0].sent_host_ns + (-typical_ns if continuous else typical_ns) / 2),
        rate=host_ns / guest_ns,
        bound_ns=longest_ns + _WAKING * max(trip.round_trip_ns for trip in work),
        rate_bound=(spread_ns + _WAKING * host_ns) / guest_ns,
        probes=len(iterations),
    )
