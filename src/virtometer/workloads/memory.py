"""Memory bandwidth (McCalpin: Memory bandwidth and machine balance in high performance computers, IEEE TCCA 1995)."""

from __future__ import annotations

from typing import ClassVar

from virtometer.workloads.base import Operation, Parameters, Size, Workload


class MemoryParameters(Parameters):
    """size: bytes of each array."""

    size: Size = 64 << 20


class Memory(Workload):
    """Copy, scale, add and triad over arrays of doubles, and pure reading and writing."""

    name = "memory"
    kernel = "memory"
    operations: ClassVar = {
        op: Operation("B/s", "higher", "bandwidth") for op in ("copy", "scale", "add", "triad", "read", "write")
    }
    parameters = MemoryParameters
