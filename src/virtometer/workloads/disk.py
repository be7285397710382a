"""Reading and writing the campaign's disk file: the same file, of the same size, behind every environment.

Operations on whole files, and on many small ones, make files of their own beside it.
"""

from __future__ import annotations

import itertools
import os
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import Operation, Parameters, Place, Workload, parse_size

# Operations that follow an access specification, with the agent's defaults, so that a ledger tells them.
_ACCESS = {
    "random-read": Operation("IO/s", "higher", "I/O rate"),
    "random-write": Operation("IO/s", "higher", "I/O rate"),
    "sequential-read": Operation("B/s", "higher", "throughput"),
    "sequential-write": Operation("B/s", "higher", "throughput"),
    "access": Operation("IO/s", "higher", "I/O rate"),
}
_ACCESS_DEFAULTS = {"size": 4096, "direct": True, "engine": "psync", "depth": 1, "seed": 1}

# A whole file: iozone's, and Bonnie's by byte and by block (lmdd's is `write`).
_WHOLE_FILE = {
    **{op: Operation("B/s", "higher", "throughput") for op in ("write", "rewrite", "read", "reread")},
    **{op: Operation("B/s", "higher", "throughput") for op in ("pwrite", "repwrite", "pread", "repread")},
    **{op: Operation("B/s", "higher", "throughput") for op in ("backward-read", "stride-read")},
    **{op: Operation("B/s", "higher", "throughput") for op in ("char-write", "char-read", "read-rewrite")},
    "seeks": Operation("1/s", "higher", "seeks"),
}

# Many files: Bonnie's.
_NAMES = {
    f"{act}-{order}": Operation("1/s", "higher", "files")
    for order in ("sequential", "random")
    for act in ("create", "stat", "delete")
}

_REQUESTS = frozenset({"size", "span", "direct", "depth", "engine", "align", "think", "burst", "verify", "seed"})
_BY_BYTE = frozenset({"span", "direct", "sync", "verify", "seed"})
# Operation -> the parameters that it has.
_HAS = {
    **dict.fromkeys(("random-read", "sequential-read"), _REQUESTS),
    **dict.fromkeys(("random-write", "sequential-write"), _REQUESTS | {"sync"}),
    "access": _REQUESTS | {"sync", "read", "random", "mix"},
    **dict.fromkeys(_WHOLE_FILE, _BY_BYTE | {"size"}),
    **dict.fromkeys(("char-write", "char-read"), _BY_BYTE),
    **dict.fromkeys(_NAMES, frozenset({"files", "size", "seed"})),
}

# Operation -> parameter -> what the agent takes where it is left out. `size` is that of a block, a record or a file.
_ALWAYS = {"size": "4K", "verify": "sample", "sync": "none", "seed": "1"}
_REQUEST_DEFAULTS = _ALWAYS | {"span": "0", "direct": "true", "engine": "psync", "depth": "1", "align": "0"}
_REQUEST_DEFAULTS |= {"think": "0", "burst": "1", "read": "100", "random": "100", "mix": "one size"}
_FILES_DEFAULTS = {"files": "1024", "size": "0", "seed": "1"}
_DEFAULTS = {
    **dict.fromkeys(_ACCESS, _REQUEST_DEFAULTS),
    **dict.fromkeys(_WHOLE_FILE, _ALWAYS | {"span": "64M", "direct": "false"}),
    **dict.fromkeys(_NAMES, _FILES_DEFAULTS),
}

_turns = itertools.count()


class DiskParameters(Parameters):
    """How requests are made. What is not given is left to the agent; what an operation does not have is refused."""

    size: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 30)] | None = Field(
        default=None, description="bytes of a block, of a record, or of each of many files"
    )
    span: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 50)] | None = Field(
        default=None, description="bytes of the file that are used; 0: all of the disk file"
    )
    direct: bool | None = Field(default=None, description="ask for O_DIRECT, past the page cache")
    engine: Literal["psync", "libaio", "io_uring"] | None = Field(default=None, description="how requests are issued")
    depth: Annotated[int, Field(ge=1, le=1024)] | None = Field(
        default=None, description="requests under way at once, of each thread; psync has only 1"
    )
    align: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 30)] | None = Field(
        default=None, description="bytes of which offsets are multiples; 0: the size of a block"
    )
    think: Annotated[int, Field(ge=0, le=60_000_000)] | None = Field(
        default=None, description="microseconds of pause after each burst"
    )
    burst: Annotated[int, Field(ge=1, le=1 << 20)] | None = Field(
        default=None, description="requests between two pauses"
    )
    verify: Literal["none", "sample", "full"] | None = Field(
        default=None, description="how much of what was read or written is compared"
    )
    sync: Literal["none", "each", "end"] | None = Field(
        default=None,
        description="each: a write is on the medium when it ends; end: fsync after each pass over a whole file",
    )
    read: Annotated[int, Field(ge=0, le=100)] | None = Field(
        default=None, description="percent of the requests that read"
    )
    random: Annotated[int, Field(ge=0, le=100)] | None = Field(
        default=None, description="percent of the requests at random offsets"
    )
    mix: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="several sizes of blocks with their shares, such as 4K share=67 read=80 random=100, 64K share=33",
    )
    files: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(default=None, description="number of files")
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(
        default=None, description="seed of random offsets, orders and contents"
    )

    @model_validator(mode="after")
    def _one_at_a_time(self) -> DiskParameters:
        if self.engine in (None, "psync") and self.depth not in (None, 1):
            raise ValueError("the engine psync has only depth 1: take libaio or io_uring, or several threads")
        return self


class Disk(Workload):
    """Access specifications in the manner of Iometer; the operations of iozone, Bonnie and lmdd on files."""

    name = "disk"
    kernel = "disk"
    meaning = "reads and writes a disk by single requests, by whole files, or by many small files"
    operations: ClassVar = {**_ACCESS, **_WHOLE_FILE, **_NAMES}
    parameters = DiskParameters
    takes = _HAS
    agent_defaults = _DEFAULTS
    needs = frozenset({"disk"})

    def demand(self, op: str, parameters: Parameters, threads: int) -> Demand:
        """What part of the disk file is used, or how large the operation's own files are."""
        assert isinstance(parameters, DiskParameters)
        if op in _ACCESS:
            return Demand(disk_file=parameters.span or parameters.size or 4096)
        if op in _NAMES:
            own = (parameters.files or 1024) * (parameters.size or 0)
        else:
            own = 64 << 20 if parameters.span is None else parameters.span
        return Demand(own_files=own * threads, file_system=True)

    def window_s(self, op: str, parameters: Parameters, seconds: float) -> float | None:
        """Whole files, and many of them, are made and gone through at least once, however long that takes."""
        return seconds if op in _ACCESS else None

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Add where the disk file is in this guest, or a free name beside it, and leave out what was not given.

        Raises UsageError for a parameter that the operation does not have, and where there is no disk, or no file
        system for an operation that needs one.
        """
        if place.disk_path is None:
            raise UsageError("this environment offers no disk")
        own = {key: value for key, value in super().arguments(op, parameters, place).items() if value is not None}
        if foreign := sorted(own.keys() - _HAS[op]):
            raise UsageError(f"disk {op} has no parameter {foreign[0]}; it has {', '.join(sorted(_HAS[op]))}")
        if op in _ACCESS:
            return {"file": place.disk_path} | _ACCESS_DEFAULTS | own
        if place.disk_path.startswith("/dev/"):
            device = place.disk_path
            raise UsageError(f"{op} needs a file system, and this environment has the disk as the device {device}")
        # Guests may share the folder, and several of them measure at once.
        free = f"{place.disk_path}.{os.getpid()}-{next(_turns)}"
        return {"folder" if op in _NAMES else "file": free} | own
