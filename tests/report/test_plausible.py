"""What `virtometer check-table` shows."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pytest
from rich.console import Console

from virtometer.analysis.plausible.check import check
from virtometer.analysis.plausible.grid import Grid
from virtometer.analysis.plausible.reading import read
from virtometer.report.plausible import document, parts, values

GRIDS = read(b"x,a,b,sum\nr,1.00,2.00,3.00\ns,4.00,5.50,9.75\nt,1.00,7.00,8.00\n", "t")


def shown(width: int, grids: Sequence[Grid] = GRIDS) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    for part in parts(check(grids), grids):
        console.print(part)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_has_the_place_both_values_and_the_rule(width: int) -> None:
    text = shown(width)
    assert all(word in text for word in ("row", "column", "printed", "expected", "rule", "9.75", "9.50", "sum"))
    assert "1 finding in 9 values of 1 table" in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 120])
def test_several_tables_have_their_names_as_headings_and_nothing_is_cut(width: int) -> None:
    lines = b"study,item,row,column,value\n" + b"".join(
        f"study2010,a table with a long name {table},{row},{column},{value}\n".encode()
        for table in (1, 2)
        for row, values_of in enumerate(((1, 2, 3), (4, 5, 20), (1, 7, 8)))
        for column, value in zip(("a", "b", "sum"), values_of, strict=True)
    )
    grids = read(lines, "t")
    text = shown(width, grids)
    headings = [line for line in text.splitlines() if line.startswith("study2010")]
    assert [line.strip() for line in headings] == [grid.name for grid in grids]
    assert "…" not in text and max(map(len, text.splitlines())) <= width


def test_the_document_has_all_fields() -> None:
    made = json.loads(document(check(GRIDS), GRIDS))
    (one,) = made["findings"]
    assert set(one) == {"table", "row", "column", "rule", "reason", "value", "printed", "expected", "others"}
    assert (one["row"], one["column"], one["rule"], one["value"]) == ("s", "sum", "sum", 9.75)
    assert one["expected"] == pytest.approx(9.5)
    assert {"table": "", "row": "s", "column": "a"} in one["others"]
    assert (made["tables"], made["values"]) == (1, 9)
    assert all(rule["source"] for rule in made["rules"])


def test_nothing_was_found() -> None:
    assert json.loads(document([], GRIDS))["findings"] == []
    assert [str(part) for part in parts([], GRIDS)] == ["Nothing was found in 9 values of 1 table."]
    assert values(GRIDS) == 9
