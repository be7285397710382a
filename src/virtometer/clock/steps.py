"""Clocks that step: found from pings, and from when samples began and arrived. Pure.

A clock that only runs too fast or too slow keeps to one line. One that was set, or that stood still while the guest
went on, does not, even where its offset and rate look right at both ends of a run. Only what the round trips cannot
explain counts: at least `STEP_NS`, and a share of the time between two pings that exceeds any slewing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from virtometer.clock.region import is_linear, longest_feasible_prefix, slope_bounds
from virtometer.errors import ClockError
from virtometer.model import ClockFault, ClockFit, RoundTrip

STEP_NS = 5_000_000
_SHARE = 0.002

Sighting = tuple[int, int]
"""A guest time, and a host time before or after which it cannot have been, in ns."""


@dataclass(frozen=True, slots=True)
class Step:
    """By how much the guest's clock changed (guest ns, above zero forwards) and about when (host ns)."""

    size_ns: float
    at_host_ns: float

    def error(self, start_host_ns: float) -> ClockError:
        """What happened, with the time since the start of the run."""
        size_s, after_s = self.size_ns * 1e-9, (self.at_host_ns - start_host_ns) * 1e-9
        moment = f"{abs(after_s):.2f} s {'after' if after_s >= 0 else 'before'}"
        when = "at the start of the run" if abs(after_s) < 0.005 else f"at {moment} the start of the run"
        sentence = f"the guest's clock stepped by about {size_s:+.3g} s {when}"
        return ClockError(sentence, ClockFault("stepped", size_s, after_s))


@dataclass(frozen=True, slots=True)
class Span:
    """From one reading of the guest's clock to another: how long the host says that it lasted, at least and at most."""

    begin_guest_ns: int
    end_guest_ns: int
    least_ns: int
    most_ns: int
    at_host_ns: float

    @property
    def guest_ns(self) -> int:
        """How long it lasted by the guest's clock."""
        return self.end_guest_ns - self.begin_guest_ns

    def drift_ns(self, low: float, high: float) -> float:
        """What no rate from `low` to `high` explains: host ns that the guest's clock gained, below zero lost."""
        slow, fast = sorted((self.guest_ns * low, self.guest_ns * high))
        return max(slow - self.most_ns, 0.0) + min(fast - self.least_ns, 0.0)


def spans(trips: Sequence[RoundTrip]) -> list[Span]:
    """Those between successive readings, within round trips too: one may be held while the clock steps."""
    readings = [(ns, trip) for trip in trips for ns in (trip.received_guest_ns, trip.sent_guest_ns)]
    found = []
    for (begin, one), (end, after) in pairwise(readings):
        least = max(after.sent_host_ns - one.received_host_ns, 0)
        most = after.received_host_ns - one.sent_host_ns
        found.append(Span(begin, end, least, most, (one.received_host_ns + after.sent_host_ns) / 2))
    return found


def between(trips: Sequence[RoundTrip]) -> Step | None:
    """Find a step between two of these round trips, which are in the order in which they were sent.

    Several that follow each other (a clock that stands still) are one: the greatest deviation is reported, and when the
    first of them happened.
    """
    if is_linear(trips):
        return None
    everything = spans(trips)
    low, high = _rates(trips, everything)
    found = _unexplained(everything, low, high)
    deviation = worst = 0.0
    for span in found:
        deviation += span.guest_ns * (low + high) / 2 - (span.least_ns + span.most_ns) / 2
        worst = max(worst, deviation, key=abs)
    return Step(worst * 2 / (low + high), found[0].at_host_ns) if found else None


def of_sightings(line: ClockFit, earliest: Sequence[Sighting], latest: Sequence[Sighting]) -> Step | None:
    """Find a clock that was right at every ping but not where samples began and ended.

    `earliest`: the first sample began after `start` was sent. `latest`: the last of a batch ended before it arrived.
    """
    for sightings, sign in ((earliest, -1), (latest, 1)):
        for guest, host in sightings:
            off = sign * (line.to_host_ns(guest) - host)
            if off > line.bound_at_ns(guest) + STEP_NS:
                return Step(sign * off / line.rate, host)
    return None


def _unexplained(everything: Sequence[Span], low: float, high: float) -> list[Span]:
    """The spans of which every rate from `low` to `high` leaves a step unexplained."""
    return [one for one in everything if abs(one.drift_ns(low, high)) >= max(STEP_NS, _SHARE * one.least_ns)]


def _rates(trips: Sequence[RoundTrip], everything: Sequence[Span]) -> tuple[float, float]:
    """Least and greatest rate of the clock between its steps.

    The round trips are cut where no line goes on. The piece whose rate explains most of all spans counts first, the
    others as far as they agree.
    """
    pieces: list[tuple[float, float]] = []
    while trips:
        count = longest_feasible_prefix(trips)
        least, most = slope_bounds(trips[:count])
        if least > 0 and math.isfinite(most):
            pieces.append((least, most))
        trips = trips[count:]
    low, high = 0.0, math.inf
    for least, most in sorted(pieces, key=lambda piece: (len(_unexplained(everything, *piece)), piece[1] / piece[0])):
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return (low, high) if math.isfinite(high) else (1.0, 1.0)
