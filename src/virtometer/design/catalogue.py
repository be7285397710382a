"""What plans may name, as data: the kinds of environments with their settings, the workloads with their operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from virtometer.model import Better, Demand


@dataclass(frozen=True, slots=True)
class OpDescription:
    """One operation of a workload: unit and direction of its metric, and the metric's name in words."""

    unit: str
    better: Better
    metric: str


@dataclass(frozen=True, slots=True)
class WorkloadDescription:
    """One workload: its operations by name, and the model that its parameters must satisfy.

    meaning, facts: what it measures, and more sentences about it. takes: operation -> its parameters -> what the agent
    takes where a plan leaves them out, None where that is nothing; an operation that is not there has all parameters.
    refusal: why an operation of the workload does not take these parameters, in a sentence; empty where it does.
    demand: what an operation takes with these parameters and so many threads.
    """

    ops: Mapping[str, OpDescription]
    parameters: type[BaseModel]
    refusal: Callable[[str, BaseModel], str] = lambda op, parameters: ""
    demand: Callable[[str, BaseModel, int], Demand] = lambda op, parameters, threads: Demand()
    meaning: str = ""
    facts: tuple[str, ...] = ()
    takes: Mapping[str, Mapping[str, str | int | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KindDescription:
    """A kind of environment in words: its title in reports, what it is, and more sentences about it."""

    title: str
    meaning: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`kinds`: settings model of every environment kind, by name. `workloads`: by name.

    machines: kinds with a kernel of their own, with the bytes of memory that the kernel and the agent take at least,
    beside the descriptions of pages. Their guests have the disk as a device, and all of their memory.
    """

    kinds: Mapping[str, type[BaseModel]]
    workloads: Mapping[str, WorkloadDescription]
    machines: Mapping[str, int] = field(default_factory=dict)
    about_kinds: Mapping[str, KindDescription] = field(default_factory=dict)
