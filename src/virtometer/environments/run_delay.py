"""How long the threads of a guest were ready and had no processor. Source: Documentation/scheduler/sched-stats.rst."""

from __future__ import annotations

import os
from collections.abc import Callable

from virtometer.environments.processors import tasks


class RunDelay:
    """The run delay of all threads of a guest, in ns, exact. Files stay open, because it is read in every slice."""

    def __init__(self, processes: Callable[[], list[int]]) -> None:
        """`processes` lists the guest's processes."""
        self._processes = processes
        self._files: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._ended_ns = 0

    def find(self) -> None:
        """Find the threads that were started since the last call. Those that nobody finds are not counted."""
        for task in tasks(self._processes()):
            if task not in self._files:
                try:
                    self._files[task] = os.open(f"/proc/{task}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
                except OSError:  # it has ended, or this kernel does not count
                    continue
                self._last[task] = 0

    def ns(self) -> int | None:
        """The sum over the threads that were found, ended ones included. None where the kernel does not count."""
        for task, file in list(self._files.items()):
            try:
                self._last[task] = int(os.pread(file, 64, 0).split()[1])
            except (OSError, IndexError, ValueError):  # it has ended
                self._ended_ns += self._last.pop(task)
                os.close(self._files.pop(task))
        return sum(self._last.values()) + self._ended_ns if self._last or self._ended_ns else None

    def close(self) -> None:
        """Close the files. Idempotent."""
        while self._files:
            os.close(self._files.popitem()[1])
        self._last.clear()
