"""How long guests take to be entered from the host, as the terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from virtometer.analysis import Analysis
from virtometer.report.findings.entries import COLUMNS, caption, rows
from virtometer.report.parts.terminal_text import plain_table, text_line


def of_entries(analysis: Analysis) -> Iterator[Text | Table]:
    """A heading and a table; nothing where no guest was entered."""
    if not analysis.entries:
        return
    yield text_line(caption(analysis.entries), style="bold")
    made = plain_table()
    for number, heading in enumerate(COLUMNS):
        made.add_column(heading, overflow="fold", justify="right" if number > 1 else "left")
    for row in rows(analysis.entries):
        made.add_row(*map(text_line, row))
    yield made
