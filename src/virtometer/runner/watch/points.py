"""Readings of the host and its guests at one moment, and the windows that have them at their ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from virtometer.host.cpu.parts import CpuReading
from virtometer.runner.watch import guest_use
from virtometer.runner.watch.activity import Activity, between, read_activity
from virtometer.runner.watch.cost import pause_s
from virtometer.runner.watch.foreign import UNKNOWN, Counters, HostWatch
from virtometer.runner.watch.network import NetworkWatch

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
        """Time to the next point of an observer of one stretch."""
        return pause_s(self.cost_ns * 1e-9)


@dataclass(frozen=True, slots=True)
class Window:
    """A slice or a window (host ns), with the points at its ends: None where it was not read.

    runnable: threads that ran or were ready, as counted while the guests worked.
    """

    start_ns: int
    end_ns: int
    points: tuple[Point, Point] | None
    runnable: tuple[int, ...] = ()
    cost_ns: int = 0


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
    """The counters now, and what reading them took. As Observer; `find`: threads that were started as well.

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


def pairs_of(windows: Sequence[Window]) -> list[tuple[Point, Point]]:
    """The points of those that were read."""
    return [one.points for one in windows if one.points is not None]


def stretched(windows: Sequence[Window]) -> list[tuple[Point, Point]]:
    """Pairs of points with as much between them as happened in all windows, by the lengths of those that were read."""
    pairs = pairs_of(windows)
    all_ns = sum(one.end_ns - one.start_ns for one in windows)
    read_ns = sum(last.at_ns - first.at_ns for first, last in pairs)
    if len(pairs) == len(windows) or read_ns <= 0:
        return pairs
    return [(first, _beyond(first, last, all_ns / read_ns)) for first, last in pairs]


def _beyond(first: Point, last: Point, share: float) -> Point:
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
