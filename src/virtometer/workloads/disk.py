"""Reading and writing the campaign's disk file: the same file, of the same size, behind every environment."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Size, Workload, parse_size


class DiskParameters(Parameters):
    """How requests are made. What is not given is left to the agent; what an operation does not have is refused.

    size, span, align: bytes of a block, of the file that is used (0: all of it), and the multiples that offsets are of
    (0: the size). direct: ask for O_DIRECT. engine, depth: how requests are issued, and how many at once. think, burst:
    microseconds of pause after so many requests. verify: what is compared. sync: `each` has every write on the medium
    when it ends. read, random (percent) and mix (several sizes): of `access`.
    """

    size: Size = 4096
    span: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 50)] | None = None
    direct: bool = True
    engine: Literal["psync", "libaio", "io_uring"] = "psync"
    depth: Annotated[int, Field(ge=1, le=1024)] = 1
    align: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 30)] | None = None
    think: Annotated[int, Field(ge=0, le=60_000_000)] | None = None
    burst: Annotated[int, Field(ge=1, le=1 << 20)] | None = None
    verify: Literal["none", "sample", "full"] | None = None
    sync: Literal["none", "each"] | None = None
    read: Annotated[int, Field(ge=0, le=100)] | None = None
    random: Annotated[int, Field(ge=0, le=100)] | None = None
    mix: Annotated[str, Field(min_length=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 1

    @model_validator(mode="after")
    def _one_at_a_time(self) -> DiskParameters:
        if self.engine == "psync" and self.depth != 1:
            raise ValueError("the engine psync has only depth 1: take libaio or io_uring, or several threads")
        return self


class Disk(Workload):
    """Sequential and random reading and writing, and access specifications in the manner of Iometer."""

    name = "disk"
    kernel = "disk"
    operations: ClassVar = {
        "random-read": Operation("IO/s", "higher", "I/O rate"),
        "random-write": Operation("IO/s", "higher", "I/O rate"),
        "sequential-read": Operation("B/s", "higher", "throughput"),
        "sequential-write": Operation("B/s", "higher", "throughput"),
        "access": Operation("IO/s", "higher", "I/O rate"),
    }
    parameters = DiskParameters
    needs = frozenset({"disk"})

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Add the path at which this guest sees the disk file, and leave out what was not given."""
        if place.disk_path is None:
            raise UsageError("this environment offers no disk")
        own = super().arguments(op, parameters, place)
        return {"file": place.disk_path} | {key: value for key, value in own.items() if value is not None}
