"""What this host cannot execute of a plan that is right, and how long the rest takes: before anything is started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

from virtometer.design.feasible import HostSizes, Impossible, impossible_here
from virtometer.design.schedule.duration import duration
from virtometer.design.schedule.residents import Crowd, Residents, crowds, residents
from virtometer.design.schedule.trials import schedule
from virtometer.model import Plan
from virtometer.runner.campaign.catalogue import catalogue
from virtometer.runner.campaign.windows import windows
from virtometer.runner.lab.context import ROOM


def not_here(plan: Plan, results: Path) -> list[Impossible]:
    """What this host cannot execute, with the results below `results`, which need not exist."""
    return list(impossible_here(plan, catalogue(), host_sizes(results)))


def residents_here(plan: Plan, names: Collection[str], results: Path) -> Residents:
    """The groups in which the guests of these environments take turns on this host."""
    room = host_sizes(results).room(plan.rules.min_free_memory_bytes)
    return residents(plan, names, room, catalogue())


def seconds_here(plan: Plan, results: Path) -> float:
    """How long the blocks of a plan take here, about, where every environment works."""
    names = [environment.name for environment in plan.environments]
    trials = schedule(plan, names, 0, residents_here(plan, names, results).of_blocks)
    return duration(plan, trials, windows(plan), catalogue()).seconds


def crowds_here(plan: Plan, names: Collection[str], results: Path) -> list[Crowd]:
    """The scenarios of which numbers of guests are interleaved, and whether all environments have room on this host."""
    room = host_sizes(results).room(plan.rules.min_free_memory_bytes)
    return crowds(plan, names, room, catalogue())


def host_sizes(results: Path) -> HostSizes:
    """Memory with swap, what is unused of it, processors that are on, and what is free for results, in bytes."""
    there = next(parent for parent in (results.absolute(), *results.absolute().parents) if parent.is_dir())
    free = max(0, shutil.disk_usage(there).free - ROOM)
    memory, unused = memory_sizes()
    return HostSizes(memory, _processors(), free, frozenset(os.sched_getaffinity(0)), unused)


def memory_sizes() -> tuple[int, int | None]:
    """All of it with swap, and what programs could take now without swap: kernels before 3.14 do not count that."""
    lines = (line.split() for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines())
    fields = {field[0]: int(field[1]) << 10 for field in lines}
    return fields["MemTotal:"] + fields.get("SwapTotal:", 0), fields.get("MemAvailable:")


def _processors() -> frozenset[int]:
    try:
        return frozenset(_listed(Path("/sys/devices/system/cpu/online").read_text(encoding="utf-8").strip().split(",")))
    except (OSError, ValueError):
        return frozenset(range(os.cpu_count() or 1))


def _listed(parts: Iterable[str]) -> Iterable[int]:
    """The numbers of a list such as 0-3,8."""
    for part in parts:
        low, _, high = part.partition("-")
        yield from range(int(low), int(high or low) + 1)
