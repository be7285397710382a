"""Commands that take turns with each other."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer.design.schedule.shared_turns import MOST_AT_ONCE, in_turn
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.trials import schedule
from virtometer.model import Plan

PLACES = ["a", "b"]


def plan(*workloads: dict[str, Any], turns: str = "commands") -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1, "name": "p", "baseline": "a", "blocks": 3, "fresh": "block", "turns": turns,
            "environments": [{"name": name, "kind": "k"} for name in PLACES],
            "workloads": list(workloads),
        }
    )  # fmt: skip


def command(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "workload": "command", "op": "time", "scheduling": "interleaved", **more}


def units(of: Plan) -> list[list[str]]:
    """The workloads of each unit of the first block, in their order."""
    found: dict[int | None, dict[str, None]] = {}
    for trial in schedule(of, PLACES, 1):
        if trial.block == 0:
            found.setdefault(trial.turns, {})[trial.placements[0].workload] = None
    return [list(names) for names in found.values()]


def test_commands_share_a_unit_where_the_plan_says_so() -> None:
    two = command("x"), command("y")
    assert units(plan(*two)) == [["x", "y"]]
    assert sorted(units(plan(*two, turns="guests"))) == [["x"], ["y"]]
    trials = [one for one in schedule(plan(*two), PLACES, 1) if one.block == 1]
    assert len(trials) == 6, "two commands in two guests of the baseline and one of the other environment"
    assert {one.turns for one in trials} == {trials[0].index} and len({one.start_group for one in trials}) == 1


@pytest.mark.parametrize("around", ["setup", "cleanup"])
def test_what_prepares_a_state_of_its_own_takes_turns_with_no_other_command(around: str) -> None:
    of = plan(command("x"), command("y", parameters={around: "true"}), command("z"))
    assert sorted(units(of)) == [["x", "z"], ["y"]]


def test_other_work_and_continuous_commands_are_units_as_before() -> None:
    other = {"name": "o", "workload": "memory", "op": "read", "scheduling": "interleaved"}
    of = plan(command("x"), other, command("y"), command("long", scheduling="continuous"))
    assert ["x", "y"] in units(of) and ["o"] in units(of)
    assert [one.turns for one in schedule(of, PLACES, 1) if one.placements[0].workload == "long"] == [None] * 9


def test_counted_commands_take_turns_among_themselves() -> None:
    of = plan(command("x", runs=12), command("y"), command("z", runs=9), command("v"))
    assert sorted(units(of)) == [["x", "z"], ["y", "v"]]


def test_more_commands_than_an_agent_keeps_ready_are_groups_drawn_anew() -> None:
    names = [f"c{number}" for number in range(2 * MOST_AT_ONCE + 1)]
    of, generator = plan(*map(command, names)), Generator(1)
    drawn = [in_turn(of, names, generator) for _ in range(2)]
    for groups in drawn:
        assert [len(group) for group in groups] == [11, 11, 11]
        assert sorted(name for group in groups for name in group) == sorted(names)
    assert drawn[0] != drawn[1]
