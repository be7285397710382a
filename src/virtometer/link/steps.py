"""Clocks that step: found from probes, from when samples arrived, and from samples that go backwards. Pure.

A clock that only runs too fast or too slow keeps to one line. One that was set, or that stood still while the guest
went on, does not, even where its offset and rate look right at both ends of a run. Only what the round trips cannot
explain counts: a step is told when the probes on both sides of it prove at least `STEP_NS`, and a share of the time
between them that no time daemon bends a clock by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from virtometer.link import clock, corridor
from virtometer.link.belied import ClockBelied
from virtometer.link.corridor import Point
from virtometer.model import ClockFault, ClockFit, ClockProbe

STEP_NS = 5_000_000
_SHARE = 0.002


@dataclass(frozen=True, slots=True)
class Step:
    """By how much the guest's clock changed (guest ns, above zero forwards) and about when (host ns)."""

    size_ns: float
    at_host_ns: float

    def error(self, start_host_ns: float) -> ClockBelied:
        """What happened, with the time since the start of the run."""
        size_s, after_s = self.size_ns * 1e-9, (self.at_host_ns - start_host_ns) * 1e-9
        moment = f"{abs(after_s):.2f} s {'after' if after_s >= 0 else 'before'}"
        when = "at the start of the run" if abs(after_s) < 0.005 else f"at {moment} the start of the run"
        sentence = f"the guest's clock stepped by about {size_s:+.3g} s {when}"
        return ClockBelied(sentence, ClockFault("stepped", size_s, after_s))


def between(probes: Sequence[ClockProbe]) -> Step | None:
    """Find a step between two of these probes, which are in the order in which they were sent.

    Several that follow each other (a clock that stands still) are one: the greatest deviation is told, and when the
    first of them happened.
    """
    if clock.is_linear(probes):
        return None
    low, high = _rates(probes)
    found = _unexplained(probes, low, high)
    if not found:
        return None
    deviation = worst = 0.0
    for size, _ in found:
        deviation += size
        worst = max(worst, deviation, key=abs)
    return Step(worst * 2 / (low + high), found[0][1])


def of_sightings(fitted: ClockFit, earliest: Sequence[Point], latest: Sequence[Point]) -> Step | None:
    """Find a clock that was right at every probe but not where samples began and ended.

    `earliest` are guest times with host times before which they cannot have been, `latest` with those after which they
    cannot have been: the first sample began after `start` was sent, the last of a batch had ended when it arrived.
    """
    for points, sign in ((earliest, -1), (latest, 1)):
        for guest, host in points:
            off = sign * (fitted.to_host_ns(guest) - host)
            if off > fitted.bound_at_ns(guest) + STEP_NS:
                return Step(sign * off / fitted.rate, host)
    return None


def _unexplained(probes: Sequence[ClockProbe], low: float, high: float) -> list[tuple[float, float]]:
    """What no rate from `low` to `high` explains, between successive probes and within each: host ns ahead, and when.

    A probe can be held while the clock steps: its answer then leaves long after it was received, and came back at once.
    """
    intervals = []  # guest ns, host ns at least and at most, and when (host ns)
    for one in probes:
        at = (one.sent_host_ns + one.received_host_ns) / 2
        intervals.append((one.sent_guest_ns - one.received_guest_ns, 0, one.away_ns, at))
    for one, after in pairwise(probes):
        least, most = after.sent_host_ns - one.received_host_ns, after.received_host_ns - one.sent_host_ns
        at = (one.received_host_ns + after.sent_host_ns) / 2
        intervals.append((after.received_guest_ns - one.sent_guest_ns, least, most, at))
    found = []
    for guest, least, most, at in sorted(intervals, key=lambda interval: interval[3]):
        slow, fast = sorted((guest * low, guest * high))
        proof = max(STEP_NS, _SHARE * least)
        if slow - most >= proof or fast - least <= -proof:
            found.append(((slow + fast - least - most) / 2, at))
    return found


def _rates(probes: Sequence[ClockProbe]) -> tuple[float, float]:
    """Least and greatest rate of the clock between its steps.

    The probes are cut where no line goes on. The stretch whose rate explains most of what lies between probes is
    believed first, the others as far as they agree.
    """
    stretches: list[tuple[float, float]] = []
    lower, upper = clock.lower_points(probes), clock.upper_points(probes)
    while lower:
        count, found = corridor.stretch(lower, upper)
        if found[0] > 0 and math.isfinite(found[1]):
            stretches.append(found)
        lower, upper = lower[count:], upper[count:]
    stretches.sort(key=lambda found: (len(_unexplained(probes, *found)), found[1] / found[0]))
    low, high = 0.0, math.inf
    for least, most in stretches:
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return (low, high) if math.isfinite(high) else (1.0, 1.0)
