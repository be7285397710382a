"""Processes of the host, as /proc shows them: whose they are, and how they are ended. Source: proc(5)."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.environments.journal import Owner, Resource
from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs

MARKER = "VIRTOMETER_GUEST"
KILL_LIMIT_S = 5.0
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """What /proc/PID/stat says of a process that runs (or waits to be reaped).

    own_ns, children_ns: CPU time of it and of its ended children. user_ns, system_ns: of both, by mode.
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
        user + children_user, system + children_system,
    )  # fmt: skip


def kill_all(processes: Callable[[], list[int]]) -> None:
    """SIGKILL what `processes` lists until it lists nothing. Raises EnvironmentFailed after five seconds."""
    deadline = time.monotonic() + KILL_LIMIT_S
    pause = 0.0005
    while pids := processes():
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise EnvironmentFailed(f"the processes {', '.join(map(str, pids))} do not end although they were killed")
        time.sleep(pause)
        pause = min(pause * 2, 0.02)


def marker_of(guest_id: str, owner: Owner) -> str:
    """The mark in the environment of a guest's processes: the guest and the laboratory that made it."""
    return f"{guest_id}@{owner.pid}.{owner.start}"


def marked_processes(marker: str) -> list[int]:
    """Pids of the running processes that carry a guest's mark (as far as this user may look)."""
    wanted = f"{MARKER}={marker}".encode()
    found = []
    for one in process_stats():
        if one.state in "ZX":
            continue
        with contextlib.suppress(OSError):
            if wanted in Path(f"/proc/{one.pid}/environ").read_bytes().split(b"\0"):
                found.append(one.pid)
    return found


def _kill_group(fields: Mapping[str, Any], programs: Programs) -> str:
    """Kill a process group whose leader is the very process that was recorded; a recycled pid is left alone."""
    leader = int(fields["leader"])
    one = stat_of(leader)
    if one is None or one.start != int(fields["start"]):
        return ""
    members = [p.pid for p in process_stats() if p.session == leader and p.state not in "ZX"]
    if not members:
        return ""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
    kill_all(lambda: [p.pid for p in process_stats() if p.session == leader and p.state not in "ZX"])
    return _count(len(members))


def _kill_marked(fields: Mapping[str, Any], programs: Programs) -> str:
    """Kill the guest's processes that left its process group, by the mark in their environment."""
    marker = str(fields["marker"])
    strays = marked_processes(marker)
    kill_all(lambda: marked_processes(marker))
    return _count(len(strays))


def _count(processes: int) -> str:
    return f"{processes} process{'es' if processes > 1 else ''}" if processes else ""


PROCESS_GROUP = Resource("process-group", _kill_group, ends_at_boot=True)
"""Fields: leader (pid), start (clock ticks since boot, field 22 of /proc/PID/stat)."""

MARKED = Resource("marked", _kill_marked, ends_at_boot=True)
"""Field: marker. In no journal: every guest has a mark."""
