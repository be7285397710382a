"""What the processors of the host did, one by one: exact where a kernel counts so, else in ticks of 10 ms.

Sources: Documentation/admin-guide/cgroup-v1/cpuacct.rst, Documentation/scheduler/sched-stats.rst, proc(5).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from virtometer.host.cpu.accounting import all_cgroup_mounts

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_WHOLE_HOST = 0.8  # of the time that /proc/stat has: the top cgroup of a container has less
SCHEDSTAT = "/proc/schedstat"
_KERNEL_THREADS = 2  # pid of their parent


class ProcessorTime:
    """Time that each processor spent in processes, the kernel's threads included, in ns since the host was started."""

    def __init__(self) -> None:
        """Find the most exact source."""
        self._file = -1
        self._parse: Callable[[bytes], Mapping[int, int]] | None = None
        for path, parse in (*((path, _by_cgroup) for path in top_cgroups()), (SCHEDSTAT, _by_scheduler)):
            try:
                self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                continue
            if sum(parse(self._text()).values()) >= _WHOLE_HOST * sum(_by_ticks().values()):
                self._parse = parse
                return
            self.close()

    @property
    def exact(self) -> bool:
        """Whether it is counted in ns, not in ticks."""
        return self._parse is not None

    def ns(self, processors: Collection[int]) -> tuple[int, int]:
        """Of all processors in total, and of these."""
        found = _by_ticks() if self._parse is None else self._parse(self._text())
        return sum(found.values()), sum(found.get(one, 0) for one in processors)

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _text(self) -> bytes:
        text, size = b"", 1 << 16
        while piece := os.pread(self._file, size, len(text)):
            text += piece
            if len(piece) < size:
                break
        return text


def top_cgroups() -> list[str]:
    """Files that count for each processor, of the cgroup above all others."""
    mounts = [one for one in all_cgroup_mounts() if "cpuacct" in one.controllers and one.root == "/"]
    return [str(mount.path / "cpuacct.usage_percpu") for mount in mounts]


def _by_cgroup(text: bytes) -> dict[int, int]:
    return dict(enumerate(map(int, text.split())))


def _by_scheduler(text: bytes) -> dict[int, int]:
    lines = (line.split() for line in text.splitlines() if line.startswith(b"cpu"))
    return {int(words[0][3:]): int(words[-3]) for words in lines}


def _by_ticks() -> dict[int, int]:
    lines = (line.split() for line in Path("/proc/stat").read_text(encoding="ascii").splitlines())
    found = {word[0]: word[1:4] for word in lines if word[0].startswith("cpu") and word[0] != "cpu"}
    return {int(name[3:]): sum(map(int, ticks)) * _TICK_NS for name, ticks in found.items()}


def kernel_threads_ns() -> dict[int, int]:
    """Processor time of each thread of the kernel, by its pid, in ns."""
    found = {}
    for directory in Path("/proc").iterdir():
        if not directory.name.isdecimal():
            continue
        try:
            stat = (directory / "stat").read_text(encoding="utf-8", errors="surrogateescape").rpartition(")")[2]
            if int(stat.split()[1]) == _KERNEL_THREADS:
                found[int(directory.name)] = int((directory / "schedstat").read_text().split()[0])
        except (OSError, IndexError):  # it has ended, or this kernel does not count
            continue
    return found
