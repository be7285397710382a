"""What plans may name on this laboratory, as data for the pure parser of plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pydantic import BaseModel

from virtometer.design.plan.catalogue import Catalogue, Cost, KindDescription, OpDescription, WorkloadDescription
from virtometer.design.schedule.interleaving import LONG_SLICE_S
from virtometer.environments.base import Environment, Settings
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError
from virtometer.host.cpu.caches import last_cache_bytes
from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Place, Workload
from virtometer.workloads.registry import WORKLOADS
from virtometer.workloads.tool import Tool

_WITH_EVERYTHING = Place(disk_path="/disk", peer="peer:1", time_server="clock:1")


def catalogue() -> Catalogue:
    """Kinds of environments with their settings, workloads with their operations and parameters."""
    return Catalogue(
        kinds={name: _described(kind) for name, kind in KINDS.items()},
        workloads={
            name: WorkloadDescription(
                ops={op: OpDescription(o.unit, o.better, o.work) for op, o in workload.operations.items()},
                parameters=workload.parameters,
                refusal=_refusal(workload),
                demand=_demand(workload),
                cannot_pause=_cannot_pause(workload),
                meaning=workload.meaning,
                facts=tuple(_needs(workload)),
                takes=_taken(workload),
                networked="network" in workload.needs,
                cache_sizes=workload.cache_sizes,
            )
            for name, workload in WORKLOADS.items()
        },
        last_cache_bytes=last_cache_bytes(),
    )


def _described(kind: type[Environment]) -> KindDescription:
    return KindDescription(
        settings=kind.settings_type,
        title=kind.title,
        meaning=kind.meaning,
        facts=tuple(_facts(kind)),
        cost=Cost(kind.usual_start_s, kind.usual_overhead_s),
        machine_memory=kind.kernel_memory if kind.machine else None,
        own_memory=kind.own_memory,
        needs_long_windows=_needs_long_windows,
        caches_disk=_caches_disk,
        instances=kind.several_agents,
        unlike_in_slices=kind.unlike_in_slices,
    )


def _needs_long_windows(settings: BaseModel) -> str:
    assert isinstance(settings, Settings)
    return settings.needs_long_windows


def _caches_disk(settings: BaseModel) -> str:
    assert isinstance(settings, Settings)
    return settings.caches_disk


def _taken(workload: Workload) -> dict[str, dict[str, str | int | None]]:
    """Operation -> its parameters -> what the agent takes where a plan leaves them out. Tools have all of theirs."""
    if isinstance(workload, Tool):
        return {}
    return {
        op: {name: one.otherwise if one.default is None else one.default for name, one in workload.takes(op).items()}
        for op in workload.operations
    }


def _needs(workload: Workload) -> Iterator[str]:
    """What a workload needs of a guest and of the host, in sentences."""
    if isinstance(workload, Tool):
        yield f"It runs the program `{workload.program}` of the host (Debian package `{workload.package}`)."
    words = {"disk": "the disk of a guest", "network": "the network of a guest"}
    if needs := [words[need] for need in sorted(workload.needs)]:
        yield f"It needs {' and '.join(needs)}."


def _facts(kind: type[Environment]) -> Iterator[str]:
    """What a kind is started with and what its guests are, in sentences."""
    if kind.package:
        yield f"Guests start with `{kind.program}` (Debian package `{kind.package}`)."
    if kind.machine:
        yield "Guests have a kernel of their own. The disk is a device, with ext4 where a workload needs files."
    if kind.namespaces:
        yield f"Guests have namespaces of their own: {', '.join(kind.namespaces)}."
    for op, reason in kind.unlike_in_slices.items():
        yield f"With slices shorter than {LONG_SLICE_S * 1e3:g} ms, `{op}` has long windows by default: {reason}."
    for setting in kind.settings_type.clock_settings:
        yield f"With `{setting}` the clock of a guest follows no clock of the host, and `timing: auto` is `laboratory`."


def _demand(workload: Workload) -> Callable[[str, BaseModel, int], Demand]:
    def ask(op: str, parameters: BaseModel, threads: int) -> Demand:
        assert isinstance(parameters, Parameters)
        return replace(workload.demand(op, parameters, threads), on_disk="disk" in workload.needs)

    return ask


def _cannot_pause(workload: Workload) -> Callable[[str, BaseModel, float, str], str]:
    def ask(op: str, parameters: BaseModel, seconds: float, cached: str) -> str:
        assert isinstance(parameters, Parameters)
        return workload.cannot_pause(op, parameters, seconds, cached)

    return ask


def _refusal(workload: Workload) -> Callable[[str, BaseModel], str]:
    """What the workload says against an operation with these parameters, in a place that offers everything."""

    def ask(op: str, parameters: BaseModel) -> str:
        assert isinstance(parameters, Parameters)
        try:
            workload.arguments(op, parameters, _WITH_EVERYTHING)
        except UsageError as cause:
            return cause.sentence
        return ""

    return ask
