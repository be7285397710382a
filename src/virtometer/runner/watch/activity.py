"""What each processor of the host does, how many threads want one, and what the disks do. Source: proc(5).

Read at the points of an observer while a group of guests works; between points it is interpolated.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from virtometer.model import HostUse, ProcessorUse
from virtometer.runner.watch.counts import Counts, Key
from virtometer.runner.watch.network import HOST, LOOPBACK, traffic

_SECTOR = 512  # bytes, in /proc/diskstats, whatever the disk's own are
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


_SWITCHES, _READ, _WRITTEN = ("context switches",), ("disk read",), ("disk written",)


def read_activity() -> tuple[dict[Key, float], int]:
    """The counters of /proc/stat and /proc/diskstats; disks without partitions and devices on top of others.

    And the threads that run or are ready at this moment, without the laboratory's own. CPU seconds have the key
    "processor", its number, and the place in the order of ProcessorUse; disks count bytes.
    """
    counts: dict[Key, float] = {}
    running = 1
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            counts |= {("processor", int(name[3:]), at): int(word) * _TICK_S for at, word in enumerate(words[:8])}
        elif name == "ctxt":
            counts[_SWITCHES] = int(words[0])
        elif name == "procs_running":
            running = int(words[0])
    counts[_READ], counts[_WRITTEN] = _disk_bytes()
    return counts, max(running - 1, 0)


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


def with_activity(use: HostUse, spent: Counts, runnable: Sequence[int]) -> HostUse:
    """The use of the host, with the use of each processor and the host's counts. `runnable`: as counted meanwhile.

    Unchanged where nothing of this was read.
    """
    if _SWITCHES not in spent:
        return use
    numbers = sorted(key[1] for key in spent if key[0] == "processor" and isinstance(key[1], int) and key[2] == 0)
    return replace(
        use,
        processors=tuple(
            ProcessorUse(number, *(spent[("processor", number, at)] for at in range(8))) for number in numbers
        ),
        run_queue=statistics.fmean(runnable) if runnable else None,
        context_switches=round(spent[_SWITCHES]),
        disk_read=round(spent[_READ]),
        disk_written=round(spent[_WRITTEN]),
        network=traffic(spent, HOST),
        loopback=traffic(spent, LOOPBACK),
    )
