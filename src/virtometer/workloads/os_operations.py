"""The operating system's own operations (McVoy, Staelin: lmbench, USENIX 1996)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from virtometer.workloads.base import Operation, Parameters, Place, Workload, parse_size


class OsParameters(Parameters):
    """For context-switch: processes in the ring, and bytes that each touches at its turn."""

    processes: Annotated[int, Field(ge=2, le=1024)] | None = None
    size: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 30)] | None = None


class OsOperations(Workload):
    """Time of one operation."""

    name = "os"
    kernel = "os"
    operations: ClassVar = {
        "context-switch": Operation("s", "lower", "time of a context switch"),
        "fork": Operation("s", "lower", "time to fork, exit and wait"),
        "exec": Operation("s", "lower", "time to fork, exec, exit and wait"),
        "page-fault": Operation("s", "lower", "time of a page fault"),
        "pipe": Operation("s", "lower", "time of a round trip through two pipes"),
        "system-call": Operation("s", "lower", "time of a null system call"),
    }
    parameters = OsParameters

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Leave out what was not given: only context-switch takes parameters."""
        return {key: value for key, value in super().arguments(op, parameters, place).items() if value is not None}
