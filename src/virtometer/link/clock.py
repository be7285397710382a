"""Offset and rate between a guest's clock and the host's, from pings. Pure.

With f(g) the host time at which the guest's clock shows g, each ping says two things, each at a guest time of its own,
so that it does not matter at which rate the guest's clock runs while it holds the answer:
f(received) >= sent by the host, f(sent by the guest) <= received by the host. The line f is taken from the corridor
between all these points (`corridor`); where no line passes, from the shortest round trips of the bursts at both ends
(F. Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989), with bounds that cover what is
left over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from virtometer.errors import LinkError
from virtometer.link import corridor
from virtometer.link.belied import ClockBelied
from virtometer.link.corridor import Point
from virtometer.model import ClockFault, ClockFit, ClockProbe

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


def fit(before: Sequence[ClockProbe], after: Sequence[ClockProbe], during: Sequence[ClockProbe] = ()) -> ClockFit:
    """Fit offset and rate from the probes before, during and after a run.

    The bound of the offset is half of the corridor at its narrowest place, which is at most half the shortest round
    trip. That of the rate is what the corridor leaves open, and no less than what a step could hide in it. Raises
    LinkError when a burst is empty or the guest's clock did not advance.
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
    return ClockFit(
        reference_guest_ns=origin.received_guest_ns + room.at,
        reference_host_ns=origin.sent_host_ns + round(room.middle),
        rate=room.slope,
        bound_ns=room.half_width + 1,
        rate_bound=max(room.high - room.slope, room.slope - room.low, room.slope * _hidden(before, after)),
        probes=len(probes),
    )


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
