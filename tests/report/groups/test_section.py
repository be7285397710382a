"""Groups of guests on the page and in both formats for machines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.analysis.simulated_campaigns import Place, simulate
from tests.report.group_campaigns import SCENARIOS, group_campaign
from virtometer.analysis import Analysis, analyse, by_guest_clocks
from virtometer.report import render
from virtometer.report.formats.html import page
from virtometer.report.groups.section import section
from virtometer.report.parts.section import Section

SCHEMA = json.loads((Path(__file__).parents[3] / "contract" / "schema" / "report.schema.json").read_text())
DESIGNED = {
    "scenario", "type", "environment", "workload", "guests", "sum", "sum_low", "sum_high", "mean", "efficiency_of_sum",
    "ideal_share", "worst_share", "max_over_min", "cv", "jain", "start_skew_p99_ns", "overlap_s", "notes", "members",
}  # fmt: skip
BOUNDED = (
    "sum", "mean", "ideal", "efficiency_of_sum", "against_one", "against_baseline", "alone", "worst_share",
    "worst_share_of_equal", "max_over_min", "cv", "jain", "host_cpu_per_work", "host_cpu_per_work_against_one",
)  # fmt: skip
GROUP = (
    DESIGNED
    | {f"{name}{bound}" for name in BOUNDED for bound in ("", "_low", "_high")}
    | {
        "unit",
        "mean_unit",
        "better",
        "n",
        "baseline_guests",
        "alone_unit",
        "host",
        "start_skew_bound_ns",
        "ranks",
        "watch_share",
    }
)
MEMBER = {
    "guest", "role", "workload", "unit", "value", "low", "high", "share", "share_low", "share_high", "slowdown",
    "slowdown_low", "slowdown_high", "host_cpu_s", "host_processors", "code_s", "vmm_s", "kernel_s", "user_s",
    "system_s", "cpu_unknown", "received", "sent", "dropped", "measures",
}  # fmt: skip
MATRIX = {
    "scenario", "type", "workload", "of", "unit", "better", "rows", "columns", "values", "low", "high", "n",
    "intensity", "notes", "measures",
}  # fmt: skip


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(group_campaign(blocks=6))


@pytest.fixture(scope="module")
def document(analysis: Analysis) -> Any:
    return json.loads(render(analysis, "json"))


def parts_of(analysis: Analysis) -> Sequence[Section]:
    found = section(analysis)
    assert found is not None
    return found.parts


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


def test_every_figure_has_its_interval_and_its_unit(document: Any) -> None:
    three = next(
        g for g in document["groups"] if (g["scenario"], g["environment"], g["guests"]) == ("growing", "runc", 3)
    )
    assert (three["unit"], three["mean_unit"], three["better"], three["n"]) == ("FLOP/s", "FLOP/s", "higher", 6)
    assert three["baseline_guests"] == 3
    for name in BOUNDED:
        assert three[f"{name}_low"] <= three[name] <= three[f"{name}_high"], name
    for one in three["members"]:
        assert one["share_low"] < one["share"] < one["share_high"]
        assert one["slowdown_low"] < one["slowdown"] < one["slowdown_high"] and one["unit"] == "FLOP/s"
    # 0.66 processors of each of three guests by their sum.
    assert three["host_cpu_per_work"] == pytest.approx(3 * 0.66 / three["sum"], rel=0.01)
    assert sum(three["host"].values()) == pytest.approx(2, abs=0.05)
    switching = next(g for g in document["groups"] if g["scenario"] == "switching" and g["guests"] == 2)
    assert (switching["unit"], switching["mean_unit"], switching["alone_unit"]) == ("1/s", "s", "s")
    assert switching["better"] == "lower"


def test_who_gets_less_has_a_ratio_an_interval_and_a_count(document: Any) -> None:
    three = next(
        g for g in document["groups"] if (g["scenario"], g["environment"], g["guests"]) == ("growing", "runc", 3)
    )
    last = three["ranks"][2]
    assert (last["guest"], last["verdict"], last["worst"], last["blocks"]) == ("runc #3", "less", 6, 6)
    assert last["against_others_low"] < last["against_others"] == pytest.approx(0.8, abs=0.04)
    assert last["against_others_high"] < 1 and last["p_adjusted"] < 0.05
    assert all(group["ranks"] == [] for group in document["groups"] if group["guests"] == 1)


def test_a_matrix_has_a_unit_a_direction_and_the_load_of_each_cell(document: Any) -> None:
    loaded = next(matrix for matrix in document["matrices"] if matrix["type"] == "loaded")
    assert (loaded["of"], loaded["unit"], loaded["better"]) == ("slowdown", "", "lower")
    assert all(0.6 < share < 0.7 for row in loaded["intensity"] for share in row)
    net = next(matrix for matrix in document["matrices"] if matrix["type"] == "matrix")
    assert (net["of"], net["unit"], net["better"]) == ("throughput", "B/s", "higher")
    assert {share for row in net["intensity"] for share in row} == {None}
    assert [[len(row) for row in net[name]] for name in ("values", "n", "intensity")] == [[4, 4, 4]] * 3


def test_one_guest_alone_is_beside_its_groups_everywhere(analysis: Analysis, document: Any) -> None:
    loaded = next(g for g in document["groups"] if g["scenario"] == "under load" and g["workload"] == "disk read")
    assert loaded["alone_unit"] == "IO/s" and loaded["alone"] == pytest.approx(40_000 * 0.97, rel=0.05)
    rows = [row for row in csv.DictReader(io.StringIO(render(analysis, "groups-csv"))) if row["guest_role"] == "alone"]
    assert [(row["scenario"], row["workload"]) for row in rows] == [
        ("under load", "disk read"), ("under load", "stream"), ("guest to guest", "stream"),
        ("disk and net", "disk read"), ("disk and net", "stream"),
    ]  # fmt: skip
    assert rows[0]["guests"] == "1" and float(rows[0]["guest_value"]) == pytest.approx(loaded["alone"])
    assert float(rows[0]["guest_low"]) < float(rows[0]["guest_value"]) < float(rows[0]["guest_high"])
    part = next(part for part in parts_of(analysis) if part.title == "under load")
    reached = next(table for table in part.tables if "what each guest reached" in table.caption)
    assert reached.rows[0][:2] == ("runc", "alone") and "IO/s ±" in reached.rows[0][2]
    assert any("runc alone, disk read user" in figure.alternative for figure in part.figures)


def test_a_campaign_of_single_guests_has_empty_lists() -> None:
    single = json.loads(render(analyse(simulate([Place("native"), Place("box")])), "json"))
    assert single["groups"] == single["matrices"] == single["scaling"] == []


def test_raw_values_are_valid_too() -> None:
    raw = json.loads(render(analyse(by_guest_clocks(group_campaign(blocks=2))), "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(raw)
    assert raw["groups"]


def test_csv_has_a_row_for_each_guest_and_each_cell(analysis: Analysis, document: Any) -> None:
    groups = list(csv.DictReader(io.StringIO(render(analysis, "groups-csv"))))
    guests = [row for row in groups if row["guest_role"] != "alone"]
    assert len(guests) == sum(len(group["members"]) for group in document["groups"])
    first = groups[0]
    assert float(first["sum_low"]) <= float(first["sum"]) <= float(first["sum_high"]) and first["unit"] == "FLOP/s"
    assert {row["guest_role"] for row in guests} == {"measured", "load"}
    last = next(row for row in guests if (row["scenario"], row["guests"], row["guest"]) == ("growing", "3", "runc #3"))
    assert (
        float(last["guest_against_others_low"])
        < float(last["guest_against_others"])
        < float(last["guest_against_others_high"])
        < 1
    )
    assert (last["guest_worst"], last["guest_blocks"]) == ("6", "6")
    assert float(last["host_cpu_per_work_low"]) < float(last["host_cpu_per_work"])
    cells = list(csv.DictReader(io.StringIO(render(analysis, "matrices-csv"))))
    assert len(cells) == sum(len(one["rows"]) * len(one["columns"]) for one in document["matrices"])
    assert {row["of"] for row in cells} == {"slowdown", "throughput"}
    assert any(row["value"] == "" for row in cells) and any(float(row["intensity"] or 0) > 0.6 for row in cells)


def test_the_page_has_a_part_for_each_scenario(analysis: Analysis) -> None:
    parts = parts_of(analysis)
    assert [part.title for part in parts] == [str(one["name"]) for one in SCENARIOS]
    growing = parts[0]
    assert len(growing.figures) == 2 and len(growing.wide) == 1 and growing.notes
    text = page(analysis, scripts=False)
    assert "Groups of guests" in text and "Workload by workload" not in text
    assert "universal scalability law" in text and 'id="group-7"' in text


def test_a_page_of_single_guests_has_no_such_part() -> None:
    text = page(analyse(simulate([Place("native"), Place("box")])), scripts=False)
    assert "Groups of guests" not in text and "Workload by workload" in text


def test_a_sweep_of_several_guests_alone_has_no_empty_table() -> None:
    of = group_campaign(blocks=2)
    workloads = [one.model_copy(update={"levels": {"op": one.op}, "of": "all"}) for one in of.plan.workloads]
    shown = page(analyse(replace(of, plan=of.plan.model_copy(update={"workloads": workloads}))), scripts=False)
    assert "Groups of guests" in shown
    assert 'id="sweeps"' not in shown
