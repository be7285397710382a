"""All straight lines from guest time to host time that round trips allow. Pure geometry, exact in integers.

Each round trip proves two points: the line passes above (received by the guest, sent by the host) and below (sent by
the guest, received by the host). Those that matter are the convex hulls of both sides (S. B. Moon, P. Skelly,
D. Towsley, INFOCOM 1999; L. Zhang, Z. Liu, C. H. Xia, INFOCOM 2002; full titles in docs/methods/clocks.md).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from virtometer.model import RoundTrip

# Readings are whole numbers: a guest ns that was cut off is up to one guest ns of host time.
_ROUNDING_NS = 4

Point = tuple[int, float]
"""A reading of the guest's clock and one of the host's, in ns."""


@dataclass(frozen=True, slots=True)
class Region:
    """The lines that are feasible, of which there is one at least.

    Their slopes are from `low` to `high`, host ns per guest ns. At guest time `guest_ns` the region is narrowest: all
    lines pass within `half_width` of host time `host_ns`. The line with slope `rate` through that point is feasible.
    `below` and `above` are the hulls, as distances from that point.
    """

    low: float
    high: float
    rate: float
    guest_ns: int
    host_ns: float
    half_width: float
    below: Sequence[Point]
    above: Sequence[Point]

    def beside_ns(self, rate: float) -> float:
        """How far beside `host_ns` the middle of the feasible lines with slope `rate` passes, in host ns."""
        floor = max(host - guest * rate for guest, host in self.below)
        ceiling = min(host - guest * rate for guest, host in self.above)
        return (floor + ceiling) / 2


def feasible_region(trips: Sequence[RoundTrip]) -> Region | None:
    """The region of rising lines that all these round trips allow; None if it is empty or has no steepest line."""
    below, above = _hulls(trips)
    low, high = _slopes(below, above)
    corners = sorted({guest for guest, _ in (*below, *above)})
    at = min(corners, key=lambda guest: _height(above, guest) - _height(below, guest))
    floor, ceiling = _height(below, at), _height(above, at)
    middle = (floor + ceiling) / 2
    near_below, near_above = ([(guest - at, host - middle) for guest, host in hull] for hull in (below, above))
    # Through the middle not every slope is feasible: that point bounds the slopes as the others do.
    least, most = _slopes([*near_below, (0, 0.0)], [*near_above, (0, 0.0)])
    rate = min(max((low + high) / 2, least), most) if least <= most else (least + most) / 2
    if low > high or not math.isfinite(high) or rate <= 0:
        return None
    guest_ns, host_ns = trips[0].received_guest_ns + at, trips[0].sent_host_ns + middle
    return Region(low, high, rate, guest_ns, host_ns, max((ceiling - floor) / 2, 0.0), near_below, near_above)


def slope_bounds(trips: Sequence[RoundTrip]) -> tuple[float, float]:
    """Least and greatest slope of the rising lines that are feasible; the least is above the greatest if none is."""
    return _slopes(*_hulls(trips))


def is_linear(trips: Sequence[RoundTrip]) -> bool:
    """Whether one offset and one rate explain every round trip."""
    low, high = slope_bounds(trips)
    return low <= high


def longest_feasible_prefix(trips: Sequence[RoundTrip]) -> int:
    """How many of these round trips, from the first on, one line explains: at least one."""
    count = 1
    while count < len(trips) and is_linear(trips[: 2 * count]):
        count *= 2
    beyond = range(count + 1, min(2 * count, len(trips)))
    return min(count, len(trips)) + bisect_left(beyond, True, key=lambda more: not is_linear(trips[:more]))


def _hulls(trips: Sequence[RoundTrip]) -> tuple[list[Point], list[Point]]:
    """The points above which the line passes, and those below, as far as they matter.

    They are distances from the first reading: small numbers lose nothing as floating-point numbers.
    """
    guest, host = trips[0].received_guest_ns, trips[0].sent_host_ns
    lower = [(trip.received_guest_ns - guest, trip.sent_host_ns - host - _ROUNDING_NS) for trip in trips]
    upper = [(trip.sent_guest_ns - guest, trip.received_host_ns - host + _ROUNDING_NS) for trip in trips]
    return _hull(lower, 1), _hull(upper, -1)


def _hull(points: Sequence[tuple[int, int]], sign: int) -> list[Point]:
    """The upper (1) or lower (-1) convex hull, from left to right (A. M. Andrew, 1979)."""
    hull: list[tuple[int, int]] = []
    for x, y in sorted(points, key=lambda point: (point[0], sign * point[1])):
        while hull and hull[-1][0] == x:
            hull.pop()
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if sign * ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) < 0:  # a right turn of the upper hull
                break
            hull.pop()
        hull.append((x, y))
    return list(hull)


def _slopes(below: Sequence[Point], above: Sequence[Point]) -> tuple[float, float]:
    low, high = 0.0, math.inf
    for guest_low, host_low in below:
        for guest_high, host_high in above:
            run, rise = guest_high - guest_low, host_high - host_low
            if run > 0:
                high = min(high, rise / run)
            elif run < 0:
                low = max(low, rise / run)
            elif rise < -0.5:  # points are whole numbers, but for what arithmetic loses of a middle
                return math.inf, -math.inf
    return low, high


def _height(hull: Sequence[Point], guest: int) -> float:
    """Height of a hull at a guest time; beyond its ends that of the nearest corner."""
    if guest <= hull[0][0]:
        return hull[0][1]
    for (left, a), (right, b) in pairwise(hull):
        if guest <= right:
            return a + (b - a) * (guest - left) / (right - left)
    return hull[-1][1]
