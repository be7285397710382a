"""The operating system's own operations (McVoy, Staelin: lmbench, USENIX 1996)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import Operation, Parameters, Place, Workload, parse_size

Size = Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 40)]
Text = Annotated[str, Field(min_length=1)]


class OsParameters(Parameters):
    """None leaves a parameter to the agent.

    pin: processors of a thread and its processes. processes: in the ring of context-switch. size: bytes that each
    process touches, of a message, or of the file that is mapped or read. mapping: what page-fault touches. way, block,
    sum: how file-reread reads. call: which system-call. descriptors, of: how many and of what kind for select.
    directory: the guest's folder for files without a name; file: a file of the guest's to read.
    """

    pin: Literal["one", "apart", "none"] | None = None
    processes: Annotated[int, Field(ge=2, le=1024)] | None = None
    size: Size | None = None
    mapping: Literal["anonymous", "file"] | None = None
    way: Literal["io-only", "open-to-close", "mmap"] | None = None
    block: Size | None = None
    sum: bool | None = None
    call: Literal["null", "read", "write", "stat", "fstat", "open"] | None = None
    descriptors: Annotated[int, Field(ge=1, le=1000)] | None = None
    of: Literal["file", "tcp"] | None = None
    directory: Text | None = None
    file: Text | None = None


_TAKES: dict[str, set[str]] = {
    "context-switch": {"processes", "size"},
    "page-fault": {"mapping", "size", "directory"},
    "pipe-bandwidth": {"size"},
    "unix-bandwidth": {"size"},
    "file-reread": {"way", "size", "block", "sum", "file", "directory"},
    "mmap": {"size", "directory"},
    "system-call": {"call", "file"},
    "select": {"descriptors", "of"},
}


class OsOperations(Workload):
    """Time of one operation, or bytes per second."""

    name = "os"
    kernel = "os"
    operations: ClassVar = {
        "context-switch": Operation("s", "lower", "time of a context switch"),
        "procedure": Operation("s", "lower", "time of a procedure call"),
        "fork": Operation("s", "lower", "time to fork, exit and wait"),
        "exec": Operation("s", "lower", "time to fork, exec, exit and wait"),
        "shell": Operation("s", "lower", "time to fork, exec a shell and a program, and wait"),
        "page-fault": Operation("s", "lower", "time of a page fault"),
        "pipe": Operation("s", "lower", "time of a round trip through two pipes"),
        "unix": Operation("s", "lower", "time of a round trip through AF_UNIX sockets"),
        "tcp": Operation("s", "lower", "time of a round trip through TCP"),
        "pipe-bandwidth": Operation("B/s", "higher", "throughput of a pipe"),
        "unix-bandwidth": Operation("B/s", "higher", "throughput of AF_UNIX sockets"),
        "file-reread": Operation("B/s", "higher", "throughput of a file in memory"),
        "mmap": Operation("s", "lower", "time to map and unmap a file"),
        "system-call": Operation("s", "lower", "time of a system call"),
        "signal-install": Operation("s", "lower", "time to install a signal handler"),
        "signal-catch": Operation("s", "lower", "time to send and catch a signal"),
        "select": Operation("s", "lower", "time of a select"),
    }
    parameters = OsParameters

    def demand(self, op: str, parameters: Parameters, threads: int) -> Demand:
        """What the processes of a context switch touch."""
        assert isinstance(parameters, OsParameters)
        if op != "context-switch":
            return Demand()
        return Demand(memory=(parameters.processes or 2) * (parameters.size or 0) * threads)

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Leave out what was not given. Raises UsageError for a parameter that the operation does not have."""
        given = {key: value for key, value in super().arguments(op, parameters, place).items() if value is not None}
        takes = {"pin"} | _TAKES.get(op, set())
        if unknown := sorted(given.keys() - takes):
            raise UsageError(f"os {op} has no parameter {unknown[0]}; it has {', '.join(sorted(takes))}")
        return given
