"""The operating system's own operations (McVoy, Staelin: lmbench, USENIX 1996)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Work, Workload, not_multiple, of_kernel, parse_size

Size = Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 40)]
Text = Annotated[str, Field(min_length=1)]


class OsParameters(Parameters):
    """None leaves a parameter to the agent."""

    pin: Literal["one", "apart", "none"] | None = Field(
        default=None, description="processors of a thread and its processes: one for all, one for each, or no binding"
    )
    processes: Annotated[int, Field(ge=2, le=1024)] | None = Field(default=None, description="processes in the ring")
    size: Size | None = Field(
        default=None, description="bytes that each process touches, of a message, or of the file that is mapped or read"
    )
    mapping: Literal["anonymous", "file"] | None = Field(default=None, description="kind of the memory that is touched")
    way: Literal["io-only", "open-to-close", "mmap"] | None = Field(
        default=None, description="how the file is read: read alone, with open and close, or mapped"
    )
    block: Size | None = Field(default=None, description="bytes of a read")
    sum: bool | None = Field(default=None, description="add up every block that was read")
    call: Literal["null", "read", "write", "stat", "fstat", "open"] | None = Field(
        default=None, description="the system call"
    )
    descriptors: Annotated[int, Field(ge=1, le=1000)] | None = Field(default=None, description="number of descriptors")
    of: Literal["file", "tcp"] | None = Field(default=None, description="kind of the descriptors")
    directory: Text | None = Field(default=None, description="folder in the guest for files without a name")
    file: Text | None = Field(default=None, description="file in the guest that is read or examined")


class OsOperations(Workload[OsParameters]):
    """Time of one operation, or bytes per second."""

    name = "os"
    kernel = "os"
    meaning = "times operations of the operating system, as lmbench does"
    operations = of_kernel("os")
    parameters = OsParameters

    def work(self, op: str, parameters: OsParameters, threads: int, seconds: float) -> Work:
        """What the processes of a context switch touch.

        Work that places its own processes, or leaves that to the scheduler, has all processors.
        """
        touched = (parameters.processes or 2) * (parameters.size or 0) * threads if op == "context-switch" else 0
        return replace(
            super().work(op, parameters, threads, seconds),
            demand=Demand(memory=touched),
            processors=threads if parameters.pin in (None, "one") else None,
        )

    def refusal(self, op: str, values: Mapping[str, Any]) -> str:
        """What is added up or compared has words of 8 bytes."""
        if op not in ("pipe-bandwidth", "unix-bandwidth", "file-reread"):
            return ""
        if values.get("file") is not None and values.get("directory") is not None:
            return "file and directory contradict each other; give one of them"
        return not_multiple(values, "size", 8) or not_multiple(values, "block", 8)
