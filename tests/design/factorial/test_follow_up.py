"""From kept factors to environments: names, settings, what is left out, and what is refused with the plan."""

from __future__ import annotations

from typing import Self

import pytest
from pydantic import model_validator

from tests.design.factorial.test_cells import varied
from tests.design.test_parse import BOXES, BoxSettings, a_kind, messages, parse
from tests.sentences import Said
from virtometer.design.factorial.follow_up import (
    follow_up,
    follow_up_blocks,
    most_cells,
    space_of_second_stage,
    with_follow_up,
)
from virtometer.design.schedule.trials import following, schedule
from virtometer.model import Plan

SEQUENTIAL = varied(
    ("workloads:", "design: {type: sequential}\nworkloads:"),
    (
        "  - {name: dummy, environment: box, levels: {this: {}, that: {}}}",
        "  - {name: dummy, environment: box, levels: {this: {}, that: {}}}\n"
        "  - {name: memory, environment: box, setting: memory, levels: [16M, 32M, 48M, 64M]}\n"
        "  - {name: colour, environment: box, levels: {plain: {}, red: {colour: red}}}",
    ),
    ("    settings: {memory: 64M}\n", ""),
)


@pytest.fixture
def plan() -> Plan:
    return parse(SEQUENTIAL)


def test_the_first_stage_is_what_the_plan_has(plan: Plan) -> None:
    assert plan.sequential
    assert plan.first_blocks == 6
    assert len(plan.cells) == 16
    assert {one.levels["memory"] for one in plan.cells} == {"16M", "64M"}
    assert plan.design is not None
    assert plan.design.terms == ["cache", "size", "dummy", "memory", "colour"]
    again = parse(SEQUENTIAL.replace("{type: sequential}", "{type: sequential, first_blocks: 9}"))
    assert (again.first_blocks, again.blocks) == (9, 6)


def test_the_second_stage_has_the_kept_factors_with_all_levels_and_names_cells_once(plan: Plan) -> None:
    found = follow_up(plan, ["cache", "memory"], BOXES)
    assert found is not None
    assert len(found.cells) == 8
    assert found.cells[0] == plan.baseline
    assert found.terms == ("cache", "memory", "cache:memory")
    assert found.left_out == ()
    assert found.levels == {"cache": ("none", "writeback"), "memory": ("16M", "32M", "48M", "64M")}
    larger = with_follow_up(plan, found.environments)
    names = [one.name for one in larger.environments]
    assert len(set(names)) == len(names) == len(plan.environments) + len(found.environments)
    cells = {one.name: one for one in larger.cells}
    assert len({tuple(one.levels.items()) for one in cells.values()}) == len(cells)
    other = next(
        one for one in found.environments if one.levels["memory"] == "48M" and one.levels["cache"] == "writeback"
    )
    assert other.settings == {"memory": 48 << 20, "cache": "writeback", "cpus": 1.0, "cpuset": [0]}
    assert all(cells[name].levels["size"] == "small" for name in found.cells)


def test_few_cells_get_more_blocks(plan: Plan) -> None:
    assert follow_up_blocks(plan, 2) == 48
    assert follow_up_blocks(plan, 32) == plan.blocks == 6


def test_a_level_that_the_first_stage_lacks_is_refused_with_the_plan() -> None:
    (said,) = messages(SEQUENTIAL.replace("[16M, 32M, 48M, 64M]", "[16M, 20000000.5, 64M]"))
    assert "the level '20000000.5' of 'memory': " in said
    assert "allowed" in said or "whole number" in said


def test_combinations_whose_settings_do_not_go_together_are_left_out(plan: Plan) -> None:
    assert plan.design is not None

    class Fussy(BoxSettings):
        @model_validator(mode="after")
        def _together(self) -> Self:
            if self.cache == "writeback" and self.memory == 32 << 20:
                raise ValueError("no writeback with 32M")
            return self

    kinds = {**BOXES, "box": a_kind(Fussy)}
    found = follow_up(plan, ["cache", "memory"], kinds)
    assert found is not None
    assert len(found.cells) == 7


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("{type: sequential}", "{type: sequential, terms: [main]}", "'terms'"),
        ("{type: sequential}", "{type: full, first_blocks: 7}", "'first_blocks'"),
        ("{type: sequential}", "{type: sequential, first_blocks: 3}", "'first_blocks'"),
        ("blocks: 6", "blocks: 6\nscenarios: [{name: alone, type: alone}]", "'scenarios'"),
    ],
)
def test_what_a_sequential_design_does_not_have_is_refused(said: Said, old: str, new: str, fact: str) -> None:
    (line,) = messages(SEQUENTIAL.replace(old, new))
    assert fact in line
    said(line)


def test_most_cells_leave_room_for_the_first_stage(plan: Plan) -> None:
    assert most_cells(plan) == 32
    assert plan.design is not None
    assert most_cells(plan.model_copy(update={"design": plan.design.model_copy(update={"runs": 64})})) == 48
    assert follow_up(plan, [], BOXES) is None


def test_the_space_of_the_second_stage_has_its_own_levels(plan: Plan) -> None:
    found = follow_up(plan, ["cache", "memory"], BOXES)
    assert found is not None
    space, cells = space_of_second_stage(plan, found)
    assert space.names == ("cache", "memory")
    assert sorted(cells) == sorted(space.cells())


def test_its_blocks_follow_those_of_the_first_and_measure_its_cells_alone(plan: Plan) -> None:
    found = follow_up(plan, ["cache"], BOXES)
    assert found is not None
    larger = with_follow_up(plan, found.environments)
    before = schedule(plan, [one.name for one in plan.environments], 1)
    assert {trial.block for trial in before} == set(range(6))
    after = following(larger, 1, before, found.cells, 3)
    assert [trial.index for trial in after] == list(range(len(before), len(before) + len(after)))
    assert {trial.block for trial in after} == {6, 7, 8}
    assert after[0].start_group > before[-1].start_group
    assert {key.environment for trial in after for key in trial.guests} == set(found.cells)
    assert len(after) == 3 * (2 + 1), "the control is in each block"
    assert following(larger, 1, before, found.cells, 3) == after
    assert following(larger, 2, before, found.cells, 9)[: len(after)] != after
