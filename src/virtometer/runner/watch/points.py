"""Readings of the host and its guests at one moment, and the windows in which they were taken."""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from virtometer.host.cpu.parts import CpuReading
from virtometer.runner.watch import guest_use
from virtometer.runner.watch.activity import Activity, between, read_activity
from virtometer.runner.watch.cost import WATCH_S, pause_s
from virtometer.runner.watch.foreign import UNKNOWN, Counters, HostWatch
from virtometer.runner.watch.network import NetworkWatch

GAP_S = 10 * WATCH_S
"""Longest time beyond the planned pause between two points over which interpolation is accepted."""

VARIED = 1.5
"""Times the pause that its cost demands, at most."""

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")

ReadParts = Callable[[], CpuReading | None]
"""How a guest's CPU time is divided; called after its CPU time was read."""


@dataclass(frozen=True, slots=True)
class Point:
    """Counters of the host and of each guest at one moment: CPU seconds in the order of /proc/stat, guests in ns.

    cost_ns: processor time of the laboratory that this reading took.
    """

    at_ns: int
    cpu_s: tuple[float, ...]
    guests_ns: tuple[int | None, ...]
    counters: Counters = UNKNOWN
    activity: Activity | None = None
    parts: tuple[CpuReading | None, ...] = ()
    cost_ns: int = 0

    @property
    def pause_s(self) -> float:
        """Shortest time to the next point in the same window."""
        return pause_s(self.cost_ns * 1e-9)


@dataclass(frozen=True, slots=True)
class Window:
    """A window of the guests' work (host ns), with the points taken in it, the first and the last at its ends.

    points: none where it was not read. ends: with what happened in it between them; None where that is unknown.
    number: of its round. runnable: threads that ran or were ready as the guests worked, with the moment. cost_ns: of
    all readings.
    """

    start_ns: float
    end_ns: float
    points: tuple[Point, ...] = ()
    ends: tuple[Point, Point] | None = None
    number: int = 0
    runnable: tuple[tuple[int, int], ...] = ()
    cost_ns: int = 0

    @property
    def length_s(self) -> float:
        """Seconds of the host."""
        return (self.end_ns - self.start_ns) * 1e-9

    @property
    def gap_s(self) -> float:
        """Longest time between two successive points, in s."""
        return max((b.at_ns - a.at_ns for a, b in pairwise(self.points)), default=0) * 1e-9

    def cut(self, start_ns: float, end_ns: float) -> Window:
        """What of it lies between two moments. Between points the counters are interpolated.

        Its ends are unknown where the host was not observed for much longer than was planned.
        """
        around = [(a, b) for a, b in pairwise(self.points) if a.at_ns < end_ns and b.at_ns > start_ns]
        hidden = any(b.at_ns - a.at_ns > (GAP_S + VARIED * a.pause_s) * 1e9 for a, b in around)
        return replace(
            self,
            start_ns=start_ns,
            end_ns=end_ns,
            points=(*(a for a, _ in around), *(b for _, b in around[-1:])),
            ends=None if hidden else (_point_at(self.points, start_ns), _point_at(self.points, end_ns)),
            runnable=tuple(one for one in self.runnable if start_ns <= one[0] <= end_ns),
            cost_ns=sum(point.cost_ns for point in self.points if start_ns < point.at_ns <= end_ns),
        )


def _point_at(points: Sequence[Point], moment_ns: float) -> Point:
    """The counters at a moment, from the points before and after it."""
    after = min(max(bisect_right(points, moment_ns, key=lambda point: point.at_ns), 1), len(points) - 1)
    a, b = points[after - 1], points[after]
    return _between(a, b, min(max((moment_ns - a.at_ns) / max(b.at_ns - a.at_ns, 1), 0.0), 1.0))


def read_cpu() -> tuple[float, ...]:
    """CPU seconds since boot, all processors added: user, nice, system, idle, iowait, irq, softirq, steal."""
    with Path("/proc/stat").open() as file:
        words = file.readline().split()
    return tuple(int(word) * _TICK_S for word in words[1:9])


def read_point(
    guests: Sequence[Callable[[], int]],
    watch: HostWatch | None = None,
    *,
    find: bool = False,
    several: bool = False,
    parts: Sequence[ReadParts] = (),
    network: NetworkWatch | None = None,
) -> Point:
    """The counters now, and what reading them took. As Observer; `find`: of threads that were started as well.

    A guest that is named more than once is read once, so that all of its placements have the same number.
    """
    began_ns = time.thread_time_ns()
    known: dict[Callable[[], int], int | None] = {}
    for guest in dict.fromkeys(guests):
        try:
            known[guest] = guest()
        except OSError:
            known[guest] = None
    read = [known[guest] for guest in guests]
    counters = UNKNOWN if watch is None else watch.read(find=find)
    divided = tuple(one() if ns is not None else None for one, ns in zip(parts, read, strict=False))
    activity = read_activity(network) if several else None
    point = Point(time.monotonic_ns(), read_cpu(), tuple(read), counters, activity, divided)
    return replace(point, cost_ns=time.thread_time_ns() - began_ns)


def stretched(windows: Sequence[Window]) -> list[tuple[Point, Point]]:
    """Pairs of points with as much between them as happened in all windows, by the lengths of those that were read."""
    known = [(one.ends, one.length_s) for one in windows if one.ends is not None]
    all_s, read_s = sum(one.length_s for one in windows), sum(length_s for _, length_s in known)
    if len(known) == len(windows) or read_s <= 0:
        return [ends for ends, _ in known]
    return [(first, _between(first, last, all_s / read_s)) for (first, last), _ in known]


def _between(first: Point, last: Point, share: float) -> Point:
    """The point at which so many times as much has happened since `first` as until `last`. Counters of others stay."""
    ends = zip(first.guests_ns, last.guests_ns, strict=True)
    return replace(
        last,
        cpu_s=tuple(a + (b - a) * share for a, b in zip(first.cpu_s, last.cpu_s, strict=True)),
        guests_ns=tuple(None if a is None or b is None else round(a + (b - a) * share) for a, b in ends),
        activity=None
        if first.activity is None or last.activity is None
        else between(first.activity, last.activity, share),
        parts=tuple(guest_use.between(a, b, share) for a, b in zip(first.parts, last.parts, strict=True)),
    )
