"""Offset and rate between a guest's clock and the host's, from pings. Pure; docs/CLOCKS.md has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from virtometer.clock.region import feasible_region, is_linear, longest_feasible_prefix, slope_bounds
from virtometer.errors import ClockError, LinkError
from virtometer.model import MAX_SLEW, ClockFault, ClockFit, RoundTrip

# What a history must have before it bounds a run: host ns, multiples of the time between the bursts, pings.
_HISTORY_NS = 1_000_000_000
_HISTORY_GAPS = 2
_HISTORY_PINGS = 24

BURST = 8
"""Pings of a burst; at either end of a history the shortest of so many counts."""


def fit(
    before: Sequence[RoundTrip],
    after: Sequence[RoundTrip],
    during: Sequence[RoundTrip] = (),
    history: Sequence[RoundTrip] = (),
) -> ClockFit:
    """The line through the pings before, during and after a run, with bounds of its offset (host ns) and its rate.

    The history of the guest before the run bounds the rate of a short run more narrowly than its own pings do. Raises
    LinkError when a burst is empty, ClockError when the guest's clock did not advance.
    """
    if not before or not after:
        raise LinkError("clocks cannot be compared without a probe before and one after the run")
    if after[-1].sent_guest_ns <= before[0].received_guest_ns:
        raise stood_still()
    trips = [*before, *during, *after]
    region = feasible_region(trips)
    if region is None:
        return _through_bursts(before, after, trips)
    gap_ns = max(after[0].sent_host_ns - before[-1].received_host_ns, 1)
    # A step that the round trips hide moves the line by the shortest ones, and looks like a rate of the bursts as well.
    hidden = (_shortest_ns(before) + _shortest_ns(after)) / gap_ns
    rate, beside_ns, count = region.rate, 0.0, len(trips)
    bound = max(region.high - rate, rate - region.low, rate * hidden)
    tail = linear_tail([*history, *trips])
    known = _rate_of_tail(tail, gap_ns, hidden)
    if known is None and not during:
        earlier = _rate_of_tail(linear_tail([*history, *before]), gap_ns, hidden)
        if earlier is not None:  # and the bursts around the run are not on that line: a step is taken for rate
            bound = max(bound, abs(rate - earlier[0]) + earlier[1])
    elif known is not None and known[1] < bound:
        (rate, bound), count = known, len(tail)
        beside_ns = region.beside_ns(rate)
    bound_ns = region.half_width + abs(beside_ns) + 1
    return ClockFit(region.guest_ns, round(region.host_ns + beside_ns), rate, bound_ns, bound, count)


def stood_still() -> ClockError:
    """The clock showed the same before and after a run, or less."""
    sentence = "the guest's clock did not advance between the probes before and after the run"
    return ClockError(sentence, ClockFault("stood-still"))


def linear_tail(trips: Sequence[RoundTrip]) -> Sequence[RoundTrip]:
    """The longest tail of these round trips, in the order in which they were sent, that one line explains."""
    return trips if is_linear(trips) else trips[len(trips) - longest_feasible_prefix(trips[::-1]) :]


def _rate_of_tail(tail: Sequence[RoundTrip], gap_ns: int, hidden: float) -> tuple[float, float] | None:
    """The rate that the linear tail of a guest's pings proves, and its bound; None for a short one.

    `gap_ns` is the host time between the bursts around the run, `hidden` the part of it that a step could hide. Within
    the run the clock may be slewed and may tick; a step that the run's round trips hide is assumed to be absent.
    """
    lived_ns = tail[-1].received_host_ns - tail[0].sent_host_ns
    if len(tail) < _HISTORY_PINGS or lived_ns < max(_HISTORY_NS, _HISTORY_GAPS * gap_ns):
        return None
    low, high = slope_bounds(tail)
    if low <= 0 or not math.isfinite(high):
        return None
    rate = (low + high) / 2
    readings = sorted({ns for trip in tail for ns in (trip.received_guest_ns, trip.sent_guest_ns)})
    tick_ns = min(after - one for one, after in pairwise(readings)) * rate  # no tick is longer
    elsewhere = (_shortest_ns(tail[:BURST]) + _shortest_ns(tail[-BURST:])) / lived_ns
    # The clock may have been slewed all its life, and be slewed the other way now.
    within = min(hidden, 2 * MAX_SLEW + tick_ns / gap_ns)
    return rate, max((high - low) / 2, rate * elsewhere) + rate * within


def _through_bursts(before: Sequence[RoundTrip], after: Sequence[RoundTrip], trips: Sequence[RoundTrip]) -> ClockFit:
    """The line through the shortest round trip of each burst. Its residual is added to the bounds."""
    first, last = (min(burst, key=lambda trip: trip.round_trip_ns) for burst in (before, after))
    guest_first, guest_last = ((trip.received_guest_ns + trip.sent_guest_ns) / 2 for trip in (first, last))
    host_first, host_last = ((trip.sent_host_ns + trip.received_host_ns) / 2 for trip in (first, last))
    span = guest_last - guest_first
    if span <= 0:
        raise stood_still()
    rate, reference = (host_last - host_first) / span, round(guest_first)
    half_ns = max(first.round_trip_ns, last.round_trip_ns) / 2
    line = ClockFit(reference, round(host_first + (reference - guest_first) * rate), rate, half_ns, 0.0, len(trips))
    residual_ns = line.missed_ns(trips)
    slewed = 0.0  # how far the rate is from any that the pings of a burst allow by themselves
    for low, high in map(slope_bounds, (before, after)):
        if low <= high:
            slewed = max(slewed, low - rate, rate - high)
    rate_bound = 2 * (2 * half_ns + residual_ns) / span + slewed
    return replace(line, bound_ns=half_ns + residual_ns, rate_bound=rate_bound)


def _shortest_ns(trips: Sequence[RoundTrip]) -> int:
    return min(trip.round_trip_ns for trip in trips)
