"""CSV of several guests. Which figures it has is tested by `test_crowds.py`."""

from __future__ import annotations

import csv
import io

from tests.report.crowds import crowd
from virtometer.analysis import analyse
from virtometer.report.formats.groups_csv import groups_csv, matrices_csv


def test_no_row_has_a_column_without_a_name() -> None:
    analysis = analyse(crowd(blocks=2))
    for text in (groups_csv(analysis), matrices_csv(analysis)):
        header, *rows = csv.reader(io.StringIO(text))
        assert len(set(header)) == len(header) and rows
        assert {len(row) for row in rows} == {len(header)}
    named = list(csv.DictReader(io.StringIO(groups_csv(analysis))))
    load = next(row for row in named if row["role"] == "load")
    assert load["guest_workload"] == "linpack" and load["workload"] == "disk read"
    assert load["value_unit"] == "FLOP/s" and load["unit"] == "IO/s" and load["against_others"] == ""
