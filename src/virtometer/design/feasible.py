"""What is known to be impossible before anything is measured: in every place, and on a host of these sizes. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from virtometer.design.plan.document import Path
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.residents import need, residents, whole
from virtometer.design.schedule.scenarios import Placements, groups, guests_of, work_in_turns
from virtometer.model import GuestKey, Kind, Plan, rounded_size, size_text

AGENT_RESERVE = 16 << 20
"""Bytes of memory that the agent's kernels leave to the guest (RESERVE in agent/kernels/src/buffer.rs)."""

PAGE_SHARE = 64
"""A kernel keeps 64 bytes for each page of 4096: one byte of 64."""


@dataclass(frozen=True, slots=True)
class HostSizes:
    """A host as plans meet it: bytes of memory and swap, numbers of its processors, free bytes for results.

    allowed: numbers of the processors that this laboratory may use. None: all. unused: bytes of memory that no program
    has now, without swap. None: all.
    """

    memory: int
    processors: frozenset[int]
    free: int
    allowed: frozenset[int] | None = None
    unused: int | None = None

    def room(self, reserve: int) -> int:
        """Bytes that guests may take at once, where `reserve` bytes are to stay free."""
        return max(0, (self.memory if self.unused is None else self.unused) - reserve)


@dataclass(frozen=True, slots=True)
class Impossible:
    """What cannot be executed: where the plan says it, in a sentence; environment: the only one in which, or empty."""

    path: Path
    sentence: str
    environment: str = ""


def impossible(resolved: ResolvedPlan) -> Iterator[Impossible]:
    """What no host can execute."""
    plan = resolved.plan
    for number, workload in enumerate(plan.workloads):
        at: Path = ("workloads", number)
        work = resolved.works[workload.name]
        demand, what = work.demand, work.name
        if demand.threads and workload.threads > demand.threads:
            most = "one thread" if demand.threads == 1 else f"{demand.threads} threads at most"
            yield Impossible((*at, "threads"), f"'threads' is {workload.threads}, but {what} has {most}")
        if demand.disk_file > plan.disk_span:
            span = size_text(plan.disk_span)
            sentence = f"{what} uses {rounded_size(demand.disk_file)} of the disk file, which has {span} (disk_span)"
            yield Impossible((*at, "parameters", "span"), sentence)
        for environment in plan.environments:
            place = f"'{environment.name}' (kind {environment.kind})"
            memory = resolved.settings[environment.name].guest_memory
            taken = memory_taken(resolved.kind(environment), memory) if memory is not None else 0
            if memory is not None and demand.memory > memory - taken:
                sentence = f"{what} takes {rounded_size(demand.memory)} of memory, and {place} has {size_text(memory)}"
                if demand.memory <= memory:
                    sentence += f", of which {rounded_size(taken)} are not free for it"
                yield Impossible((*at, "parameters"), sentence, environment.name)


def impossible_here(resolved: ResolvedPlan, host: HostSizes) -> Iterator[Impossible]:
    """What a host of these sizes cannot execute, beside what none can."""
    plan = resolved.plan
    demands = [resolved.works[workload.name].demand for workload in plan.workloads]
    own = max(demand.own_files for demand in demands)
    files = disk_files(resolved)
    file = plan.disk_span * files
    if file + own > host.free:
        what_files = "the disk file" if files < 2 else f"the {files} disk files"
        parts = [(file, what_files), (own, "the largest files beside it")]
        needed = " and ".join(f"{what} {rounded_size(size)}" for size, what in parts if size)
        verb = "do" if own or files > 1 else "does"
        yield Impossible(("disk_span",), f"{needed} {verb} not fit: {rounded_size(host.free)} are free for the results")
    yield from _too_many_guests(resolved, host)
    for number, environment in enumerate(plan.environments):
        at: Path = ("environments", number, "settings")
        settings = resolved.settings[environment.name]
        memory = settings.guest_memory
        if resolved.kind(environment).machine and memory is not None and memory > host.memory:
            its, whole = size_text(memory), rounded_size(host.memory)
            sentence = f"'{environment.name}' has {its} of memory, and this host {whole}"
            yield Impossible((*at, "memory"), sentence, environment.name)
        missing = sorted((settings.own_processors or frozenset()) - host.processors)
        if missing:
            sentence = f"'cpuset' of '{environment.name}' names processor {missing[0]}, which this host does not have"
            yield Impossible((*at, "cpuset"), sentence, environment.name)
        numbers = set(settings.processors) if isinstance(settings.processors, tuple) else set()
        allowed = host.processors if host.allowed is None else host.processors & host.allowed
        if refused_ones := sorted(numbers - allowed):
            number, has = refused_ones[0], refused_ones[0] in host.processors
            why = "this laboratory may not use" if has else "this host does not have"
            sentence = f"'processors' of '{environment.name}' names processor {number}, which {why}"
            yield Impossible((*at, "processors"), sentence, environment.name)
    yield from _alone_too_large(resolved, host.memory)
    for number, (workload, demand) in enumerate(zip(plan.workloads, demands, strict=True)):
        if demand.memory > host.memory:
            what = f"{workload.workload} {workload.op} takes {rounded_size(demand.memory)} of memory"
            sentence = f"{what}, and this host has {rounded_size(host.memory)}"
            yield Impossible(("workloads", number, "parameters"), sentence)


def _alone_too_large(resolved: ResolvedPlan, memory: int) -> Iterator[Impossible]:
    """Guests that take turns and do not fit beside the baseline, where each of them fits alone."""
    plan = resolved.plan
    if not work_in_turns(plan):
        return
    resident = residents(resolved, [one.name for one in plan.environments], memory)
    for number, environment in enumerate(plan.environments):
        name = environment.name
        if name == plan.baseline or max(resident.needs[name], resident.needs[plan.baseline]) > memory:
            continue
        if resident.taken([name]) > memory:
            sentence = f"'{name}' and '{plan.baseline}' take turns, so that they live at the same time: "
            sentence += f"{resident.arithmetic([name])} of memory, and this host has {rounded_size(memory)}; "
            sentence += "give them less, or let workloads be 'scheduling: continuous'"
            yield Impossible(("environments", number), sentence, name)


def refused(found: Impossible, plan: Plan) -> bool:
    """Whether a plan is refused for it: not where it skips what does not work, and another environment is left."""
    return plan.unavailable == "refuse" or found.environment in ("", plan.baseline)


def disk_files(resolved: ResolvedPlan) -> int:
    """How many disk files a plan needs: one for each guest that works at the same time, unless they share one."""
    plan, on_disk = resolved.plan, resolved.on_disk
    if not on_disk or plan.disk_files == "shared":
        return min(len(on_disk), 1)
    names = [one.name for one in plan.environments]
    return max(
        (
            len(guests_of(group))
            for scenario in plan.scenarios
            for group in groups(plan, scenario, names)
            if any(placement.workload in on_disk for trial in group for placement in trial)
        ),
        default=1,
    )


def _too_many_guests(resolved: ResolvedPlan, host: HostSizes) -> Iterator[Impossible]:
    """Scenarios whose guests need more memory in total than is free, with the arithmetic.

    The guests of each environment are checked alone where environments can work one after the other.
    """
    plan = resolved.plan
    environments = {one.name: one for one in plan.environments}
    own_memory = {one.name: resolved.kind(one).own_memory for one in plan.environments}
    workloads = {name: work.demand.memory for name, work in resolved.works.items()}
    room = host.room(plan.rules.min_free_memory_bytes)
    for number, scenario in enumerate(plan.scenarios):
        for group in groups(plan, scenario, environments.keys()):
            taken = [_work_of(trial, workloads) for trial in group]
            most = max(taken, key=len)
            if plan.fresh == "block":  # all guests of the group live at the same time
                most = {key: max(one.get(key, 0) for one in taken) for one in taken for key in one}
            needs = {key: need(environments[key.environment], resolved, whole(work)) for key, work in most.items()}
            if len(needs) > 1 and sum(needs.values()) > room:
                sentence = (
                    f"the guests of '{scenario.name}' need {_arithmetic(needs, own_memory)} of memory in "
                    f"total, and this host has {rounded_size(room)} free for them; "
                    "take fewer guests, or give each less"
                )
                yield Impossible(("scenarios", number), sentence)
                break


def _work_of(trial: Placements, workloads: Mapping[str, int]) -> dict[GuestKey, int]:
    """Bytes that the work of each guest of a trial takes."""
    found: dict[GuestKey, int] = {}
    for placement in trial:
        found[placement.guest_key] = found.get(placement.guest_key, 0) + workloads[placement.workload]
    return found


def _arithmetic(needs: Mapping[GuestKey, int], own_memory: Mapping[str, int]) -> str:
    """What guests take: `3 x box (10G + 128M) = 31104M`, with what each takes beside its memory or its work."""
    parts = []
    for (name, size), count in Counter((key.environment, size) for key, size in needs.items()).items():
        own = own_memory[name]
        times = f"{count} x " if count > 1 else ""
        parts.append(f"{times}{name} ({size_text(size - own)} + {size_text(own)})")
    return f"{' + '.join(parts)} = {size_text(sum(needs.values()))}"


def memory_taken(kind: type[Kind], memory: int) -> int:
    """Bytes of a guest's memory that no kernel of the agent gets, at least; 0 where the guest has the host's kernel."""
    return kind.kernel_memory + memory // PAGE_SHARE + AGENT_RESERVE if kind.machine else 0
