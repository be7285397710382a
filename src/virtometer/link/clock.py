"""Offset and rate between a guest's clock and the host's, from pings. Pure.

With f(g) the host time at which the guest's clock shows g, each ping says two things, each at a guest time of its own,
so that it does not matter at which rate the guest's clock runs while it holds the answer:
f(received) >= sent by the host, f(sent by the guest) <= received by the host. The line f is taken from the corridor
between all these points (`corridor`); where no line passes, from the shortest round trips of the bursts at both ends
(F. Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989), with bounds that cover what is
left over. The history of a guest's clock, its probes before the run, bounds the rate in a short run more narrowly than
the run's own probes do. METHODOLOGY.md has the assumption and the evidence in its appendix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from virtometer.errors import LinkError
from virtometer.link import corridor
from virtometer.link.belied import ClockBelied
from virtometer.link.corridor import Point
from virtometer.model import MAX_SLEW, ClockFault, ClockFit, ClockProbe

# What a history must have before it bounds a run: host ns, multiples of the time between the bursts, probes.
_HISTORY_NS = 1_000_000_000
_HISTORY_GAPS = 2
_HISTORY_PROBES = 24

_BURST = 8  # at either end of a history, for its shortest round trips

# Readings are whole numbers: a guest ns that was cut off is up to one guest ns of host time.
_ROUNDING_NS = 4


def lower_points(probes: Sequence[ClockProbe]) -> list[Point]:
    """What the ways there say: the clocks' line passes above these points."""
    return [(probe.received_guest_ns, probe.sent_host_ns - _ROUNDING_NS) for probe in probes]


def upper_points(probes: Sequence[ClockProbe]) -> list[Point]:
    """What the ways back say: the clocks' line passes below these points."""
    return [(probe.sent_guest_ns, probe.received_host_ns + _ROUNDING_NS) for probe in probes]


def is_linear(probes: Sequence[ClockProbe]) -> bool:
    """Whether one offset and one rate explain every probe."""
    low, high = corridor.slopes(lower_points(probes), upper_points(probes))
    return low <= high


def stood_still() -> ClockBelied:
    """The clock showed the same before and after a run, or less."""
    sentence = "the guest's clock did not advance between the probes before and after the run"
    return ClockBelied(sentence, ClockFault("stood-still"))


def linear_tail(probes: Sequence[ClockProbe]) -> Sequence[ClockProbe]:
    """The longest tail of these probes, in the order in which they were sent, that one offset and one rate explain."""
    if is_linear(probes):
        return probes
    first, last = 0, len(probes) - 1  # probes[first:] is not linear, probes[last:] is
    while last - first > 1:
        middle = (first + last) // 2
        if is_linear(probes[middle:]):
            last = middle
        else:
            first = middle
    return probes[last:]


def fit(
    before: Sequence[ClockProbe],
    after: Sequence[ClockProbe],
    during: Sequence[ClockProbe] = (),
    history: Sequence[ClockProbe] = (),
) -> ClockFit:
    """Fit offset and rate from the probes before, during and after a run, and those of the guest's history before it.

    The bound of the offset is half of the corridor at its narrowest place, which is at most half the shortest round
    trip. That of the rate is what the corridor leaves open, and no less than what a step could hide in it; or what the
    history leaves open, where that is less. Raises LinkError when a burst is empty or the guest's clock did not
    advance.
    """
    if not before or not after:
        raise LinkError("clocks cannot be compared without a probe before and one after the run")
    if after[-1].sent_guest_ns <= before[0].received_guest_ns:
        raise stood_still()
    probes = [*before, *during, *after]
    origin = probes[0]
    lower, upper = _shifted(lower_points(probes), origin), _shifted(upper_points(probes), origin)
    room = corridor.find(lower, upper)
    if room is None or not math.isfinite(room.high) or room.slope <= 0:
        return _shortest(before, after, probes)
    hidden = _hidden(before, after)
    rate, middle = room.slope, room.middle
    rate_bound = max(room.high - rate, rate - room.low, rate * hidden)
    count = len(probes)
    known = linear_tail([*history, *probes])
    gap_ns = after[0].sent_host_ns - before[-1].received_host_ns
    found = _rate_of_history(known, gap_ns, hidden)
    if found is None and not during:
        earlier = _rate_of_history(linear_tail([*history, *before]), gap_ns, hidden)
        if earlier is not None:  # and the bursts around the run are not on that line: a step is taken for rate
            rate_bound = max(rate_bound, abs(rate - earlier[0]) + earlier[1])
    elif found is not None and found[1] < rate_bound:
        rate, rate_bound = found
        count = len(known)
        # The offset is that of the run, at this rate.
        floor = max(host + (room.at - guest) * rate for guest, host in lower)
        ceiling = min(host + (room.at - guest) * rate for guest, host in upper)
        middle = (floor + ceiling) / 2
    return ClockFit(
        reference_guest_ns=origin.received_guest_ns + room.at,
        reference_host_ns=origin.sent_host_ns + round(middle),
        rate=rate,
        bound_ns=room.half_width + abs(middle - room.middle) + 1,
        rate_bound=rate_bound,
        probes=count,
    )


def _rate_of_history(known: Sequence[ClockProbe], gap_ns: int, hidden: float) -> tuple[float, float] | None:
    """The rate that `known`, the linear tail of a guest's probes, proves, and its bound; None for a short history.

    `gap_ns` is the host time between the bursts around the run, `hidden` the part of it that a step could hide. Within
    the run the clock may be slewed and may tick; a step that the run's round trips hide is assumed to be absent.
    """
    lived_ns = known[-1].received_host_ns - known[0].sent_host_ns
    if len(known) < _HISTORY_PROBES or lived_ns < max(_HISTORY_NS, _HISTORY_GAPS * gap_ns):
        return None
    low, high = corridor.slopes(lower_points(known), upper_points(known))
    if low <= 0 or not math.isfinite(high):
        return None
    rate = (low + high) / 2
    readings = sorted({ns for probe in known for ns in (probe.received_guest_ns, probe.sent_guest_ns)})
    tick_ns = min(after - one for one, after in pairwise(readings)) * rate  # no tick is longer
    elsewhere = sum(min(probe.away_ns for probe in burst) for burst in (known[:_BURST], known[-_BURST:])) / lived_ns
    # The clock may have been slewed all its life, and be slewed the other way now.
    within = min(hidden, 2 * MAX_SLEW + tick_ns / max(gap_ns, 1))
    return rate, max((high - low) / 2, rate * elsewhere) + rate * within


def _shifted(points: Sequence[Point], origin: ClockProbe) -> list[Point]:
    """Small numbers, so that nothing is lost where they become floating-point numbers."""
    return [(guest - origin.received_guest_ns, host - origin.sent_host_ns) for guest, host in points]


def _shortest(before: Sequence[ClockProbe], after: Sequence[ClockProbe], probes: Sequence[ClockProbe]) -> ClockFit:
    """The line through the shortest round trip of each burst. What it misses is added to the bounds."""
    first, last = (min(burst, key=lambda probe: probe.away_ns) for burst in (before, after))
    guest_first, guest_last = (probe.received_guest_ns + _hold(probe) / 2 for probe in (first, last))
    host_first, host_last = ((probe.sent_host_ns + probe.received_host_ns) / 2 for probe in (first, last))
    span = guest_last - guest_first
    if span <= 0:
        raise stood_still()
    reference = round(guest_first)
    rate = (host_last - host_first) / span
    half = max(first.away_ns, last.away_ns) / 2
    line = ClockFit(reference, round(host_first + (reference - guest_first) * rate), rate, half, 0.0, len(probes))
    missed = line.missed_ns(probes)
    rate_bound = 2 * (2 * half + missed) / span + max(_bent(rate, burst) for burst in (before, after))
    return ClockFit(reference, line.reference_host_ns, rate, half + missed, rate_bound, len(probes))


def _bent(rate: float, burst: Sequence[ClockProbe]) -> float:
    """How far a rate is from any that the probes of a burst allow by themselves."""
    low, high = corridor.slopes(lower_points(burst), upper_points(burst))
    return max(low - rate, rate - high, 0.0) if low <= high else 0.0


def _hidden(before: Sequence[ClockProbe], after: Sequence[ClockProbe]) -> float:
    """Part of the run by which a step that round trips hide, taken for rate, can lengthen or shorten it.

    It moves the line by the shortest round trips, and seems to be a rate of the bursts as well.
    """
    gap = after[0].sent_host_ns - before[-1].received_host_ns
    shortest = [min(probe.away_ns for probe in burst) for burst in (before, after)]
    return sum(shortest) / max(gap, 1)


def _hold(probe: ClockProbe) -> int:
    return probe.sent_guest_ns - probe.received_guest_ns
