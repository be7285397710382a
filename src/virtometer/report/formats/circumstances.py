"""What the terminal shows below the tables of commands: empty programs, cold guests, and what differs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from virtometer.analysis import Analysis
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.compare.cold import Cold
from virtometer.analysis.describe.empty import MEASURE, WithoutEmpty
from virtometer.analysis.notes.circumstances import Circumstance
from virtometer.model import Estimate, Quantity
from virtometer.report.formats.entries import of_entries
from virtometer.report.parts import words
from virtometer.report.parts.terminal_text import plain_table, text_line

Measures = Mapping[Key, Mapping[str, Quantity[Estimate]]]


def below_commands(analysis: Analysis, more: str | None) -> Iterator[Text | Table]:
    """more: the command that prints the values of what differs; None: they are shown."""
    if starts := _starts(analysis.command_measures):
        yield text_line(f"start of an empty program: {starts}")
    if analysis.cold:
        yield text_line("from the start of a guest to the end of the command", style="bold")
        yield _cold(analysis.cold)
    if analysis.without_empty:
        yield text_line("efficiency without the start of an empty program", style="bold")
        yield _table(analysis.without_empty)
    yield from of_entries(analysis)
    differing = analysis.circumstances
    if differing and more is None:
        yield text_line("what else differs for a command", style="bold")
        yield _values(differing)
    elif differing:
        names = ", ".join(one.name for one in differing)
        yield text_line(f"what else differs for a command: {names} (values: {more})", style="dim")


def _cold(of: Mapping[Key, Cold]) -> Table:
    made = plain_table()
    made.add_column("command", overflow="fold")
    made.add_column("where", overflow="fold")
    for heading in ("start", "whole"):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column("efficiency", overflow="fold")
    before = ""
    for (command, environment), one in of.items():
        times = (words.quantity(time.estimate.value, time.unit) for time in (one.start, one.whole))
        shown = "1" if one.ratio is None else words.estimate(one.ratio.estimate)
        made.add_row(text_line("" if command == before else command), text_line(environment), *times, shown)
        before = command
    return made


def _starts(measures: Measures) -> str:
    """Of the first command whose runs tell it, in each environment: it does not depend on the command."""
    found: dict[str, str] = {}
    for (_, environment), of in measures.items():
        if MEASURE in of:
            found.setdefault(environment, words.quantity(of[MEASURE].estimate.value, of[MEASURE].unit))
    return ", ".join(f"{took} in {environment}" for environment, took in found.items())


def _table(without: Mapping[Key, WithoutEmpty]) -> Table:
    made = plain_table()
    made.add_column("command", overflow="fold")
    environments = list(dict.fromkeys(environment for _, environment in without))
    for environment in environments:
        made.add_column(text_line(environment))
    for command in dict.fromkeys(name for name, _ in without):
        cells = (without.get((command, environment)) for environment in environments)
        made.add_row(text_line(command), *("" if one is None else _cell(one) for one in cells))
    return made


def _cell(of: WithoutEmpty) -> Text:
    return text_line(of.why, style="dim") if of.ratio is None else text_line(words.estimate(of.ratio.estimate))


def _values(differing: Sequence[Circumstance]) -> Table:
    made = plain_table()
    made.add_column("condition", overflow="fold")
    environments = list(differing[0].values)
    for environment in environments:
        made.add_column(text_line(environment), overflow="fold")
    for one in differing:
        made.add_row(one.name, *(text_line(one.values[environment]) for environment in environments))
    return made
