"""Reading and writing the campaign's disk file: the same file, of the same size, behind every environment."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Size, Workload


class DiskParameters(Parameters):
    """size: bytes of a block. direct: ask for O_DIRECT. depth, engine: how many I/Os at once, how they are issued."""

    size: Size = 4096
    direct: bool = True
    depth: Annotated[int, Field(ge=1, le=1)] = 1
    engine: Literal["psync"] = "psync"
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 1


class Disk(Workload):
    """Sequential and random reading and writing."""

    name = "disk"
    kernel = "disk"
    operations: ClassVar = {
        "random-read": Operation("IO/s", "higher", "I/O rate"),
        "random-write": Operation("IO/s", "higher", "I/O rate"),
        "sequential-read": Operation("B/s", "higher", "throughput"),
        "sequential-write": Operation("B/s", "higher", "throughput"),
    }
    parameters = DiskParameters
    needs = frozenset({"disk"})

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Add the path at which this guest sees the disk file."""
        if place.disk_path is None:
            raise UsageError("this environment offers no disk")
        return {**super().arguments(op, parameters, place), "file": place.disk_path}
