"""What `virtometer check-table` shows: the findings as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from virtometer.analysis.plausible.check import Implausible
from virtometer.analysis.plausible.grid import Grid
from virtometer.analysis.plausible.rules import RULES
from virtometer.counted import counted
from virtometer.report.parts.implausible import expected_words, implausible_object, reason_words
from virtometer.report.parts.plain import plain
from virtometer.report.parts.terminal_text import plain_table, text_line


def parts(found: Sequence[Implausible], grids: Sequence[Grid]) -> Iterator[Table | Text]:
    """A row for each finding, then how many values were looked at, and the rules that found something.

    Of several tables each one has its name as a heading, then its rows. No word is cut, in any width.
    """
    for name in dict.fromkeys(one.table for one in found):
        if len(grids) > 1:
            yield text_line(name, style="bold")
        table = plain_table()
        for label in ("row", "column", "printed", "expected", "rule", "reason"):
            table.add_column(label, overflow="fold")
        for one in found:
            if one.table == name:
                cells = (
                    one.row or "all",
                    one.column or "all",
                    one.printed,
                    expected_words(one),
                    one.rule,
                    reason_words(one),
                )
                table.add_row(*map(text_line, cells))
        yield table
    yield Text(f"{_accused(found)} in {counted(values(grids), 'value')} of {counted(len(grids), 'table')}.")
    for name in dict.fromkeys(one.rule for one in found):
        yield Text(f"{name}: {RULES[name].meaning} ({RULES[name].source})", style="dim")


def document(found: Sequence[Implausible], grids: Sequence[Grid]) -> str:
    """The findings as JSON, with the rules."""
    rules = [{"rule": one.name, "meaning": one.meaning, "source": one.source} for one in RULES.values()]
    findings = [implausible_object(one) for one in found]
    whole = {"findings": findings, "tables": len(grids), "values": values(grids), "rules": rules}
    return json.dumps(plain(whole), ensure_ascii=False, indent=2)


def values(grids: Sequence[Grid]) -> int:
    """How many numbers are printed."""
    return sum(grid.printed for grid in grids)


def _accused(found: Sequence[Implausible]) -> str:
    return f"{counted(len(found), 'finding')}" if found else "Nothing was found"
