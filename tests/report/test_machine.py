"""The machine interface against its schema, and what may never be in it."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import FAMILIES, Place, Work, simulate
from tests.report.showcase import showcase
from virtometer.analysis import findings
from virtometer.errors import UsageError
from virtometer.report import FORMATS, render
from virtometer.report.machine import document, plain

SCHEMA = json.loads((Path(__file__).parents[2] / "contract" / "schema" / "report.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def report() -> Any:
    return json.loads(render(showcase(), "json"))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_report_is_valid(report: Any) -> None:
    VALIDATOR.validate(report)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 9),
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from(["B/s", "s", "IO/s"]),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_any_campaign_gives_a_valid_report(blocks: int, family: str, unit: str, seed: int, cost: bool) -> None:
    campaign = simulate(
        [Place("native"), Place("guest", efficiency={"": 0.7}, cost=2.0 if cost else None), Place("kvm", works=False)],
        [Work(unit=unit, level=1e-6 if unit == "s" else 1e9)],
        blocks=blocks,
        seed=seed,
        noise=FAMILIES[family](0.1),
        fail={0: "it died"},
    )
    VALIDATOR.validate(json.loads(render(campaign, "json")))


def test_wrong_reports_are_refused(report: Any) -> None:
    for change in (
        {"findings": [{**report["findings"][0], "verdict": "better"}]},
        {"findings": [{**report["findings"][0], "ratio": 0}]},
        {"findings": [{key: value for key, value in report["findings"][0].items() if key != "n"}]},
        {"surprise": 1},
    ):
        assert not VALIDATOR.is_valid(report | change)
    failed = next(trial for trial in report["trials"] if trial["status"] == "failed")
    done = next(trial for trial in report["trials"] if trial["status"] == "done")
    assert not VALIDATOR.is_valid(report | {"trials": [{**failed, "results": done["results"]}]})


def test_findings_have_the_fields_of_the_design(report: Any) -> None:
    promised = {
        *("workload", "op", "metric", "unit", "better", "subject", "against", "ratio", "low", "high", "n"),
        *("verdict", "host_cpu_ratio", "notes"),
    }
    assert all(promised <= set(finding) for finding in report["findings"])
    assert report["effects"] == []


def test_what_does_not_exist_is_null_and_never_zero(report: Any) -> None:
    by_name = {(finding["workload"], finding["subject"]): finding for finding in report["findings"]}
    kvm = by_name["cpu linpack 500", "KVM"]
    assert [kvm[key] for key in ("ratio", "low", "high", "value", "host_cpu_ratio", "p_value")] == [None] * 6
    assert by_name["cpu linpack 500", "user-mode Linux"]["host_cpu_ratio"] is None
    failed = [trial for trial in report["trials"] if trial["status"] == "failed"]
    assert failed and all(trial["results"] == [] and trial["reason"] for trial in failed)


def test_not_like_with_like_is_a_field_of_its_own(report: Any) -> None:
    marked = {(f["workload"], f["subject"]) for f in report["findings"] if not f["like_with_like"]}
    assert marked == {("disk 4k random read", "user-mode Linux"), ("cpu linpack 500", "QEMU (emulated)")}


def test_numbers_that_are_not_finite_become_null() -> None:
    campaign = showcase()
    host: Any = {"load": math.nan, "list": [math.inf, 1, {"x": -math.inf}], "path": Path("a"), 3: {1}}
    text = render(replace(campaign, host=host), "json")
    assert "NaN" not in text and "Infinity" not in text
    assert json.loads(text)["host"] == {"load": None, "list": [None, 1, {"x": None}], "path": "a", "3": [1]}


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
@settings(deadline=None)
def test_plain_values_are_json(value: object) -> None:
    json.dumps(plain(value), allow_nan=False)


def test_results_csv_has_a_row_for_every_placement_with_empty_cells_for_missing() -> None:
    campaign = showcase()
    rows = list(csv.DictReader(io.StringIO(render(campaign, "csv"), newline="")))
    assert len(rows) == len(campaign.trials)
    failed = [row for row in rows if row["status"] == "failed"]
    assert failed and all(row["value"] == "" and row["reason"] and row["environment"] for row in failed)
    done = next(row for row in rows if row["status"] == "done")
    assert float(done["value"]) == campaign.trials[int(done["trial"])].results[0].value


def test_samples_csv_keeps_every_sample_and_adds_up_to_the_value() -> None:
    campaign = simulate([Place("native"), Place("runc")], [Work(), Work("switch", "os", "fork", "s", 1e-4)], blocks=2)
    rows = list(csv.DictReader(io.StringIO(render(campaign, "samples-csv"), newline="")))
    assert len(rows) == 2 * 2 * 2 * 4
    for record in campaign.trials:
        own = [row for row in rows if int(row["trial"]) == record.trial.index]
        work, seconds = sum(int(row["work"]) for row in own), sum(float(row["duration_s"]) for row in own)
        assert work == record.results[0].work
        rate = seconds / work if own[0]["unit"] == "s" else work / seconds
        assert rate == pytest.approx(record.results[0].value, rel=0.05)


FORMULAS = ["=1+1", "+SUM(A1)", "-cmd|' /C calc'!A0", "@now", "\t=1", "\r=1", "\n=1", "\uff1d1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_plan_or_a_guest_is_a_formula_to_a_spreadsheet(text: str) -> None:
    campaign = simulate([Place("native"), Place(text.strip())], [Work()], blocks=2)
    record = campaign.trials[0]
    result = record.results[0]
    samples = (replace(result.samples[0], mark=text), replace(result.samples[1], check=text), *result.samples[2:])
    told = replace(record, status="done", marks=(text,), results=(replace(result, samples=samples),))
    campaign = replace(campaign, trials=(told, *campaign.trials[1:]))
    cells = [
        cell
        for name in ("csv", "findings-csv", "samples-csv")
        for row in csv.reader(io.StringIO(render(campaign, name), newline=""))
        for cell in row
    ]
    assert not {text, text.strip()} & set(cells)
    assert {f"'{text}", f"'{text.strip()}"} <= set(cells)


@pytest.mark.parametrize("number", [-1, -0.25, -1e-300, "-7", "+1.5e3"])
def test_numbers_stay_numbers_in_csv(number: float | str) -> None:
    campaign = simulate([Place("native")], [Work()], blocks=1)
    record = campaign.trials[0]
    result = record.results[0]
    first = replace(result.samples[0], check=str(number))
    told = replace(record, results=(replace(result, agent_value=float(number), samples=(first,)),))
    campaign = replace(campaign, trials=(told,))
    [row] = csv.DictReader(io.StringIO(render(campaign, "csv"), newline=""))
    assert float(row["agent_value"]) == float(number)
    [sample] = csv.DictReader(io.StringIO(render(campaign, "samples-csv"), newline=""))
    assert sample["check"] == str(number)


def test_findings_csv_is_the_machine_interface_as_a_table() -> None:
    campaign = showcase()
    rows = list(csv.DictReader(io.StringIO(render(campaign, "findings-csv"), newline="")))
    for row, finding in zip(rows, document(campaign, findings(campaign))["findings"], strict=True):
        assert row["ratio"] == ("" if finding["ratio"] is None else str(finding["ratio"]))
        assert row["notes"] == " | ".join(finding["notes"])
        assert row["like_with_like"] == ("true" if finding["like_with_like"] else "false")


def test_an_unknown_format_is_a_usage_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        render(showcase(), "pdf")
    assert all(name in caught.value.advice for name in FORMATS)
