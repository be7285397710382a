"""What this host cannot execute of a plan that is right, and how long the rest takes: before anything is started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from virtometer.design.feasible import HostSizes, Impossible, impossible_here
from virtometer.design.parse import PlanRead, read_plan
from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.design.plan.selection import Selection
from virtometer.design.reference.tables import Section, sections
from virtometer.design.schedule.duration import duration
from virtometer.design.schedule.residents import GrowingGuests, Residents, growing_guests, residents
from virtometer.design.schedule.trials import schedule
from virtometer.environments.registry import KINDS
from virtometer.host.cpu.caches import last_cache_bytes
from virtometer.model import Campaign
from virtometer.runner.lab.context import ROOM


def read_here(
    text: bytes,
    file_name: str,
    selected: Selection,
    instead: Mapping[str, Any] | None,
    usual_cache: int | None,
    *,
    short: bool = False,
) -> PlanRead:
    """`read_plan` with the kinds of this laboratory, and the last-level cache of this host or, without it, a usual one.

    short: the short form of the plan. usual_cache: in bytes. None: sizes by the cache are refused where the host has
    no word on it.
    """
    cache = last_cache_bytes() or usual_cache
    return read_plan(text, file_name, KINDS, selected, instead, short=short, last_cache_bytes=cache)


def reference_here(name: str | None) -> tuple[Section, ...]:
    """The reference of plans with the kinds of this laboratory. Raises UsageError for a name that it lacks."""
    return sections(KINDS, name)


def not_here(resolved: ResolvedPlan, results: Path) -> list[Impossible]:
    """What this host cannot execute, with the results below `results`, which need not exist."""
    return list(impossible_here(resolved, host_sizes(results)))


def residents_here(resolved: ResolvedPlan, names: Collection[str], results: Path) -> Residents:
    """The groups in which the guests of these environments take turns on this host."""
    return residents(resolved, names, _room(resolved, results))


def seconds_here(resolved: ResolvedPlan, results: Path) -> float:
    """How long the blocks of a plan take here, about, where every environment works."""
    names = [environment.name for environment in resolved.plan.environments]
    trials = schedule(resolved.plan, names, 0, residents_here(resolved, names, results).of_blocks)
    return duration(resolved, trials).seconds


def seconds_left(campaign: Campaign, trials: Collection[int]) -> float:
    """How long these of the planned trials of a campaign take, about, by their indices."""
    some = [trial for trial in campaign.planned if trial.index in trials]
    return duration(resolve(campaign.plan, KINDS), some).seconds


def growing_guests_here(resolved: ResolvedPlan, names: Collection[str], results: Path) -> list[GrowingGuests]:
    """The scenarios of which numbers of guests are interleaved, and whether all environments have room on this host."""
    return growing_guests(resolved, names, _room(resolved, results))


def _room(resolved: ResolvedPlan, results: Path) -> int:
    return host_sizes(results).room(resolved.plan.rules.min_free_memory_bytes)


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
