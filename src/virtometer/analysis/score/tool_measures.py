"""The measures that the laboratory makes of the number of a tool, which timed itself by the guest's clock."""

from __future__ import annotations

from dataclasses import dataclass

from virtometer.agent_table import TimedBy


@dataclass(frozen=True, slots=True)
class ToolMeasure:
    """One measure, in the unit of the tool's number. timed_by: the clock that its time is by, as it is recorded."""

    name: str
    timed_by: TimedBy
    meaning: str


SAYS = ToolMeasure("tool-says", "guest-itself", "the tool's number as it said it")
CORRECTED = ToolMeasure("tool-corrected", "host", "the tool's number corrected by the rate of the guest's clock")
BY_STOPWATCH = ToolMeasure("tool-by-stopwatch", "host", "the tool's work by the host's time around the whole program")
TOOL_MEASURES = {one.name: one for one in (BY_STOPWATCH, CORRECTED, SAYS)}
