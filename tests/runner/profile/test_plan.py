"""The plan of the operations."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.analysis.profile_campaigns import COUNTS, counts
from virtometer.cli.plan.files import TIME, built_in, load_text_for_here
from virtometer.runner.profile.plan import operations_plan


def test_it_is_a_plan_in_the_environments_of_the_commands(tmp_path: Path) -> None:
    plan = yaml.safe_load(built_in(TIME).read_text())
    many = counts(classes={"file look-ups": 10_000, "network": 1_000, "opens": 1_000}, waits=9_000)
    made = operations_plan(plan, {"a": COUNTS, "b": many})
    read = load_text_for_here(yaml.safe_dump(made), "x", tmp_path)[0].plan
    assert [one.name for one in read.environments] == [one["name"] for one in plan["environments"]]
    names = {one.name for one in read.workloads}
    assert {"computing", "simple calls", "file look-ups", "opens", "switches", "network"} <= names
    assert "starts of programs" not in names, "each command has them beside it"
    assert all(one.workload == "os" for one in read.workloads)
    assert read.blocks == 6
    assert not read.control
    assert {one.scheduling for one in read.workloads} == {"continuous"}, "a command is longer than a slice"


def test_guests_have_the_processors_that_commands_have(tmp_path: Path) -> None:
    plan = yaml.safe_load(built_in(TIME).read_text())
    made = operations_plan(plan, {"a": COUNTS})
    command = {"name": "itself", "workload": "command", "op": "time", "parameters": {"command": "true"}}
    made["workloads"].append(command)
    resolved = load_text_for_here(yaml.safe_dump(made), "x", tmp_path)[0]
    assert len(resolved.works) > 1
    assert {one.processors for one in resolved.works.values()} == {resolved.works["itself"].processors}
