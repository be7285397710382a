"""fio on the campaign's disk file (J. Axboe, fio: flexible I/O tester)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Reading, Size, Work
from virtometer.workloads.tool import Tool

_READWRITE = {
    "random-read": ("randread", "read", "IO/s"),
    "sequential-read": ("read", "read", "B/s"),
}


class FioParameters(Parameters):
    """Options of fio."""

    size: Size = Field(default=4096, description="bytes of a block")
    seconds: Annotated[int, Field(ge=1, le=3600)] = Field(default=2, description="how long fio measures")
    engine: Literal["psync", "libaio", "io_uring"] = Field(default="psync", description="how requests are issued")
    depth: Annotated[int, Field(ge=1, le=1024)] = Field(default=1, description="requests under way at once")
    direct: bool = Field(default=True, description="ask for O_DIRECT, past the page cache")


class Fio(Tool[FioParameters]):
    """Reading only: a tool that writes would destroy the pattern by which the disk file is known as the campaign's."""

    name = "fio"
    meaning = "the tool fio, reading the disk file of the campaign"
    program = "fio"
    package = "fio"
    operations: ClassVar = {
        op: Operation(unit, "higher", "I/O rate" if unit == "IO/s" else "throughput")
        for op, (_, _, unit) in _READWRITE.items()
    }
    parameters = FioParameters
    needs = frozenset({"disk"})

    def work(self, op: str, parameters: FioParameters, threads: int, seconds: float) -> Work:
        """fio measures as long as it is told."""
        return replace(super().work(op, parameters, threads, seconds), window_s=parameters.seconds)

    def options(self, op: str, parameters: FioParameters, place: Place) -> Sequence[str]:
        """One job, read-only, whose result is JSON."""
        disk = place.find("disk").address
        return [
            "--name=job", f"--filename={disk}", f"--rw={_READWRITE[op][0]}", f"--bs={parameters.size}",
            f"--ioengine={parameters.engine}", f"--iodepth={parameters.depth}", f"--direct={int(parameters.direct)}",
            "--time_based", f"--runtime={parameters.seconds}", "--readonly", "--randseed=1", "--norandommap",
            "--allow_file_create=0", "--output-format=json",
        ]  # fmt: skip

    def read(self, op: str, output: str) -> Reading:
        """The job's mean rate and what it did in all."""
        _, direction, unit = _READWRITE[op]
        try:
            # fio prints warnings before its JSON.
            report: Any = json.loads(output[output.index("{") :])
            done = report["jobs"][0][direction]
            if unit == "IO/s":
                return Reading(float(done["iops"]), int(done["total_ios"]))
            return Reading(float(done["bw_bytes"]), int(done["io_bytes"]))
        except (ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as cause:
            raise UsageError("fio printed something else than its result as JSON") from cause
