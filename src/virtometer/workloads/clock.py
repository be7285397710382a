"""What a guest's clocks are worth: cost of a reading, resolution, steps back, lateness of timers."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from virtometer.workloads.base import Operation, Parameters, Workload


class ClockParameters(Parameters):
    """sleep: microseconds that a timer is asked for."""

    sleep: Annotated[int, Field(ge=1, le=1_000_000)] = 1000


class Clock(Workload):
    """The rest is in the measures, in the histogram timer-lateness, and in the comparison of the clocks themselves."""

    name = "clock"
    kernel = "clock"
    operations: ClassVar = {"watch": Operation("s", "lower", "time of a reading of the monotonic clock")}
    parameters = ClockParameters
