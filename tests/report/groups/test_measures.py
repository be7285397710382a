"""Tables of further measures of groups and matrices."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from tests.report.group_campaigns import group_campaign
from virtometer.analysis import Analysis, analyse
from virtometer.model import Estimate
from virtometer.report import render
from virtometer.report.groups import measures
from virtometer.report.groups.section import section
from virtometer.report.groups.terminal import terminal


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(group_campaign(blocks=6))


def test_a_row_for_each_guest_and_a_column_for_each_measure(analysis: Analysis) -> None:
    growing = [one for one in analysis.group_results.groups if (one.scenario, one.environment) == ("growing", "runc")]
    (table,) = measures.of_groups(growing)
    assert table.columns == ("guest", "host-cpu", "host-cpu-by-work", "host-cpu-user", "host-cpu-system")
    assert len(table.rows) == 1 + 2 + 3 + 4
    # Three guests that compute share two processors: 0.99 of 2/3 each.
    row = next(row for row in table.rows if row[0] == "runc × 3, linpack: runc #2")
    assert row[1].startswith("66.0 %") and row[3].startswith("49.5 %") and row[4].startswith("16.5 %")


def test_a_row_for_each_pair(analysis: Analysis) -> None:
    matrix = next(one for one in analysis.group_results.matrices if one.type == "matrix")
    (table,) = measures.of_matrices([matrix])
    assert table.rows[0][0] == f"{matrix.rows[0]} to {matrix.columns[0]}"
    assert len(table.rows) == sum(cell is not None for row in matrix.cells for cell in row)
    loaded = next(one for one in analysis.group_results.matrices if one.type == "loaded")
    assert measures.of_matrices([loaded]) == []


def test_an_interval_without_a_width_is_not_shown(analysis: Analysis) -> None:
    group = next(one for one in analysis.group_results.groups if one.scenario == "growing")
    one = replace(group.members[0].measures["host-cpu"], estimate=Estimate(0.5, 0.5, 0.5, 6))
    two = replace(one, estimate=Estimate(0.5, 0.45, 0.55, 6))
    for given, shown in ((one, "50.0 %"), (two, "50.0 % ±10 %"), (replace(one, estimate=None), "")):
        (table,) = measures.of_groups([replace(group, members=(replace(group.members[0], measures={"a": given}),))])
        assert table.rows[0][1] == shown


def test_they_are_folded_on_the_page_and_on_the_terminal_with_all_notes(analysis: Analysis) -> None:
    found = section(analysis)
    assert found is not None
    assert all("Further measures" in [one.title for one in part.folded] for part in found.parts[:2])
    plain, whole = (len(terminal(analysis, more)) for more in ("virtometer report DIR --notes", None))
    assert whole > plain


def test_machines_read_them(analysis: Analysis) -> None:
    document = json.loads(render(analysis, "json"))
    rows = list(csv.DictReader(io.StringIO(render(analysis, "groups-csv"))))
    three = next(
        one
        for one in document["groups"]
        if (one["scenario"], one["environment"], one["guests"]) == ("growing", "runc", 3)
    )
    by_name = {one.pop("name"): one for one in three["members"][1]["measures"]}
    assert by_name["host-cpu"]["value"] == pytest.approx(0.66, rel=0.01) and by_name["host-cpu"]["n"] == 6
    row = next(
        one
        for one in rows
        if (one["scenario"], one["environment"], one["guests"], one["guest"]) == ("growing", "runc", "3", "runc #2")
    )
    assert json.loads(row["guest_measures"]) == by_name
    matrix = next(one for one in document["matrices"] if one["type"] == "matrix")
    cells = [one for one in csv.DictReader(io.StringIO(render(analysis, "matrices-csv"))) if one["type"] == "matrix"]
    for cell in filter(lambda one: one["value"], cells):
        mine = {
            one["name"]: {name: one[name] for name in ("unit", "value", "low", "high", "n")}
            for one in matrix["measures"]
            if (one["row"], one["column"]) == (cell["row"], cell["column"])
        }
        assert mine and json.loads(cell["measures"]) == mine
