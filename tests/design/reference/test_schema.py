"""contract/schema/plan.schema.json: fresh, and of one mind with the plans that are and the plans that are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from virtometer.design.plan.document import read_document
from virtometer.design.reference.schema import plan_schema

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "contract" / "schema" / "plan.schema.json"
PLANS = sorted((ROOT / "plans").rglob("*.yaml"))
VALIDATOR = Draft202012Validator(json.loads(FILE.read_text()))


def test_the_file_is_fresh() -> None:
    assert json.loads(FILE.read_text()) == plan_schema(), "stale, run: make contract"


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(plan_schema())


@pytest.mark.parametrize("path", PLANS, ids=lambda path: str(path.relative_to(ROOT / "plans")))
def test_every_plan_of_the_house_is_valid(path: Path) -> None:
    VALIDATOR.validate(read_document(path.read_bytes(), path.name).value)


def good() -> dict[str, Any]:
    return {
        "virtometer": 1,
        "name": "p",
        "environments": [{"name": "native", "kind": "native"}],
        "workloads": [{"name": "w", "workload": "w", "op": "o"}],
    }


def test_the_smallest_plan_is_valid() -> None:
    VALIDATOR.validate(good())


@pytest.mark.parametrize(
    "change",
    [
        {"bloks": 3},
        {"virtometer": 2},
        {"name": ""},
        {"name": "a\nb"},
        {"name": 7},
        {"environments": []},
        {"environments": [{"name": "native"}]},
        {"environments": [{"name": "native", "kind": "native", "setings": {}}]},
        {"workloads": [{"name": "w", "workload": "w", "op": "o", "threads": 0}]},
        {"workloads": {"name": "w"}},
        {"blocks": 0},
        {"blocks": "3"},
        {"blocks": 2.5},
        {"seconds": 0},
        {"fresh": "never"},
        {"unavailable": "ignore"},
        {"scenario": "together"},
        {"seed": -1},
        {"margin": 1},
        {"disk_span": "16X"},
        {"disk_span": 1},
        {"limits": {"start": 1}},
        {"rules": {"max_steal_share": 2}},
    ],
    ids=str,
)
def test_bad_plans_are_refused(change: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(good() | change)
