"""Clocks that step: found from probes, from when samples arrived, and from samples that go backwards. Pure.

A clock that only runs too fast or too slow keeps to one line. One that was set, or that stood still while the guest
went on, does not, even where its offset and rate look right at both ends of a run. Only what the round trips cannot
explain counts: a step is told when the probes on both sides of it prove at least `STEP_NS` of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from virtometer.link import clock, corridor
from virtometer.link.corridor import Point
from virtometer.model import ClockFit, ClockProbe

STEP_NS = 5_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """By how much the guest's clock changed (guest ns, above zero forwards) and about when (host ns)."""

    size_ns: float
    at_host_ns: float

    def sentence(self, start_host_ns: float) -> str:
        """What happened, with the time since the start of the run."""
        size_s, after_s = self.size_ns * 1e-9, (self.at_host_ns - start_host_ns) * 1e-9
        moment = f"{after_s:.2f} s after" if after_s >= 0 else f"{-after_s:.2f} s before"
        return f"the guest's clock stepped by about {size_s:+.3g} s at {moment} the start of the run"


def between(probes: Sequence[ClockProbe]) -> Step | None:
    """Find a step between two of these probes, which are in the order in which they were sent.

    Several that follow each other (a clock that stands still) are one: the greatest deviation is told, and when the
    first of them happened.
    """
    if clock.is_linear(probes):
        return None
    low, high = _rates(probes)
    deviation = worst = 0.0
    first: float | None = None
    for one, next_one in pairwise(probes):
        guest = next_one.received_guest_ns - one.sent_guest_ns
        least = next_one.sent_host_ns - one.received_host_ns
        most = next_one.received_host_ns - one.sent_host_ns
        expected = sorted((guest * low, guest * high))
        ahead = expected[0] - most
        behind = expected[1] - least
        if ahead < STEP_NS and behind > -STEP_NS:
            continue
        deviation += (sum(expected) - least - most) / 2
        first = (one.received_host_ns + next_one.sent_host_ns) / 2 if first is None else first
        worst = max(worst, deviation, key=abs)
    return None if first is None else Step(worst * 2 / (low + high), first)


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


def _rates(probes: Sequence[ClockProbe]) -> tuple[float, float]:
    """Least and greatest rate of the clock between its steps.

    The probes are cut where no line goes on; of the stretches, those that know the rate best are believed first, the
    others as far as they agree.
    """
    stretches: list[tuple[float, float]] = []
    lower, upper = clock.lower_points(probes), clock.upper_points(probes)
    while lower:
        count, found = corridor.stretch(lower, upper)
        if math.isfinite(found[1]):
            stretches.append(found)
        lower, upper = lower[count:], upper[count:]
    low, high = 0.0, math.inf
    for least, most in sorted(stretches, key=lambda stretch: stretch[1] / max(stretch[0], 1e-9)):
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return (low, high) if math.isfinite(high) else (1.0, 1.0)
