"""What a plan is without its file."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.model import Plan

LEAST: dict[str, Any] = {
    "virtometer": 1,
    "name": "least",
    "environments": [{"name": "native", "kind": "native"}],
    "workloads": [{"name": "w", "workload": "linpack", "op": "classic"}],
}


def test_what_a_plan_leaves_out_is_the_default() -> None:
    plan = Plan.model_validate(LEAST)
    assert (plan.baseline, plan.blocks, plan.seconds, plan.fresh, plan.seed) == ("native", 8, 1.0, "trial", None)
    assert (plan.margin, plan.disk_span, plan.limits.clock_error) == (0.05, 512 << 20, 0.005)
    assert plan.workloads[0].threads == 1
    assert Plan.model_validate_json(plan.model_dump_json()) == plan


def test_sizes_and_shares_may_be_numbers_or_texts() -> None:
    asked = {"margin": "10 %", "disk_span": "16M", "rules": {"max_steal_share": "0%", "min_free_memory_bytes": "1G"}}
    plan = Plan.model_validate(LEAST | asked)
    assert (plan.margin, plan.disk_span) == (0.1, 16 << 20)
    assert (plan.rules.max_steal_share, plan.rules.min_free_memory_bytes) == (0.0, 1 << 30)


@pytest.mark.parametrize(
    "wrong",
    [
        {"virtometer": 2},
        {"colour": "red"},
        {"name": ""},
        {"name": "x" * 61},
        {"name": "two\nlines"},
        {"environments": []},
        {"workloads": []},
        {"blocks": 0},
        {"blocks": 10_001},
        {"seconds": 0},
        {"seconds": float("inf")},
        {"seconds": float("nan")},
        {"margin": 0},
        {"margin": "100%"},
        {"seed": 1 << 63},
        {"disk_span": "1K"},
        {"limits": {"clock_error": 1}},
        {"rules": {"max_stall_share": 1.5}},
        {"workloads": [{"name": "w", "workload": "linpack", "op": "classic", "threads": 0}]},
        {"workloads": [{"name": "w", "workload": "linpack", "op": "classic", "factors": {"size": []}}]},
    ],
)
def test_what_a_plan_cannot_say_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Plan.model_validate(LEAST | wrong)


def test_a_plan_does_not_change() -> None:
    plan = Plan.model_validate(LEAST)
    with pytest.raises(ValidationError):
        plan.blocks = 9


def test_the_cells_of_a_plan_are_combinations_of_levels() -> None:
    assert Plan.model_validate(LEAST).cells == ()
    environments = [
        {"name": "native", "kind": "native"},
        {"name": "b", "kind": "native", "levels": {"f": "2"}, "of": "x"},
        {"name": "a", "kind": "native", "levels": {"f": "1"}, "of": "x"},
    ]
    factors = [{"name": "f", "setting": "processors", "levels": [1, 2], "reference": "1"}]
    plan = Plan.model_validate(LEAST | {"environments": environments, "factors": factors})
    assert [one.name for one in plan.cells] == ["b", "a"]
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
