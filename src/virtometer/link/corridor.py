"""All straight lines that stay above one set of points and below another. Pure geometry, exact in integers.

The points of either side that matter are its convex hull (S. B. Moon, P. Skelly, D. Towsley, "Estimation and removal
of clock skew from network delay measurements", INFOCOM 1999; L. Zhang, Z. Liu, C. H. Xia, "Clock synchronization
algorithms for network measurements", INFOCOM 2002); here both sides are used at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[int, int]
"""A reading of the guest's clock and one of the host's, in ns."""


@dataclass(frozen=True, slots=True)
class Corridor:
    """The room that the points leave to a line.

    Any line in it has a slope from `low` to `high` (host ns per guest ns; `high` may be infinite). Between all lines
    it is narrowest at guest time `at`: there they pass within `half_width` of `middle`. The line through (`at`,
    `middle`) with `slope` lies in it.
    """

    low: float
    high: float
    at: int
    middle: float
    half_width: float
    slope: float


def find(lower: Sequence[Point], upper: Sequence[Point]) -> Corridor | None:
    """The corridor of rising lines above every point of `lower` and below every one of `upper`; None if it is empty.

    Both must hold at least one point, and the stretches of guest time that they cover must touch.
    """
    below, above = _hull(lower, 1), _hull(upper, -1)
    low, high = _slopes(below, above, (0.0, math.inf))
    if low > high:
        return None
    at, floor, ceiling = _narrowest(below, above)
    middle = (floor + ceiling) / 2
    least, most = low, high
    # Every line through the middle that has one of these slopes stays inside.
    for sign, hull in ((1, below), (-1, above)):
        for guest, host in hull:
            if guest != at:
                bound = (host - middle) / (guest - at)
                if (guest > at) == (sign > 0):
                    least = max(least, bound)
                else:
                    most = min(most, bound)
    best = (low + high) / 2 if math.isfinite(high) else low
    slope = min(max(best, least), most) if least <= most else (least + most) / 2
    return Corridor(low, high, at, middle, max((ceiling - floor) / 2, 0.0), slope)


def slopes(lower: Sequence[Point], upper: Sequence[Point]) -> tuple[float, float]:
    """Least and greatest slope of the rising lines between the points; the least is above the greatest if none is."""
    return _slopes(_hull(lower, 1), _hull(upper, -1), (0.0, math.inf))


def stretch(lower: Sequence[Point], upper: Sequence[Point]) -> tuple[int, tuple[float, float]]:
    """How many points from the first on leave room to a line, at least one, and that line's least and greatest slope.

    Both sides have as many points, in the order in which they were found.
    """
    found = _slopes(lower[:1], upper[:1], (0.0, math.inf))
    for count in range(1, len(lower)):
        longer = _slopes(lower[count : count + 1], upper[: count + 1], found)
        longer = _slopes(lower[:count], upper[count : count + 1], longer)
        if longer[0] > longer[1]:
            return count, found
        found = longer
    return len(lower), found


def _slopes(lower: Sequence[Point], upper: Sequence[Point], within: tuple[float, float]) -> tuple[float, float]:
    low, high = within
    for guest_low, host_low in lower:
        for guest_high, host_high in upper:
            run, rise = guest_high - guest_low, host_high - host_low
            if run > 0:
                high = min(high, rise / run)
            elif run < 0:
                low = max(low, rise / run)
            elif rise < 0:
                return math.inf, -math.inf
    return low, high


def _hull(points: Sequence[Point], sign: int) -> list[Point]:
    """The upper (1) or lower (-1) convex hull, from left to right (A. M. Andrew, 1979)."""
    hull: list[Point] = []
    for point in sorted(points, key=lambda point: (point[0], sign * point[1])):
        while hull and hull[-1][0] == point[0]:
            hull.pop()
        while len(hull) > 1 and sign * _turn(hull[-2], hull[-1], point) >= 0:
            hull.pop()
        hull.append(point)
    return hull


def _turn(a: Point, b: Point, c: Point) -> int:
    """Above zero where a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _narrowest(below: Sequence[Point], above: Sequence[Point]) -> tuple[int, float, float]:
    """Where the hulls are closest: guest time, height of the lower hull, height of the upper one."""
    start, end = max(below[0][0], above[0][0]), min(below[-1][0], above[-1][0])
    if start > end:
        start = end = (start + end) // 2
    moments = sorted({start, end} | {guest for guest, _ in (*below, *above) if start < guest < end})
    return min(
        ((moment, _height(below, moment), _height(above, moment)) for moment in moments),
        key=lambda found: found[2] - found[1],
    )


def _height(hull: Sequence[Point], guest: int) -> float:
    """Height of a hull at a guest time; beyond its ends that of the nearest corner."""
    if guest <= hull[0][0]:
        return hull[0][1]
    for (left, a), (right, b) in pairwise(hull):
        if guest <= right:
            return a + (b - a) * (guest - left) / (right - left)
    return hull[-1][1]
