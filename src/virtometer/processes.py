"""Processes of the host, as /proc shows them: found by their parents, their group or their mark, and ended.

Source: proc(5).
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from virtometer.errors import EnvironmentFailed

MARKER = "VIRTOMETER_GUEST"
"""The environment variable with the mark: of a guest, of a build or of one run of a program."""

KILL_LIMIT_S = 5.0
_EXECVE_LIMIT_S = 1.0
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """What /proc/PID/stat says of a process that runs (or waits to be reaped).

    own_ns, children_ns: CPU time of it and of its ended children. user_ns, system_ns: of both, by mode. memory: of its
    address space, bytes; 0 for threads of the kernel and for a process that has ended.
    """

    pid: int
    state: str
    parent: int
    session: int
    own_ns: int
    children_ns: int
    start: int
    user_ns: int = 0
    system_ns: int = 0
    group: int = 0
    memory: int = 0

    @property
    def runs(self) -> bool:
        """Whether it has not ended: one that is only to be reaped has."""
        return self.state not in "ZX"


def process_stats() -> Iterator[ProcessStat]:
    """All processes that this one can see."""
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit() and (one := stat_of(int(directory.name))):
            yield one


def stat_of(pid: int) -> ProcessStat | None:
    """One process, or None when it does not exist."""
    try:
        f = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="surrogateescape").rpartition(")")[2].split()
    except OSError:
        return None
    user, system, children_user, children_system = (int(ticks) * TICK_NS for ticks in f[11:15])
    return ProcessStat(
        pid, f[0], int(f[1]), int(f[3]), user + system, children_user + children_system, int(f[19]),
        user + children_user, system + children_system, int(f[2]), int(f[20]),
    )  # fmt: skip


def kill_all(processes: Callable[[], list[int]]) -> None:
    """SIGKILL what `processes` lists until it lists nothing, and all of it has ended.

    A process that ends has no mark any more, and one without a parent is nobody's: `processes` may not list it although
    it still runs. Raises EnvironmentFailed after five seconds.
    """
    deadline = time.monotonic() + KILL_LIMIT_S
    pause = 0.0005
    killed: dict[int, int] = {}  # when each of them started
    while True:
        pids = processes()
        for pid in pids:
            one = stat_of(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                if one is not None:
                    killed[pid] = one.start
        left = sorted({*pids, *(pid for pid, start in killed.items() if _runs(pid, start))})
        if not left:
            return
        if time.monotonic() > deadline:
            raise EnvironmentFailed(f"the processes {', '.join(map(str, left))} do not end although they were killed")
        time.sleep(pause)
        pause = min(pause * 2, 0.02)


def _runs(pid: int, start: int) -> bool:
    """Whether the process that started then still runs: its number may be another's by now."""
    one = stat_of(pid)
    return one is not None and one.start == start and one.runs


def marked_processes(marker: str) -> list[int]:
    """Pids of the running processes that carry a mark (as far as this user may look)."""
    return [one.pid for one in _marked(process_stats(), marker) if one.runs]


def tree_of(root: int) -> list[int]:
    """Pids of a process and of its descendants that run."""
    everything = list(process_stats())
    inside = _with_descendants({root}, everything)
    return [one.pid for one in everything if one.pid in inside and one.runs]


def started_by(leader: int, marker: str) -> list[int]:
    """Pids of what runs of a program: the members of the group that it leads, what carries its mark, all descendants.

    The leader must not be reaped, because its number could be that of a stranger then.
    """
    everything = list(process_stats())
    own = {leader} | {one.pid for one in everything if one.group == leader}
    own |= {one.pid for one in _marked(everything, marker)}
    inside = _with_descendants(own, everything)
    return [one.pid for one in everything if one.pid in inside and one.runs]


def _with_descendants(roots: set[int], everything: Iterable[ProcessStat]) -> set[int]:
    inside = set(roots)
    while grown := {one.pid for one in everything if one.parent in inside} - inside:
        inside |= grown
    return inside


def _marked(everything: Iterable[ProcessStat], marker: str) -> Iterator[ProcessStat]:
    """Those that carry a mark. One within execve is waited for: it has no environment for a moment."""
    unknown = [one for one in everything if one.memory]
    deadline = time.monotonic() + _EXECVE_LIMIT_S
    while unknown:
        found = [(one, _has_mark(one.pid, marker)) for one in unknown]
        yield from (one for one, has in found if has)
        unknown = [one for one, has in found if has is None]
        if time.monotonic() > deadline:
            return
        if unknown:
            time.sleep(0.0002)


def _has_mark(pid: int, marker: str) -> bool | None:
    """Whether a process carries a mark, as far as this user may look; None within execve."""
    try:
        for _ in range(3):  # it may execute another program after a look
            if environment := Path(f"/proc/{pid}/environ").read_bytes():
                return f"{MARKER}={marker}".encode() in environment.split(b"\0")
            if _executes(pid):
                return None
    except OSError:
        return False
    return False


def _executes(pid: int) -> bool:
    """Whether a process is within execve: the end of its code (field 27 of /proc/PID/stat) is set when that has ended.

    False where the kernel sets no such field. OSError for a process that is gone.
    """
    return _knows_its_code("self") and not _knows_its_code(str(pid))


def _knows_its_code(pid: str) -> bool:
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[24] != b"0"
