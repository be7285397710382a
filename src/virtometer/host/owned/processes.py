"""Processes that a guest can leave on the host: as resources of the journal, and by their mark."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from typing import Any

from virtometer.host.owned.journal import Owner, Resource
from virtometer.processes import kill_all, marked_processes, process_stats, stat_of
from virtometer.programs import Programs


def marker_of(guest_id: str, owner: Owner) -> str:
    """The mark in the environment of a guest's processes: the guest and the laboratory that made it."""
    return f"{guest_id}@{owner.pid}.{owner.start}"


def _kill_group(fields: Mapping[str, Any], programs: Programs) -> str:
    """Kill a process group whose leader is the very process that was recorded; a recycled pid is left alone."""
    leader = int(fields["leader"])
    one = stat_of(leader)
    if one is None or one.start != int(fields["start"]):
        return ""
    members = [p.pid for p in process_stats() if p.session == leader and p.runs]
    if not members:
        return ""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
    kill_all(lambda: [p.pid for p in process_stats() if p.session == leader and p.runs])
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
