"""What `virtometer check-table` shows."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from virtometer.analysis.plausible.check import check
from virtometer.analysis.plausible.reading import read
from virtometer.report.plausible import document, parts, values

GRIDS = read(b"x,a,b,sum\nr,1.00,2.00,3.00\ns,4.00,5.50,9.75\nt,1.00,7.00,8.00\n", "t")


def shown(width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    for part in parts(check(GRIDS), GRIDS):
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
