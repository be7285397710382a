"""Which processors of the host the threads of processes may use. Source: sched_setaffinity(2), proc(5)."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from pathlib import Path

from virtometer.errors import EnvironmentFailed

_PASSES = 20  # over the threads: each pass finds those that were started during the one before


def place(processes: Callable[[], list[int]], processors: Collection[int]) -> None:
    """Bind all threads of the processes that `processes` lists, until no thread is found that is not bound.

    Raises EnvironmentFailed where the host refuses, or where threads go on coming that are not bound.
    """
    wanted = set(processors)
    for _ in range(_PASSES):
        if not sum(_bind(task, wanted) for task in tasks(processes())):
            return
    raise EnvironmentFailed(f"not all threads stay on processor {processor_list(wanted)}")


def tasks(pids: Collection[int], proc: Path = Path("/proc")) -> Iterator[int]:
    """Numbers of all threads of processes."""
    for pid in pids:
        try:
            with os.scandir(f"{proc}/{pid}/task") as found:
                names = [task.name for task in found]
        except OSError:  # it has ended
            continue
        yield from map(int, names)


def allowed(task: int) -> frozenset[int]:
    """Processors that a thread may use; none where it has ended."""
    try:
        return frozenset(os.sched_getaffinity(task))
    except ProcessLookupError:
        return frozenset()


def _bind(task: int, processors: set[int]) -> bool:
    """Bind one thread. Returns whether it had to be bound."""
    try:
        if os.sched_getaffinity(task) == processors:
            return False
        os.sched_setaffinity(task, processors)
    except ProcessLookupError:
        return False
    except OSError as cause:
        if cause.errno == errno.EINVAL and _is_dead(task):
            return False
        reason = f"the host does not bind its threads to processor {processor_list(processors)}: {cause.strerror}"
        raise EnvironmentFailed(reason) from cause
    return True


def _is_dead(task: int) -> bool:
    try:
        status = Path(f"/proc/{task}/stat").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] in "ZX"


def processor_list(processors: Collection[int]) -> str:
    """Numbers as the kernel writes them: 0-2,5."""
    ordered = sorted(processors)
    starts = [one for one, before in zip(ordered, [None, *ordered], strict=False) if before is None or one > before + 1]
    ends = [one for one, after in pairwise([*ordered, 1 << 30]) if after > one + 1]
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in zip(starts, ends, strict=True))
