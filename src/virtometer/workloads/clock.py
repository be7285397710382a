"""What a guest's clocks are worth: cost of a reading, resolution, steps back, lateness of timers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from virtometer.workloads.base import Parameters, Work, Workload, of_kernel


class ClockParameters(Parameters):
    """What the timer is asked for."""

    sleep: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=1000, description="microseconds that a timer is asked for"
    )


class Clock(Workload[ClockParameters]):
    """The rest is in the measures, in the histogram timer-lateness, and in the comparison of the clocks themselves."""

    name = "clock"
    kernel = "clock"
    meaning = "examines the clocks of a guest: cost of a reading, resolution, steps back, lateness of timers"
    operations = of_kernel("clock")
    parameters = ClockParameters

    def work(self, op: str, parameters: ClockParameters, threads: int, seconds: float) -> Work:
        """A drift and the lateness of timers show over a long time."""
        return replace(super().work(op, parameters, threads, seconds), own_reason="it watches the clock all the time")
