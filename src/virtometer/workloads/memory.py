"""Memory (McCalpin: Memory bandwidth and machine balance in high performance computers, IEEE TCCA 1995; RAMspeed)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from virtometer import agent_table
from virtometer.agent_table import Arrays
from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Size, Work, Workload, not_multiple, of_kernel, parse_size

_MOST_PLACES = 2**32 - 1  # that latency goes through


class MemoryParameters(Parameters):
    """What is not given is left to the agent, whose default is what is fastest."""

    size: Size = Field(
        default=64 << 20,
        description="bytes of each array, or of the one of latency; `4x llc`: 4 times the host's last-level cache",
    )
    type: Literal["float", "int"] | None = Field(
        default=None, description="elements of 8 bytes: floating point, or whole numbers"
    )
    simd: Literal["auto", "scalar", "sse", "avx", "avx512", "neon"] | None = Field(
        default=None, description="vector instructions; auto: the widest that the processor has"
    )
    store: Literal["auto", "temporal", "non-temporal"] | None = Field(
        default=None, description="through the caches, or past them; auto: past them what they cannot hold"
    )
    pages: Literal["auto", "small", "huge"] | None = Field(
        default=None, description="size of the pages that are asked for; auto: huge ones where they are free"
    )
    stride: Annotated[int, BeforeValidator(parse_size), Field(ge=8, le=1 << 30)] | None = Field(
        default=None, description="bytes from one load to the next"
    )
    order: Literal["random", "page", "sequential"] | None = Field(
        default=None, description="order of the loads; page: random within each page, pages at random"
    )


def _arrays(op: str) -> Arrays:
    """The arrays of an operation, as the agent has them. Nothing that caches do is counted."""
    arrays = agent_table.operation("memory", op).arrays
    assert arrays is not None, f"the agent's table has no arrays of memory {op}"
    return arrays


class Memory(Workload[MemoryParameters]):
    """Bandwidth over arrays that are read and written in order; latency of loads that wait for each other."""

    name = "memory"
    kernel = "memory"
    meaning = "moves arrays through memory, or measures the latency of loads"
    operations = of_kernel("memory")
    parameters = MemoryParameters
    cache_sizes = frozenset({"size"})

    def work(self, op: str, parameters: MemoryParameters, threads: int, seconds: float) -> Work:
        """The arrays, which the threads share. Latency has one thread."""
        demand = Demand(memory=_arrays(op).held * parameters.size, threads=1 if op == "latency" else 0)
        return replace(super().work(op, parameters, threads, seconds), demand=demand)

    def refusal(self, op: str, values: Mapping[str, Any]) -> str:
        """Elements have 8 bytes; the places of latency are as far apart as the stride says."""
        size, stride = values["size"], values.get("stride")
        if sentence := not_multiple(values, "size", 8) or not_multiple(values, "stride", 8):
            return sentence
        if stride is not None and (size % stride or not 2 <= size // stride <= _MOST_PLACES):
            return f"size is {size}, but must be a multiple of the stride of {stride}, for 2 to {_MOST_PLACES} places"
        return ""
