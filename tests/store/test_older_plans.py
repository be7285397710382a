"""Workloads of older plans that differ in numbers alone are levels of a factor."""

from __future__ import annotations

import copy
from typing import Any

from virtometer.model import Rules
from virtometer.store.older_plans import (
    with_all_processors,
    with_former_rules,
    with_levels,
    without_control,
    without_scenario,
)


def works(*parameters: dict[str, Any], op: str = "read", **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"{op} {one}", "workload": "memory", "op": op, "parameters": one, **more} for one in parameters]


def levels(workloads: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """Levels and the workload that they are of, in the plan's order; nothing else of the plan changes."""
    plan = {"name": "old", "workloads": workloads}
    before = copy.deepcopy(plan)
    found = with_levels(plan)
    assert plan == before, "what was given stays as it was"
    assert {key: value for key, value in found.items() if key != "workloads"} == {"name": "old"}
    told = [(one.pop("levels", {}), one.pop("of", "")) for one in found["workloads"]]
    assert found["workloads"] == before["workloads"]
    return told


def test_three_sizes_are_a_factor_and_two_are_none() -> None:
    sizes = works(*({"size": n} for n in (1, 2, 4)))
    assert levels(sizes) == [({"size": n}, sizes[0]["name"]) for n in (1, 2, 4)]
    assert levels(sizes[:2]) == [({}, "")] * 2
    assert levels([]) == []


def test_two_sizes_that_are_combined_are_two_factors() -> None:
    grid = works(*({"span": span, "size": size} for span in (1, 2, 3) for size in (4, 5, 6)))
    assert [one for one, _ in levels(grid)] == [one["parameters"] for one in grid]
    assert {of for _, of in levels(grid)} == {grid[0]["name"]}


def test_a_grid_with_too_many_holes_is_no_surface() -> None:
    """Five of nine places: a curve of three is in it, and the others are left."""
    cross = [{"span": 1, "size": 4}, {"span": 1, "size": 5}, {"span": 1, "size": 6}, {"span": 2, "size": 4}]
    cross.append({"span": 3, "size": 4})
    found = levels(works(*cross))
    assert [one for one, _ in found] == [{"span": 1}, {}, {}, {"span": 2}, {"span": 3}]


def test_what_differs_in_more_than_numbers_is_kept_apart() -> None:
    one = works(*({"size": n} for n in (1, 2, 3)))
    for other in (
        works(*({"size": n} for n in (4, 5)), op="write"),
        works(*({"size": n} for n in (4, 5)), seconds=2),
        works(*({"size": n, "simd": "avx"} for n in (4, 5))),
        works(*({"size": n, "direct": True} for n in (4, 5))),
    ):
        assert levels([*one, *other]) == [({"size": n}, one[0]["name"]) for n in (1, 2, 3)] + [({}, "")] * 2


def test_threads_are_a_number_and_a_switch_is_none() -> None:
    threads = [{**works({})[0], "threads": n} for n in (1, 2, 4)]
    assert [one for one, _ in levels(threads)] == [{"threads": n} for n in (1, 2, 4)]
    switched = works({"direct": True}, {"direct": False}, {"direct": True})
    assert levels(switched) == [({}, "")] * 3


def test_each_curve_is_named_after_its_first_workload() -> None:
    both = [*works(*({"size": n} for n in (3, 1, 2))), *works(*({"size": n} for n in (1, 2, 3)), op="write")]
    assert [of for _, of in levels(both)] == [both[0]["name"]] * 3 + [both[3]["name"]] * 3


def test_guests_were_on_all_processors() -> None:
    plan = {"name": "old", "environments": [{"name": "a", "kind": "x"}, {"name": "b", "settings": {"cpus": 1}}]}
    before = copy.deepcopy(plan)
    assert with_all_processors(plan)["environments"] == [
        {"name": "a", "kind": "x", "settings": {"processors": "all"}},
        {"name": "b", "settings": {"processors": "all", "cpus": 1}},
    ]
    assert plan == before


def test_other_programs_were_not_watched() -> None:
    plan = {"name": "old", "rules": {"max_steal_share": 0.2}}
    rules = with_former_rules(plan)["rules"]
    assert rules["max_steal_share"] == 0.2
    assert Rules.model_validate(rules).max_foreign_load == 4096
    assert with_former_rules({"name": "older"})["rules"].keys() == rules.keys() - {"max_steal_share"}


def test_the_baseline_was_measured_once_in_a_block() -> None:
    assert without_control({"name": "p"}) == {"name": "p", "control": False}


def test_each_workload_ran_alone() -> None:
    assert without_scenario({"name": "p", "scenario": "alone"}) == {"name": "p"} == without_scenario({"name": "p"})
