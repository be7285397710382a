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
from virtometer.report.parts.plain import plain
from virtometer.report.parts.terminal_text import plain_table


def parts(found: Sequence[Implausible], grids: Sequence[Grid]) -> Iterator[Table | Text]:
    """A row for each finding, then how many values were looked at, and the rules that found something."""
    if found:
        table = plain_table()
        several = len(grids) > 1
        for name in (*(["table"] if several else []), "row", "column", "printed", "expected", "rule"):
            table.add_column(name)
        table.add_column("reason", overflow="fold")
        for one in found:
            reason = (
                f"{one.reason}; or {counted(len(one.others), 'other cell')} may be wrong" if one.others else one.reason
            )
            cells = (one.row, one.column or "all", one.printed, one.expected_text, one.rule, reason)
            table.add_row(*([Text(one.table)] if several else []), *(Text(cell) for cell in cells))
        yield table
    yield Text(f"{_accused(found)} in {counted(values(grids), 'value')} of {counted(len(grids), 'table')}.")
    for name in dict.fromkeys(one.rule for one in found):
        yield Text(f"{name}: {RULES[name].meaning} ({RULES[name].source})", style="dim")


def document(found: Sequence[Implausible], grids: Sequence[Grid]) -> str:
    """The findings as JSON. column is empty for a whole row, expected null where arithmetic does not say.

    others: cells of which one may be wrong instead.
    """
    findings = [
        {
            "table": one.table,
            "row": one.row,
            "column": one.column,
            "rule": one.rule,
            "reason": one.reason,
            "value": one.value,
            "printed": one.printed,
            "expected": one.expected,
            "others": [{"table": table, "row": row, "column": column} for table, row, column in one.others],
        }
        for one in found
    ]
    rules = [{"rule": one.name, "meaning": one.meaning, "source": one.source} for one in RULES.values()]
    whole = {"findings": findings, "tables": len(grids), "values": values(grids), "rules": rules}
    return json.dumps(plain(whole), ensure_ascii=False, indent=2)


def values(grids: Sequence[Grid]) -> int:
    """How many numbers are printed."""
    return sum(1 for grid in grids for _ in grid.places())


def _accused(found: Sequence[Implausible]) -> str:
    return f"{counted(len(found), 'finding')}" if found else "Nothing was found"
