"""Memory (McCalpin: Memory bandwidth and machine balance in high performance computers, IEEE TCCA 1995; RAMspeed)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import Operation, Parameters, Place, Size, Workload, parse_size

# How many arrays an operation reads and how many it writes, added up. Nothing that caches do is counted.
ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3, "read": 1, "write": 1, "read-write": 2}

SLOW_BYTES = 1e9
"""Bytes per second below which a memory is slow. Arrays that need more may take longer than their window."""

_MOVES = frozenset({"size", "type", "simd", "store", "pages"})
# Operation -> the parameters that it has.
_HAS = {
    **dict.fromkeys(ARRAYS, _MOVES),
    "read": _MOVES - {"store"},
    "latency": frozenset({"size", "stride", "order", "pages"}),
}


class MemoryParameters(Parameters):
    """size: bytes of each array, or that latency goes through. stride: bytes between latency's loads.

    type: which registers. simd, store: which instructions. order: of latency's places. What is not given is left to the
    agent, whose default is what is fastest.
    """

    size: Size = 64 << 20
    type: Literal["float", "int"] | None = None
    simd: Literal["auto", "scalar", "sse", "avx", "avx512", "neon"] | None = None
    store: Literal["auto", "temporal", "non-temporal"] | None = None
    pages: Literal["auto", "small", "huge"] | None = None
    stride: Annotated[int, BeforeValidator(parse_size), Field(ge=8, le=1 << 30)] | None = None
    order: Literal["random", "page", "sequential"] | None = None


class Memory(Workload):
    """Bandwidth over arrays that are read and written in order; latency of loads that wait for each other."""

    name = "memory"
    kernel = "memory"
    operations: ClassVar = {
        **{op: Operation("B/s", "higher", f"bandwidth, {count} x size") for op, count in ARRAYS.items()},
        "latency": Operation("s", "lower", "time of a dependent load"),
    }
    parameters = MemoryParameters

    def demand(self, op: str, parameters: Parameters, threads: int) -> Demand:
        """The arrays, which the threads share. Latency has one thread."""
        assert isinstance(parameters, MemoryParameters)
        arrays = 1 if op in ("latency", "read-write") else ARRAYS[op]
        return Demand(memory=arrays * parameters.size, threads=1 if op == "latency" else 0)

    def window_s(self, op: str, parameters: Parameters, seconds: float) -> float | None:
        """Arrays that a slow memory does not go through once within the window have an end of their own."""
        assert isinstance(parameters, MemoryParameters)
        return seconds if ARRAYS.get(op, 1) * parameters.size <= SLOW_BYTES * seconds else None

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Leave out what was not given. Raises UsageError for a parameter that the operation does not have."""
        given = {key: value for key, value in super().arguments(op, parameters, place).items() if value is not None}
        if foreign := sorted(given.keys() - _HAS[op]):
            raise UsageError(f"memory {op} has no parameter {foreign[0]}; it has {', '.join(sorted(_HAS[op]))}")
        if op == "read-write" and given.get("store") == "non-temporal":
            raise UsageError("memory read-write has temporal stores only")
        return given
