"""Reading and writing the campaign's disk file: the same file, of the same size, behind every environment.

Operations on whole files, and on many small ones, make files of their own beside it.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Place, Work, Workload, not_multiple, of_kernel, parse_size

# Operations that follow an access specification, with the agent's defaults, so that a ledger tells them.
_ACCESS = {"random-read", "random-write", "sequential-read", "sequential-write", "access"}
_ACCESS_DEFAULTS = {"size": 4096, "direct": True, "engine": "psync", "depth": 1, "pages": "small", "seed": 1}

# Many files: Bonnie's.
_NAMES = {f"{act}-{order}" for order in ("sequential", "random") for act in ("create", "stat", "delete")}

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
    pages: Literal["small", "huge"] | None = Field(
        default=None, description="size of the pages that blocks in memory lie on; huge: fewer pieces for the device"
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


class Disk(Workload[DiskParameters]):
    """Access specifications as in Iometer; the operations of iozone, Bonnie and lmdd on files."""

    name = "disk"
    kernel = "disk"
    meaning = "reads and writes a disk by single requests, by whole files, or by many small files"
    operations = of_kernel("disk", but=("fill",))
    parameters = DiskParameters
    needs = frozenset({"disk"})

    def work(self, op: str, parameters: DiskParameters, threads: int, seconds: float) -> Work:
        """What part of the disk file is used, or how large the operation's own files are.

        Whole files, and many of them, are made and gone through at least once, however long that takes. All guests have
        the same disk file: what one writes must be on the disk before the next one has its turn.
        """
        usual = super().work(op, parameters, threads, seconds)
        if op not in _ACCESS:
            names, own = 1, 64 << 20 if parameters.span is None else parameters.span
            if op in _NAMES:
                names = parameters.files or 1024
                own = names * (parameters.size or 0)
            demand = Demand(own_files=own * threads, names=names * threads, file_system=True)
            return replace(usual, demand=demand, window_s=None)
        reads = op.endswith("read") or (op == "access" and parameters.read == 100 and parameters.mix is None)
        left = not reads and parameters.direct is False and parameters.sync != "each"
        return replace(
            usual,
            demand=Demand(disk_file=parameters.span or parameters.size or 4096),
            writes_disk=not reads,
            own_reason="what it writes through the page cache is left to the guests that follow" if left else "",
        )

    def arguments(self, op: str, parameters: DiskParameters, place: Place) -> dict[str, Any]:
        """Add where the disk file is in this guest, or a free name beside it.

        Raises UsageError also where there is no disk, or no file system for an operation that needs one.
        """
        disk = place.find("disk")
        own = super().arguments(op, parameters, place)
        if op in _ACCESS:
            return {"file": disk.address} | _ACCESS_DEFAULTS | own
        if disk.type == "device":
            device = disk.address
            raise UsageError(f"{op} needs a file system, and this environment has the disk as the device {device}")
        # Guests may share the folder, and several of them measure at once.
        free = f"{disk.address}.{os.getpid()}-{next(_turns)}"
        return {"folder" if op in _NAMES else "file": free} | own

    def refusal(self, op: str, values: Mapping[str, Any]) -> str:
        """Blocks have whole words of the pattern, records whole sectors, and files a record."""
        if op in _NAMES:
            return ""
        if op in _ACCESS:
            wrong = not_multiple(values, "size", 8) or not_multiple(values, "align", 8)
            return wrong or _wrong_mix(values.get("mix"))
        if "size" not in values:
            return ""
        wrong = not_multiple(values, "size", 4096 if values["direct"] else 512)
        span, size = values["span"], values["size"]
        return wrong or (f"span is {span}, but must hold a record of {size}" if span < size else "")


def _wrong_mix(text: str | None) -> str:
    """Why a mix of requests is refused, in a sentence without its end; empty for a right one and for none."""
    shares = 0
    for part in text.split(",") if text is not None else ():
        size, *words = part.split() or [""]
        given = dict(word.partition("=")[::2] for word in words)
        form = f"mix has {part.strip()!r}, which is not as in '4K share=67 read=80 random=100 align=4K'"
        try:
            bytes_of_block, *numbers_given = [_number(word) for word in (size, *given.values())]
        except ValueError:
            return form
        numbers = dict(zip(given, numbers_given, strict=True))
        if numbers.keys() - {"share", "read", "random", "align"} or len(given) < len(words):
            return form
        if not 8 <= bytes_of_block <= 1 << 30 or bytes_of_block % 8:
            return f"mix has the size {size}, but it must be a multiple of 8 from 8 to 1G"
        if any(number > 100 for name, number in numbers.items() if name != "align"):
            return f"mix has {part.strip()!r}, but shares are percentages up to 100"
        shares += numbers.get("share", 100)
    return "" if text is None or shares == 100 else f"the shares of mix add up to {shares}, but must add up to 100"


def _number(word: str) -> int:
    """A size. Raises ValueError for what is none."""
    number = parse_size(word)
    if not isinstance(number, int):
        raise ValueError(word)
    return number
