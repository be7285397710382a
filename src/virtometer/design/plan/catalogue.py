"""What plans may name, as data: the kinds of environments with their settings, the workloads with their operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from virtometer.model import Better, Demand


@dataclass(frozen=True, slots=True)
class OpDescription:
    """One operation of a workload: unit and direction of its value, and what is counted as work."""

    unit: str
    better: Better
    work: str


@dataclass(frozen=True, slots=True)
class WorkloadDescription:
    """One workload: its operations by name, and the model that its parameters must satisfy.

    meaning, facts: what it measures, and more sentences about it. takes: operation -> its parameters -> what the agent
    takes where a plan leaves them out, None where that is nothing; an operation that is not there has all parameters.
    refusal: why an operation of the workload does not take these parameters, in a sentence; empty where it does.
    demand: what an operation takes with these parameters and so many threads. networked: it exchanges data with a peer.
    cache_sizes: parameters whose size may be a multiple of the host's last-level cache.
    """

    ops: Mapping[str, OpDescription]
    parameters: type[BaseModel]
    refusal: Callable[[str, BaseModel], str] = lambda op, parameters: ""
    demand: Callable[[str, BaseModel, int], Demand] = lambda op, parameters, threads: Demand()
    cannot_pause: Callable[[str, BaseModel, float, str], str] = lambda op, parameters, seconds, cached: ""
    meaning: str = ""
    facts: tuple[str, ...] = ()
    takes: Mapping[str, Mapping[str, str | int | None]] = field(default_factory=dict)
    networked: bool = False
    cache_sizes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a guest usually takes beside the work: seconds to start it, and seconds of a trial beside its window."""

    start_s: float = 0.0
    trial_s: float = 0.0


@dataclass(frozen=True, slots=True)
class KindDescription:
    """One kind of environment, and the model that its settings must satisfy.

    title, meaning, facts: its title in reports, what it is, and more sentences about it. machine_memory: bytes that the
    own kernel of a machine and the agent take of its memory at least, beside the descriptions of pages; the disk of a
    machine is a device. None: guests are no machines. own_memory: bytes of the host's memory that a guest takes beside
    its own memory, or beside that of its work. instances: several agents can work in one guest. unlike_in_slices:
    operations whose speed in short slices is not that of long windows ("os fork"), each with the reason.
    """

    settings: type[BaseModel]
    title: str = ""
    meaning: str = ""
    facts: tuple[str, ...] = ()
    cost: Cost = Cost()
    machine_memory: int | None = None
    own_memory: int = 0
    needs_long_windows: Callable[[BaseModel], str] = lambda settings: ""
    caches_disk: Callable[[BaseModel], str] = lambda settings: ""
    instances: bool = False
    unlike_in_slices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Kinds of environments and workloads, each by its name.

    last_cache_bytes: of the host's last-level cache; None where the host reports none.
    """

    kinds: Mapping[str, KindDescription]
    workloads: Mapping[str, WorkloadDescription]
    last_cache_bytes: int | None = None
