"""fio on the campaign's disk file (J. Axboe, fio: flexible I/O tester)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Size
from virtometer.workloads.tool import Reading, Tool

_READWRITE = {
    "random-read": ("randread", "read", "IO/s"),
    "sequential-read": ("read", "read", "B/s"),
}


class FioParameters(Parameters):
    """size: bytes of a block. seconds: how long fio measures. engine, depth, direct: as in fio."""

    size: Size = 4096
    seconds: Annotated[int, Field(ge=1, le=3600)] = 2
    engine: Literal["psync", "libaio", "io_uring"] = "psync"
    depth: Annotated[int, Field(ge=1, le=1024)] = 1
    direct: bool = True


class Fio(Tool):
    """Reading only: a tool that writes would destroy the pattern by which the disk file is known as the campaign's."""

    name = "fio"
    program = "fio"
    package = "fio"
    operations: ClassVar = {
        op: Operation(unit, "higher", "I/O rate" if unit == "IO/s" else "throughput")
        for op, (_, _, unit) in _READWRITE.items()
    }
    parameters = FioParameters
    needs = frozenset({"disk"})

    def window_s(self, op: str, parameters: Parameters, seconds: float) -> float | None:
        """fio measures as long as it is told."""
        assert isinstance(parameters, FioParameters)
        return parameters.seconds

    def options(self, op: str, parameters: Parameters, place: Place) -> Sequence[str]:
        """One job, read-only, whose result is JSON."""
        assert isinstance(parameters, FioParameters)
        if place.disk_path is None:
            raise UsageError("this environment offers no disk")
        return [
            "--name=job", f"--filename={place.disk_path}", f"--rw={_READWRITE[op][0]}", f"--bs={parameters.size}",
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
        except (ValueError, KeyError, IndexError, TypeError) as cause:
            raise UsageError("fio printed something else than its result as JSON") from cause
