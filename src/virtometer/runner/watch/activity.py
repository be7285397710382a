"""What each processor of the host does, how many threads want one, and what the disks do. Source: proc(5).

Read at the points of an observer while several guests work at the same time; between points it is interpolated.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from virtometer.model import HostUse, ProcessorUse
from virtometer.runner.watch import network as host_network
from virtometer.runner.watch.network import NetworkCounts, NetworkWatch

_SECTOR = 512  # bytes, in /proc/diskstats, whatever the disk's own are
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Activity:
    """What the host did until one moment. processors: CPU seconds of each by its number, in the order of ProcessorUse.

    runnable: threads that run or are ready at this moment, without the laboratory's own.
    """

    processors: Mapping[int, tuple[float, ...]]
    runnable: int
    context_switches: float
    disk_read: float
    disk_written: float
    network: NetworkCounts | None = None


def read_activity(network: NetworkWatch | None = None) -> Activity:
    """The counters of /proc/stat and /proc/diskstats; disks without partitions and devices on top of others.

    And those of the interfaces that `network` watches.
    """
    processors, numbers = {}, {"ctxt": 0, "procs_running": 1}
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            processors[int(name[3:])] = tuple(int(word) * _TICK_S for word in words[:8])
        elif name in numbers:
            numbers[name] = int(words[0])
    read, written = _disk_bytes()
    counts = None if network is None else network.read()
    return Activity(processors, max(numbers["procs_running"] - 1, 0), numbers["ctxt"], read, written, counts)


def runnable() -> int:
    """Threads that run or are ready at this moment, without the laboratory's own."""
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, _, number = line.partition(" ")
        if name == "procs_running":
            return max(int(number) - 1, 0)
    return 0


def _disk_bytes() -> tuple[int, int]:
    """Bytes that all disks have read and written."""
    read = written = 0
    for line in Path("/proc/diskstats").read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[2] in _disks():
            read += int(words[5]) * _SECTOR
            written += int(words[9]) * _SECTOR
    return read, written


@cache
def _disks() -> frozenset[str]:
    """Names of the disks that hardware, or the host under this one, offers: they are on top of no other."""
    try:
        found = {one.name for one in Path("/sys/block").iterdir() if (one / "device").exists()}
    except OSError:
        found = set()
    return frozenset(found)


def between(first: Activity, last: Activity, share: float) -> Activity | None:
    """The counters at a moment between two points, `share` of the way from 0 to 1. None where processors changed."""
    if first.processors.keys() != last.processors.keys():
        return None

    def at(a: float, b: float) -> float:
        return a + (b - a) * share

    return Activity(
        {number: tuple(map(at, of, last.processors[number])) for number, of in first.processors.items()},
        first.runnable,
        at(first.context_switches, last.context_switches),
        at(first.disk_read, last.disk_read),
        at(first.disk_written, last.disk_written),
        None
        if first.network is None or last.network is None
        else host_network.between(first.network, last.network, share),
    )


def added(pairs: Sequence[tuple[Activity, Activity]]) -> tuple[Activity, Activity] | None:
    """Two points with as much between them as between all pairs. None without pairs, or where processors changed."""
    if not pairs or len({frozenset(one.processors) for pair in pairs for one in pair}) > 1:
        return None
    begun = pairs[0][0]

    def end(read: Callable[[Activity], float]) -> float:
        return read(begun) + math.fsum(read(last) - read(first) for first, last in pairs)

    return begun, Activity(
        {
            number: tuple(end(lambda one, n=number, f=field: one.processors[n][f]) for field in range(len(of)))  # type: ignore[misc]
            for number, of in begun.processors.items()
        },
        begun.runnable,
        end(lambda one: one.context_switches),
        end(lambda one: one.disk_read),
        end(lambda one: one.disk_written),
        host_network.added([(first.network, last.network) for first, last in pairs]),
    )


def with_activity(use: HostUse, first: Activity, last: Activity, runnable: Sequence[int]) -> HostUse:
    """The use of the host with each processor by itself, and its numbers. `runnable`: at the points in between."""
    begun, ended = first.network, last.network
    if begun is not None and ended is not None:
        use = replace(
            use,
            network=host_network.traffic(begun.host, ended.host),
            loopback=host_network.traffic(begun.loopback, ended.loopback),
        )
    return replace(
        use,
        processors=tuple(
            _processor(number, [b - a for a, b in zip(of, last.processors[number], strict=True)])
            for number, of in first.processors.items()
            if number in last.processors
        ),
        run_queue=statistics.fmean(runnable) if runnable else None,
        context_switches=round(last.context_switches - first.context_switches),
        disk_read=round(last.disk_read - first.disk_read),
        disk_written=round(last.disk_written - first.disk_written),
    )


def _processor(number: int, seconds: Sequence[float]) -> ProcessorUse:
    user, nice, system, idle, iowait, irq, softirq, steal = seconds
    return ProcessorUse(number, user, nice, system, idle, iowait, irq, softirq, steal)
