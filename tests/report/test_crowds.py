"""Several guests on the page and in both formats for machines."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.analysis.simulated_campaigns import Place, simulate
from tests.report.crowds import SCENARIOS, crowd
from virtometer.analysis import Analysis, analyse, by_guest_clocks
from virtometer.report import crowds, render
from virtometer.report.html import page

SCHEMA = json.loads((Path(__file__).parents[2] / "contract" / "schema" / "report.schema.json").read_text())
GROUP = {
    "scenario", "type", "environment", "workload", "guests", "sum", "sum_low", "sum_high", "mean", "efficiency_of_sum",
    "ideal_share", "worst_share", "max_over_min", "cv", "jain", "start_skew_p99_ns", "start_skew_bound_ns", "overlap_s",
    "watch_share", "notes", "members",
}  # fmt: skip
MEMBER = {
    "guest", "role", "value", "low", "high", "slowdown", "host_cpu_s", "code_s", "vmm_s", "kernel_s", "user_s",
    "system_s", "cpu_unknown", "received", "sent", "dropped",
}  # fmt: skip
MATRIX = {"scenario", "type", "workload", "rows", "columns", "values", "low", "high", "notes"}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(crowd(blocks=6))


@pytest.fixture(scope="module")
def document(analysis: Analysis) -> Any:
    return json.loads(render(analysis, "json"))


def test_the_document_is_valid_and_has_exactly_the_fields(document: Any) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert all(set(group) == GROUP for group in document["groups"])
    assert all(set(one) == MEMBER for group in document["groups"] for one in group["members"])
    assert all(set(matrix) == MATRIX for matrix in document["matrices"])


def test_what_the_document_says(document: Any) -> None:
    three = next(
        g for g in document["groups"] if (g["scenario"], g["environment"], g["guests"]) == ("growing", "runc", 3)
    )
    assert three["sum_low"] < three["sum"] < three["sum_high"] and three["ideal_share"] == pytest.approx(1 / 3)
    assert three["worst_share"] < 0.3 and three["max_over_min"] > 1.2 and 0.9 < three["jain"] < 1
    assert [one["guest"] for one in three["members"]] == ["runc", "runc #2", "runc #3"]
    assert three["efficiency_of_sum"] == pytest.approx(0.89, abs=0.03) and three["start_skew_p99_ns"] > 0
    assert three["watch_share"] == pytest.approx(0.002) and three["overlap_s"] == pytest.approx(1.0)
    net = next(matrix for matrix in document["matrices"] if matrix["scenario"] == "network matrix")
    assert len(net["values"]) == len(net["rows"]) == 3 and all(len(row) == 4 for row in net["low"])
    growing = next(one for one in document["scaling"] if one["scenario"] == "growing")
    assert growing["guests"] == [1, 2, 3, 4] and growing["stops_at"] == 2


def test_a_campaign_of_single_guests_has_empty_lists() -> None:
    single = json.loads(render(analyse(simulate([Place("native"), Place("box")])), "json"))
    assert single["groups"] == single["matrices"] == single["scaling"] == []


def test_raw_values_are_valid_too() -> None:
    raw = json.loads(render(analyse(by_guest_clocks(crowd(blocks=2))), "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(raw)
    assert raw["groups"]


def test_csv_has_a_row_for_each_guest_and_each_cell(analysis: Analysis, document: Any) -> None:
    groups = list(csv.DictReader(io.StringIO(render(analysis, "groups-csv"))))
    assert len(groups) == sum(len(group["members"]) for group in document["groups"])
    first = groups[0]
    assert float(first["sum_low"]) <= float(first["sum"]) <= float(first["sum_high"]) and first["unit"] == "FLOP/s"
    assert {row["role"] for row in groups} == {"measured", "load"}
    cells = list(csv.DictReader(io.StringIO(render(analysis, "matrices-csv"))))
    assert len(cells) == sum(len(one["rows"]) * len(one["columns"]) for one in document["matrices"])
    assert {row["of"] for row in cells} == {"slowdown", "throughput"}
    assert any(row["value"] == "" for row in cells) and any(float(row["intensity"] or 0) > 0.6 for row in cells)


def test_the_page_has_a_part_for_each_scenario(analysis: Analysis) -> None:
    parts = crowds.parts(analysis)
    assert [part.name for part in parts] == [str(one["name"]) for one in SCENARIOS]
    growing = parts[0]
    assert len(growing.figures) == 2 and len(growing.lines) == 1 and growing.notes
    text = page(analysis, scripts=False)
    assert "Several guests at once" in text and "Workload by workload" not in text
    assert "universal scalability law" in text and 'id="together-7"' in text


def test_a_page_of_single_guests_has_no_such_part() -> None:
    text = page(analyse(simulate([Place("native"), Place("box")])), scripts=False)
    assert "Several guests at once" not in text and "Workload by workload" in text


def test_a_sweep_of_several_guests_alone_has_no_empty_table() -> None:
    of = crowd(blocks=2)
    workloads = [one.model_copy(update={"levels": {"op": one.op}, "of": "all"}) for one in of.plan.workloads]
    shown = page(analyse(replace(of, plan=of.plan.model_copy(update={"workloads": workloads}))), scripts=False)
    assert "Several guests at once" in shown
    assert 'id="sweeps"' not in shown
