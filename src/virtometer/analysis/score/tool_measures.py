"""The measures that the laboratory makes of the number of a tool, which timed itself by the guest's clock."""

from __future__ import annotations

from dataclasses import dataclass, replace

from virtometer.agent_table import TimedBy
from virtometer.analysis.score.of_run import per_unit
from virtometer.model import Run


@dataclass(frozen=True, slots=True)
class ToolMeasure:
    """One measure, in the unit of the tool's number. timed_by: the clock that its time is by, as it is recorded."""

    name: str
    timed_by: TimedBy
    meaning: str


REPORTED = ToolMeasure("tool-reported", "guest-itself", "the tool's number as it said it")
CORRECTED = ToolMeasure("tool-corrected", "host", "the tool's number corrected by the rate of the guest's clock")
BY_WALL_CLOCK = ToolMeasure("tool-by-wall-clock", "host", "the tool's work by the host's time around the whole program")
TOOL_MEASURES = {one.name: one for one in (BY_WALL_CLOCK, CORRECTED, REPORTED)}


def with_host_time(run: Run, work: int | None, around_s: float) -> Run:
    """The scored run of a tool, with its number also corrected, and by the host's wall clock around the program.

    work: the work reported by the tool; None where it reports none. around_s: host seconds around it.
    """
    told = {CORRECTED.name: run.scored.value, BY_WALL_CLOCK.name: by_wall_clock(work, run.unit, around_s)}
    measures = {name: {"unit": run.unit, "value": value} for name, value in told.items() if value is not None}
    return replace(run, report=replace(run.reported, measures={**run.reported.measures, **measures}))


def by_wall_clock(work: int | None, unit: str, around_s: float) -> float | None:
    """A tool's work over the host seconds around it, in its unit. None where the tool does not say how much it did."""
    return per_unit(work, around_s, unit) if work else None
