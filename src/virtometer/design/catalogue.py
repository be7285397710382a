"""What plans may name, as data: the kinds of environments with their settings, the workloads with their operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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

    refusal: why an operation of the workload does not take these parameters, in a sentence; empty where it does.
    demand: what an operation takes with these parameters and so many threads.
    """

    ops: Mapping[str, OpDescription]
    parameters: type[BaseModel]
    refusal: Callable[[str, BaseModel], str] = lambda op, parameters: ""
    demand: Callable[[str, BaseModel, int], Demand] = lambda op, parameters, threads: Demand()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`kinds`: settings model of every environment kind, by name. `workloads`: by name.

    machines: kinds with a kernel of their own. Their guests have the disk as a device, and all of their memory.
    """

    kinds: Mapping[str, type[BaseModel]]
    workloads: Mapping[str, WorkloadDescription]
    machines: frozenset[str] = frozenset()
