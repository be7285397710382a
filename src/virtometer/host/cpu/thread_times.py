"""How long the threads of a guest worked, and how long they were ready and had no processor.

Source: Documentation/scheduler/sched-stats.rst.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from virtometer.host.cpu.parts import (
    NOT_COUNTED,
    PROC,
    WHOLE,
    CpuReading,
    Division,
    Part,
    guest_time_ticks,
    kernel_threads_of,
    part_of,
)
from virtometer.host.cpu.processors import tasks

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class ThreadTimes:
    """Times of all threads of a guest, in ns, exact. Files stay open, because they are read in every slice."""

    def __init__(self, processes: Callable[[], list[int]], division: Division = WHOLE, *, proc: Path = PROC) -> None:
        """`processes` lists the guest's processes. division: how the parts of their time are told apart."""
        self._processes = processes
        self._proc = proc
        self._files: dict[int, int] = {}
        self._parts: dict[int, Part] = {}
        self._worked: dict[int, int] = {}
        self._waited: dict[int, int] = {}
        self._ended_ns = dict.fromkeys(Part, 0)
        self._ended_wait_ns = 0
        self._beside: dict[int, int] | None = None  # threads of the kernel that are in no account, and their files
        self._beside_reason = ""
        self._pids: list[int] = []
        self.division = division

    def find(self) -> None:
        """Find the threads that were started since the last call. Those that nobody finds are not counted."""
        self._pids = self._processes()
        for pid in self._pids:
            for task in tasks([pid], self._proc):
                if task not in self._files:
                    self._open(pid, task)
        if self.division.by_guest_time and self._beside is None and self._pids:
            self._find_beside()

    def _open(self, pid: int, task: int) -> None:
        try:
            part = part_of(pid, task, self.division, self._proc)
            self._files[task] = os.open(self._proc / str(task) / "schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, IndexError, ValueError):  # it has ended, or this kernel does not count
            return
        self._parts[task], self._worked[task], self._waited[task] = part, 0, 0

    def _find_beside(self) -> None:
        """Threads of the kernel that serve the guest and whose time its account does not have."""
        self._beside = {}
        found, self._beside_reason = kernel_threads_of([*self._pids, *self._files], self._proc)
        for task in found:
            try:
                self._beside[task] = os.open(self._proc / str(task) / "schedstat", os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                self._beside_reason = NOT_COUNTED

    def read(self) -> None:
        """Read the times of all threads that were found."""
        for task, file in self._files.copy().items():
            try:
                worked, waited, *_ = os.pread(file, 64, 0).split()
                self._worked[task], self._waited[task] = int(worked), int(waited)
            except (OSError, ValueError):  # it has ended
                self._ended_wait_ns += self._waited.pop(task)
                self._ended_ns[self._parts.pop(task)] += self._worked.pop(task)
                os.close(self._files.pop(task))

    def wait_ns(self) -> int | None:
        """The run delay when they were read, of ended threads too. None where the kernel does not count."""
        return sum(self._waited.values()) + self._ended_wait_ns if self._waited or self._ended_wait_ns else None

    def parts(self, total_ns: int, modes_ns: tuple[int, int] | None) -> CpuReading:
        """How the time of the whole guest was divided when its threads were read.

        total_ns: by its account. modes_ns: of it in user and in kernel mode.
        """
        user, system = modes_ns or (None, None)
        inside = self._of(Part.KERNEL)
        code, vmm, unknown = self._divided(total_ns - inside)
        kernel, reason = self._kernel(inside)
        reasons = (unknown, reason, "" if modes_ns else "its account does not tell user from kernel mode")
        return CpuReading(code, vmm, kernel, user, system, "; ".join(filter(None, reasons)))

    def _divided(self, rest_ns: int) -> tuple[int | None, int | None, str]:
        """Code and VMM within the time of the account without threads of the kernel, and the reason where unknown."""
        division = self.division
        if division.by_guest_time:
            try:
                code = guest_time_ticks(self._pids, self._proc) * _TICK_NS
            except (OSError, IndexError, ValueError):
                return None, None, "the host's kernel does not say how long the machine was in its guest"
            return code, rest_ns - code, ""
        if division.counted is None:
            return rest_ns, 0, ""
        if not self._parts and not any(self._ended_ns.values()):
            return None, None, NOT_COUNTED
        if Part.CODE not in self._parts.values() and not self._ended_ns[Part.CODE]:
            return None, None, division.missing
        counted = self._of(division.counted)
        pair = counted, rest_ns - counted
        return (*pair, "") if division.counted is Part.CODE else (*pair[::-1], "")

    def _kernel(self, inside_ns: int) -> tuple[int | None, str]:
        if self._beside_reason:
            return None, self._beside_reason
        return inside_ns + sum(_worked_ns(file) for file in (self._beside or {}).values()), ""

    def _of(self, part: Part) -> int:
        return self._ended_ns[part] + sum(ns for task, ns in self._worked.items() if self._parts[task] is part)

    def close(self) -> None:
        """Close the files. Idempotent."""
        for files in (self._files, self._beside or {}):
            while files:
                os.close(files.popitem()[1])
        self._parts.clear()
        self._worked.clear()
        self._waited.clear()


def _worked_ns(file: int) -> int:
    try:
        return int(os.pread(file, 64, 0).split()[0])
    except (OSError, IndexError, ValueError):  # it has ended
        return 0
