"""Offset and rate between a guest's clock and the host's, from pings. Pure; docs/methods/clocks.md has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from virtometer.clock.region import feasible_region, is_linear, longest_feasible_prefix, slope_bounds
from virtometer.errors import ClockError, LinkError
from virtometer.model import MAX_SLEW, ClockFault, ClockFit, RoundTrip

# How long a history must be before it bounds a run: host ns, multiples of the time between the bursts.
_HISTORY_NS = 1_000_000_000
_HISTORY_GAPS = 2


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
    trips = [*before, *during, *after]
    ends = [min(burst, key=lambda trip: trip.round_trip_ns) for burst in (before, after)]
    linear = feasible_region(trips)
    region = linear or feasible_region([_at_once(trip) for trip in ends])
    if region is None or after[-1].sent_guest_ns <= before[0].received_guest_ns:
        raise stood_still()
    rate, host_ns, bound_ns, count = region.rate, region.host_ns, region.half_width + 1, len(trips)
    gap_ns = max(after[0].sent_host_ns - before[-1].received_host_ns, 1)
    # A step that the round trips hide moves the line by the shortest ones, and looks like a rate of the bursts as well.
    hidden_ns: float = sum(trip.round_trip_ns for trip in ends)
    if linear is None:
        residual_ns = ClockFit(region.guest_ns, round(host_ns), rate, bound_ns, 0.0, count).missed_ns(trips)
        bound_ns, hidden_ns = bound_ns + residual_ns, hidden_ns + 2 * residual_ns
    bound = max(region.high - rate, rate - region.low, rate * hidden_ns / gap_ns)
    known = _rate_of_tail([*history, *trips], gap_ns, hidden_ns) if linear is not None else None
    if known is not None and known[1] < bound:
        rate, bound, count = known
        beside_ns = region.beside_ns(rate)
        host_ns, bound_ns = host_ns + beside_ns, bound_ns + abs(beside_ns)
    elif known is None and not during:
        # Where the pings after the run leave the line of those up to it, a step or slewing within it is taken for rate.
        earlier = linear_tail([*history, *before])
        sides = [] if is_linear([*earlier, *after]) else [slope_bounds(earlier), slope_bounds(after)]
        bound += sum(max(low - rate, rate - high, 0.0) for low, high in sides if low <= high)
    return ClockFit(region.guest_ns, round(host_ns), rate, bound_ns, bound, count)


def stood_still() -> ClockError:
    """The clock showed the same before and after a run, or less."""
    sentence = "the guest's clock did not advance between the probes before and after the run"
    return ClockError(sentence, ClockFault("stood-still"))


def _at_once(trip: RoundTrip) -> RoundTrip:
    """The same, as if it had been answered when it was received: the clock may step or tick in between."""
    middle_ns = (trip.received_guest_ns + trip.sent_guest_ns) // 2
    return replace(trip, received_guest_ns=middle_ns, sent_guest_ns=middle_ns)


def linear_tail(trips: Sequence[RoundTrip]) -> Sequence[RoundTrip]:
    """The longest tail of these round trips, in the order in which they were sent, that one line explains."""
    return trips[len(trips) - longest_feasible_prefix(trips[::-1]) :]


def _rate_of_tail(trips: Sequence[RoundTrip], gap_ns: int, hidden_ns: float) -> tuple[float, float, int] | None:
    """The rate that the linear tail of a guest's pings proves, its bound, and how many pings; None for a short one.

    `gap_ns` is the host time between the bursts around the run, `hidden_ns` the step that they could hide. Within the
    run the clock may be slewed and may tick; a step that the run's round trips hide is assumed to be absent.
    """
    tail = linear_tail(trips)
    lived_ns = tail[-1].received_host_ns - tail[0].sent_host_ns
    low, high = slope_bounds(tail)
    if lived_ns < max(_HISTORY_NS, _HISTORY_GAPS * gap_ns) or low <= 0 or not math.isfinite(high):
        return None
    rate = (low + high) / 2
    readings = sorted({ns for trip in tail for ns in (trip.received_guest_ns, trip.sent_guest_ns)})
    tick_ns = min(after - one for one, after in pairwise(readings)) * rate  # no tick is longer
    # The clock may have been slewed all its life, and be slewed the other way now.
    within = min(hidden_ns / gap_ns, 2 * MAX_SLEW + tick_ns / gap_ns)
    return rate, max((high - low) / 2, rate * hidden_ns / lived_ns) + rate * within, len(tail)
