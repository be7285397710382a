"""Rows of commands in the table of a terminal: time, processor time and memory of a run, beside the efficiency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rich.table import Table

from virtometer.model import Estimate, Finding, Quantity, Verdict
from virtometer.report.findings.command_tables import USED, used_words
from virtometer.report.parts import words
from virtometer.report.parts.terminal_text import plain_table, text_line

Measures = Mapping[tuple[str, str], Mapping[str, Quantity[Estimate]]]
"""Further measures by name, of each workload and environment."""

_VERDICT = 10  # columns of a verdict: its word is not cut


def table_of_command(
    findings: Iterable[Finding],
    measures: Measures,
    verdict: Callable[[Finding], tuple[str, str]],
    columns: Mapping[str, str] = USED,
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
            *(used_words(known, name) for name in columns),
            ("1" if one.ratio.n else "") if baseline else words.efficiency(one),
            text_line(word, style=style),
            "" if baseline else words.cost(one),
        )
    return made
