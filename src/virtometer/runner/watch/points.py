"""Readings of the host and its guests at one moment, and the windows in which they were taken."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from virtometer.host.cpu.parts import CpuReading
from virtometer.runner.watch.activity import read_activity
from virtometer.runner.watch.counts import Counts, Key, passed
from virtometer.runner.watch.foreign import UNKNOWN, Counters, HostWatch
from virtometer.runner.watch.guest_use import counts_of
from virtometer.runner.watch.network import NetworkWatch
from virtometer.runner.watch.reading_budget import WATCH_S, pause_s

GAP_S = 10 * WATCH_S
"""Longest time beyond the planned pause between two points over which interpolation is accepted."""

VARIED = 1.5
"""Times the pause that its cost demands, at most."""

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")

ReadParts = Callable[[], CpuReading | None]
"""How a guest's CPU time is divided; called after its CPU time was read."""


@dataclass(frozen=True, slots=True)
class Point:
    """What was counted until one moment: CPU seconds ("cpu", place in the order of /proc/stat), ns of each ("guest",
    place), how these are divided, and where several work what each processor, disks and interfaces did.

    counters: of what others do. runnable: threads that run or are ready, where several work. unknown: for each guest,
    why its division is. cost_ns: processor time of the laboratory that this reading took.
    """

    at_ns: int
    counts: Counts
    counters: Counters = UNKNOWN
    runnable: int | None = None
    unknown: tuple[str, ...] = ()
    cost_ns: int = 0

    @property
    def pause_s(self) -> float:
        """Shortest time to the next point in the same window."""
        return pause_s(self.cost_ns * 1e-9)


@dataclass(frozen=True, slots=True)
class ObservedWindow:
    """A window of the guests' work (host ns), with the points taken in it, the first and the last at its ends.

    points: none where it was not read. number: of its round. runnable: threads that ran or were ready as the guests
    worked, with the moment. cost_ns: of all readings. hidden: whether the host was not observed for much longer than
    was planned, so that nothing is known.
    """

    start_ns: float
    end_ns: float
    points: tuple[Point, ...] = ()
    number: int = 0
    runnable: tuple[tuple[int, int], ...] = ()
    cost_ns: int = 0
    hidden: bool = False

    @property
    def length_s(self) -> float:
        """Seconds of the host."""
        return (self.end_ns - self.start_ns) * 1e-9

    @property
    def pairs(self) -> list[tuple[Point, Point]]:
        """Successive points."""
        return list(pairwise(self.points))

    @property
    def counted(self) -> list[tuple[Point, Point]]:
        """As `pairs`, without points that lack a count, but for the two around each end: these say when it was."""
        both = self.points[0].counts.keys() & self.points[-1].counts.keys()
        between = (one for one in self.points[2:-2] if both <= one.counts.keys())
        return list(pairwise([*self.points[:2], *between, *self.points[max(2, len(self.points) - 2) :]]))

    @property
    def read(self) -> bool:
        """Whether it is known what happened in it."""
        return bool(self.points) and not self.hidden

    def cut(self, start_ns: float, end_ns: float) -> ObservedWindow:
        """What of it lies between two moments, with the points around it."""
        around = [(a, b) for a, b in self.pairs if a.at_ns < end_ns and b.at_ns > start_ns]
        return replace(
            self,
            start_ns=start_ns,
            end_ns=end_ns,
            points=(*(a for a, _ in around), *(b for _, b in around[-1:])),
            runnable=tuple(one for one in self.runnable if start_ns <= one[0] <= end_ns),
            cost_ns=sum(point.cost_ns for point in self.points if start_ns < point.at_ns <= end_ns),
            hidden=any(b.at_ns - a.at_ns > (GAP_S + VARIED * a.pause_s) * 1e9 for a, b in around),
        )

    def share(self, first: Point, last: Point) -> float:
        """How much of the time between two points lies in it: as much of what they counted does so too."""
        inside_ns = min(last.at_ns, self.end_ns) - max(first.at_ns, self.start_ns)
        return inside_ns / max(last.at_ns - first.at_ns, 1)


def spent(windows: Sequence[ObservedWindow]) -> Counts | None:
    """What was counted in windows; those that were read stand for all, by their lengths. None: nothing was read."""
    read = [one for one in windows if one.read]
    if windows and not read:
        return None
    all_s, read_s = sum(one.length_s for one in windows), sum(one.length_s for one in read)
    times = all_s / read_s if len(read) < len(windows) and read_s > 0 else 1.0
    return passed([(a.counts, b.counts, times * one.share(a, b)) for one in read for a, b in one.counted])


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
    of_guests = [known[guest] for guest in guests]
    counts: dict[Key, float] = {("guest", at): ns for at, ns in enumerate(of_guests) if ns is not None}
    counters = UNKNOWN if watch is None else watch.read(find=find)
    divided = [one() if ns is not None else None for one, ns in zip(parts, of_guests, strict=False)]
    for at, reading in enumerate(divided):
        counts |= counts_of(at, reading)
    runnable = None
    if several:
        activity, runnable = read_activity()
        counts |= activity | ({} if network is None else network.read())
    at_ns = time.monotonic_ns()
    counts |= {("cpu", at): seconds for at, seconds in enumerate(read_cpu())}
    unknown = tuple("" if one is None else one.unknown for one in divided)
    return Point(at_ns, counts, counters, runnable, unknown, time.thread_time_ns() - began_ns)
