"""What `compare --json` prints."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema

from tests.analysis.simulated_campaigns import Place, simulate
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.report.machine.comparisons import COMPARISON
from virtometer.report.machine.document import comparison_text
from virtometer.report.machine.schema import report_schema


def test_a_comparison_fits_its_schema_and_counts_its_outcomes() -> None:
    before, after = (simulate([Place("native"), Place("box", efficiency={"": one})], seed=2) for one in (0.9, 0.5))
    found = replace(compare_campaigns(before, after, 0.05), differing=("runc: 1 in A, 2 in B",))
    row = json.loads(comparison_text(found))
    schema = report_schema()
    jsonschema.Draft202012Validator({"$ref": "#/$defs/comparison", "$defs": schema["$defs"]}).validate(row)
    assert row["differing"] == ["runc: 1 in A, 2 in B"]
    assert row["worse"] + row["not_worse"] + row["open"] == len(row["comparisons"]) == len(row["findings"])
    (first, *_) = row["comparisons"]
    assert first["outcome"] == row["outcome"] == "worse" and first["a"]["value"] > first["b"]["value"]
    assert COMPARISON.row(found)["effects"] == []
