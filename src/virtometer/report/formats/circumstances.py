"""What the terminal shows below the tables of commands: empty programs, cold guests, and what differs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from virtometer.analysis import Analysis
from virtometer.report.findings import command_tables
from virtometer.report.formats.entries import of_entries
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable
from virtometer.report.parts.terminal_text import plain_table, text_line


def below_commands(analysis: Analysis, more: str | None) -> Iterator[Text | Table]:
    """more: the command that prints the values of what differs; None: they are shown."""
    yield from _titled(command_tables.between(analysis))
    if starts := command_tables.starts(analysis):
        of = (f"{words.quantity(one.estimate.value, one.unit)} in {name}" for name, one in starts.items())
        yield text_line(f"start of an empty program: {', '.join(of)}")
    yield from _titled(command_tables.cold(analysis))
    yield from _titled(command_tables.without_empty(analysis))
    yield from of_entries(analysis)
    if more is None and (readings := analysis.clock_readings):
        of = (f"{words.quantity(seconds, 's')} in {name}" for name, seconds in readings.items())
        yield text_line(f"one reading of the clock: {', '.join(of)}")
    if more is None:
        yield from _titled(command_tables.differing(analysis))
    elif differing := analysis.circumstances:
        names = ", ".join(one.name for one in differing)
        yield text_line(f"what else differs for a command: {names} (values: {more})", style="dim")


def _titled(of: TextTable | None) -> Iterator[Text | Table]:
    """The table of the page, below its caption. A heading of a row that repeats is left out."""
    if of is None:
        return
    made = plain_table()
    for number, column in enumerate(of.columns):
        numeric = number in of.right
        made.add_column(text_line(column), justify="right" if numeric else "left", overflow="fold", no_wrap=False)
    before = ""
    for heading, *cells in of.rows:
        made.add_row(text_line("" if heading == before else heading), *map(text_line, cells))
        before = heading
    yield text_line(of.caption, style="bold")
    yield made
