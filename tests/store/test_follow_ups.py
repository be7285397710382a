"""The second stage of a sequential design, there and back, and the plan with its cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.analysis import sequential_campaign as sequential
from tests.store.campaigns import campaign
from virtometer.model import EnvironmentStatus, FollowUp, PlanEnvironment, Screened, Stage, Trial, Why
from virtometer.store.follow_ups import with_stages
from virtometer.store.ledger import Ledger
from virtometer.store.rows import stage_of, stage_row

FOLLOW_UP = FollowUp(
    (
        Screened("bus", Why.MATTERS, "read", "ide", -2.5, 8.0),
        Screened("cache", Why.INTERACTION, "read", "none", None, None, ("bus:cache", "a:b")),
        Screened("dummy", Why.IDLE, "", "", 0.0, 1.0),
    ),
    ("native", "more"),
    (PlanEnvironment(name="more", kind="runc", settings={"cpus": 1.0}, levels={"bus": "ide"}, of="box"),),
    ("bus", "cache", "bus:cache"),
    ("a:b",),
    {"bus": ("virtio", "ide")},
    {"more": ("it does not work here", "install it")},
    9,
)


def test_there_and_back() -> None:
    stage = Stage("now", 4, 0, {("read", "box"): 2}, {("read", "bus"): None}, "time", FOLLOW_UP)
    row: Any = SimpleNamespace(**stage_row(stage))
    assert stage_of(row) == stage


def test_the_plan_has_the_cells_and_what_is_known_of_them() -> None:
    of = campaign(4)
    box = EnvironmentStatus("box", "runc", True, "", "", {"disk": "yes"})
    stage = Stage("now", 4, 0, {}, {}, "", FOLLOW_UP)
    plan, statuses = with_stages(of.plan, [box], [stage, Stage("now", 4, 0, {}, {}, "")])
    assert [one.name for one in plan.environments][-1] == "more"
    assert statuses == (
        box,
        EnvironmentStatus("more", "runc", False, "it does not work here", "install it", {"disk": "yes"}),
    )
    assert with_stages(of.plan, [box], []) == (of.plan, (box,))


def test_a_ledger_has_both_stages_and_says_which_a_trial_belongs_to(tmp_path: Path) -> None:
    of = sequential.campaign(blocks=6)
    (stage,) = of.stages
    assert stage.follow_up is not None
    added = {one.name for one in stage.follow_up.environments}
    first = [one for one in of.plan.environments if one.name not in added]
    renumbered = [replace(trial, index=number) for number, trial in enumerate(of.planned)]
    begin = sum(trial.block < sequential.FIRST_BLOCKS for trial in renumbered)
    later: list[Trial] = renumbered[begin:]
    stage = replace(stage, first_trial=begin, trials=len(later))
    whole = replace(
        of,
        plan=of.plan.model_copy(update={"environments": first}),
        environments=tuple(one for one in of.environments if one.name not in added),
        planned=tuple(renumbered[:begin]),
        trials=(),
        guests=(),
        commands=(),
        stages=(),
    )
    with Ledger.create(tmp_path / "r", whole) as ledger:
        ledger.extend(stage, later)
    with Ledger.open(tmp_path / "r") as ledger:
        back = ledger.read()
    assert back.stages == (stage,)
    assert back.follow_up_stage == stage
    assert {one.name for one in back.plan.cells} == {one.name for one in of.plan.cells}
    assert {one.name: one.works for one in back.environments} == {one.name: True for one in of.plan.environments}
    assert [back.stage_of(trial) for trial in back.planned] == [1] * begin + [2] * len(later)
