"""The user's commands, as the page shows them."""

from __future__ import annotations

from virtometer.analysis import Analysis
from virtometer.report.findings import command_tables
from virtometer.report.parts.section import Section, some

_LEGEND = (
    "Time: wall time of one run that counts. The time of the baseline divided by the time there is the efficiency.",
    "User, system: processor time of the command and all descendants that it waited for, mean over all runs.",
    "Memory: the most of all processes of a run at once, and at least the peak of the largest one.",
    "Empty program: what any command takes at least; the median over the guests. Nothing is subtracted from times.",
    "Reading of the clock: what a program pays for each time that it asks for.",
    "Start: from before the launcher of a guest starts to the greeting of its agent. Whole: with the run as well.",
    "What else differs: conditions that a command is timed with, because they belong to the environment.",
)
"""How to read the tables."""


def section(analysis: Analysis) -> Section | None:
    """What a run takes, commands beside the first one, empty programs, cold guests, and conditions that differ.

    None for a campaign without a command.
    """
    tables = some(
        command_tables.runs(analysis),
        command_tables.cold(analysis),
        command_tables.between(analysis),
        command_tables.empty_programs(analysis),
        command_tables.without_empty(analysis),
        command_tables.differing(analysis),
    )
    return Section(id="commands", title="Commands", tables=tables, legend=_LEGEND) if tables else None
