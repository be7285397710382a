"""The plan that `virtometer time` makes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from virtometer.cli.plan.files import TIME, built_in
from virtometer.cli.timing.commands import commands
from virtometer.cli.timing.plan import LONG_S, QUICK_S, document, least_s, text_of

PLAN: dict[str, Any] = yaml.safe_load(built_in(TIME).read_text())


def made(*lengths_s: float) -> dict[str, Any]:
    some = commands([f"sleep {number}" for number in range(len(lengths_s))], ())
    return document(PLAN, some, {"workdir": "/"}, lengths_s)


def test_each_command_is_a_workload_and_the_rest_is_that_of_the_built_in_plan() -> None:
    plan = made(0.05, 0.05)
    assert [one["parameters"]["command"] for one in plan["workloads"]] == ["sleep 0", "sleep 1"]
    assert {**plan, "workloads": PLAN["workloads"], "limits": PLAN["limits"]} == PLAN


def test_short_commands_take_turns_run_by_run_and_slices_of_very_short_ones_have_several_runs() -> None:
    assert made(QUICK_S)["slice_s"] == PLAN["slice_s"]
    assert made(0.99 * QUICK_S)["slice_s"] >= 5 * QUICK_S
    assert made(0.001, 5.0)["slice_s"] >= 5 * QUICK_S
    assert "scheduling" not in made(LONG_S / 2)["workloads"][0]


def test_long_commands_run_once_in_each_block() -> None:
    short, long = made(0.05, LONG_S)["workloads"]
    assert long["scheduling"] == "continuous"
    assert long["seconds"] < LONG_S
    assert "seconds" not in short


def counted(runs: list[int | None], *lengths_s: float) -> dict[str, Any]:
    some = commands([f"sleep {number}" for number in range(len(lengths_s))], ())
    return document(PLAN, some, {"workdir": "/"}, lengths_s, runs)


def test_counted_runs_are_shared_among_as_many_blocks_as_they_allow() -> None:
    plan = counted([20, 3], 0.05, 0.05)
    assert [one["runs"] for one in plan["workloads"]] == [20, 3]
    assert plan["blocks"] == 3
    assert counted([20, None], 0.05, 0.05)["blocks"] == PLAN["blocks"]
    assert "scheduling" not in counted([6], 5.0)["workloads"][0]


def test_only_a_very_short_counted_run_has_one_more_before_it() -> None:
    quick, short = counted([20, 20], 0.99 * QUICK_S, QUICK_S)["workloads"]
    assert quick["parameters"]["warm_each"] is True
    assert "warm_each" not in short["parameters"]
    assert counted([20], 0.001)["slice_s"] == PLAN["slice_s"]


def test_many_runs_and_a_slow_set_up_have_their_time() -> None:
    assert counted([600], 0.05)["limits"]["run_extra_s"] > 1000 > counted([6], 0.05)["limits"]["run_extra_s"]
    slow = document(PLAN, commands(["make"], ()), {}, [0.05], [6], 10.0)
    assert slow["limits"]["prepare_s"] > 1000 > slow["limits"]["run_extra_s"]


def test_slow_environments_have_time_for_long_commands() -> None:
    assert made(0.001)["limits"]["run_extra_s"] < 61
    assert made(5.0)["limits"]["run_extra_s"] > 1000
    assert made(600.0)["limits"]["run_extra_s"] == 3600


def test_the_text_is_the_plan_whatever_the_command_line_has() -> None:
    plan = made(0.05)
    text = text_of(plan, "virtometer time 'a\nworkloads: []'")
    assert text.startswith("#")
    assert yaml.safe_load(text) == plan


def test_long_commands_take_their_time_in_every_guest_of_every_block() -> None:
    guests = len(PLAN["environments"]) + 1
    assert least_s(PLAN, [10.0], {}) == 6 * guests * 20.0
    assert least_s(PLAN, [0.001, 0.05], {}) == 6 * guests * 2 * PLAN["seconds"]


def test_starts_of_guests_take_time_too_and_cold_commands_have_one_for_each_run() -> None:
    guests, starts_s = len(PLAN["environments"]) + 1, {"native": 0.1, "runc": 2.0, "no such": 100.0}
    assert least_s(PLAN, [10.0, 10.0], starts_s) == pytest.approx(6 * (guests * 40.0 + 2.2))
    cold = document(PLAN, commands(["sleep 0", "sleep 1"], ()), {"workdir": "/"}, [10.0, 0.001], cold=True)
    assert least_s(cold, [10.0, 0.001], starts_s) == pytest.approx(6 * (guests * 10.001 + 2 * 2.2))


def test_cold_commands_have_a_guest_for_each_run_and_each_command_its_own_parameters() -> None:
    some = commands(["sleep 0", "sleep 1"], ())
    plan = document(PLAN, some, {"workdir": "/"}, [0.001, 0.05], cold=True, own=[{"evict": "/a"}, {}])
    assert plan["fresh"] == "trial"
    assert [one["scheduling"] for one in plan["workloads"]] == ["continuous"] * 2
    assert [one["parameters"].get("first_counts") for one in plan["workloads"]] == [True, True]
    assert [one["parameters"].get("evict") for one in plan["workloads"]] == ["/a", None]
    warm = document(PLAN, some, {"workdir": "/"}, [0.001, 0.05])
    assert warm["fresh"] == "block" and "first_counts" not in warm["workloads"][0]["parameters"]
