"""Rows of commands in the table of a terminal: time, processor time and memory of a run, beside the efficiency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rich.table import Table

from virtometer.model import Estimate, Finding, Quantity, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.terminal_text import plain_table, text_line

Measures = Mapping[tuple[str, str], Mapping[str, Quantity[Estimate]]]
"""Further measures by name, of each workload and environment."""

COLUMNS = {"wall": "time", "user": "user", "system": "system", "peak-memory": "memory"}
"""What a row has beside the time of a run: the measure, and the heading."""

_VERDICT = 10  # columns of a verdict: its word is not cut


def table_of_command(
    findings: Iterable[Finding],
    measures: Measures,
    verdict: Callable[[Finding], tuple[str, str]],
    columns: Mapping[str, str] = COLUMNS,
) -> Table:
    """A row for each environment. findings: of one command. verdict: the word with its marks, and its style.

    columns: the measures that have one, with their headings.
    """
    made = plain_table()
    made.add_column("where", overflow="fold")
    findings = list(findings)
    # A command that prints its value has its time beside that.
    valued = any("wall" in measures.get((one.workload, one.subject), {}) for one in findings)
    columns = {name: heading for name, heading in columns.items() if valued or name != "wall"}
    for heading in ("value" if valued else "time", *columns.values()):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column("efficiency", overflow="fold")
    made.add_column("verdict", overflow="fold", min_width=_VERDICT)
    made.add_column("cpu", no_wrap=True, justify="right")
    for one in findings:
        word, style = verdict(one)
        known = measures.get((one.workload, one.subject), {})
        baseline = one.verdict is Verdict.BASELINE
        made.add_row(
            text_line(one.subject),
            words.value(one.value),
            *(_measure(known.get(name)) for name in columns),
            ("1" if one.ratio.n else "") if baseline else words.efficiency(one),
            text_line(word, style=style),
            "" if baseline else words.cost(one),
        )
    return made


def table_of_ratios(of: Mapping[tuple[str, str], Quantity[Estimate]]) -> Table:
    """A row for each further command, a column for each environment. of: as the analysis has it."""
    made = plain_table()
    made.add_column("command", overflow="fold")
    environments = list(dict.fromkeys(environment for _, environment in of))
    for environment in environments:
        made.add_column(text_line(environment), justify="right")
    for command in dict.fromkeys(name for name, _ in of):
        cells = (of.get((command, environment)) for environment in environments)
        made.add_row(text_line(command), *("" if one is None else words.estimate(one.estimate) for one in cells))
    return made


def _measure(of: Quantity[Estimate] | None) -> str:
    if of is None:
        return ""
    if of.unit == "B":
        return f"{words.significant(of.estimate.value / 1e6)} MB"
    return words.quantity(of.estimate.value, of.unit) if of.estimate.value > 0 else "0"
