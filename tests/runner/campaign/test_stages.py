"""Further blocks: what is fixed from the first ones, and that it is measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.analysis import sequential_campaign as sequential
from tests.analysis.factor_campaigns import disk_campaign
from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate, trials_of
from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from virtometer.analysis.stopping.rule import Allotment
from virtometer.model import Campaign, Failure, FailureKind, Mark, MarkKind
from virtometer.runner.campaign import stages
from virtometer.runner.campaign.execute import begin, resume
from virtometer.runner.campaign.stages import next_stage
from virtometer.store.ledger import Ledger

NATIVE, BOX, SLOW = Place("native"), Place("box", "runc"), Place("slow", "runc", {"": 0.3})
WORK = Work()


def campaign(noise: float = 0.04, **more: Any) -> Campaign:
    return simulate([NATIVE, BOX, SLOW], noise=gaussian(noise), blocks=6, control=True, **more)


def test_a_plan_without_a_rule_has_no_further_stage() -> None:
    assert next_stage(campaign()) is None


def test_what_is_undecided_goes_on_with_the_baseline_and_what_is_decided_does_not() -> None:
    found = next_stage(campaign(budget_s=10_000.0))
    assert found is not None
    stage, trials = found
    assert set(stage.blocks) == {(WORK.name, "box")}
    assert stage.beyond == {}
    more = stage.blocks[WORK.name, "box"]
    assert stage.trials == len(trials) == 3 * more
    assert stage.first_trial == trials[0].index == 6 * 4
    assert {trial.placements[0].environment for trial in trials} == {"native", "box"}
    assert {trial.block for trial in trials} == set(range(6, 6 + more))


def test_what_the_budget_does_not_reach_is_named_with_its_time() -> None:
    found = next_stage(campaign(budget_s=1.0))
    assert found is not None
    stage, trials = found
    assert (stage.blocks, stage.trials, trials) == ({}, 0, ())
    seconds = stage.beyond[WORK.name, "box"]
    assert seconds is not None
    assert seconds > 0
    assert stage.limit == "a budget of 1 s"


def test_what_cannot_run_here_gets_no_blocks_and_a_failed_block_is_made_up_for() -> None:
    places = [NATIVE, BOX, Place("gone", works=False)]
    lost = next(trial.index for trial in simulate(places, blocks=6).planned if trial.placements[0].environment == "box")
    failed = simulate(
        places,
        noise=gaussian(0.001),
        blocks=6,
        budget_s=10_000.0,
        fail={lost: Failure(FailureKind.GUEST, "it ended", 0)},
    )
    found = next_stage(failed)
    assert found is not None
    assert found[0].blocks == {(WORK.name, "box"): 1}
    assert found[0].beyond == {}


def test_a_stage_is_fixed_once() -> None:
    before = campaign(budget_s=10_000.0)
    found = next_stage(before)
    assert found is not None
    extended = Campaign(**{name: getattr(before, name) for name in Campaign.__slots__} | {"stages": (found[0],)})
    assert next_stage(extended) is None


def test_more_blocks_are_at_most_so_many_and_take_no_rule_in_the_plan() -> None:
    found = next_stage(campaign(0.02), more=40)
    assert found is not None
    assert 0 < found[0].blocks[WORK.name, "box"] <= 40
    found = next_stage(campaign(0.5), more=1)
    assert found is not None
    assert found[0].blocks == {}, "nothing can be decided by one further block"
    assert found[0].beyond[WORK.name, "box"] is None


def test_a_comparison_on_a_busy_host_gets_blocks_only_where_the_user_wishes_for_them() -> None:
    busy = (Mark(MarkKind.FOREIGN, "other programs used 1.50 processors"),)
    own = trials_of(campaign(), "box")[:4]
    made = campaign(budget_s=10_000.0, marks=dict.fromkeys(own, busy))
    found = next_stage(made)
    assert found is not None and found[0].blocks == {} and found[0].beyond == {}
    found = next_stage(campaign(budget_s=10_000.0, marks=dict.fromkeys(own[:3], busy)))
    assert found is not None and set(found[0].blocks) == {(WORK.name, "box")}
    found = next_stage(made, more=3)
    assert found is not None and found[0].blocks == {(WORK.name, "box"): 3}
    everywhere = dict.fromkeys(trials_of(campaign(), "native"), busy)
    found = next_stage(campaign(marks=everywhere), more=3)
    assert found is not None and set(found[0].blocks.values()) == {3} and len(found[0].blocks) == 2


def test_a_precision_is_a_goal_of_every_comparison() -> None:
    found = next_stage(campaign(0.02, precision=0.02))
    assert found is not None
    assert set(found[0].blocks) == {(WORK.name, "box"), (WORK.name, "slow")}
    found = next_stage(campaign(0.001, precision=0.02))
    assert found is not None
    assert found[0].blocks == {}


def test_the_stage_is_measured_and_kept(make_plan: MakePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two: list[Document] = [{"name": "linpack", "workload": "linpack", "op": "classic", "parameters": {"size": 50}},
           {"name": "calls", "workload": "os", "op": "system-call"}]  # fmt: skip
    plan = make_plan(
        [{"name": "native", "kind": "native"}, {"name": "other", "kind": "native"}],
        two, blocks=2, control=True, fresh="block", budget_s=60,
    )  # fmt: skip
    key = ("calls", "other")
    monkeypatch.setattr(stages, "allot", lambda *_, **__: Allotment({key: 3, ("linpack", "other"): 2}, {}))
    watcher = Watcher()
    done = begin(resolved(plan), "", tmp_path / "r", 1, watcher)
    (stage,) = done.stages
    assert watcher.extensions == [stage]
    assert stage.blocks == {key: 1}
    assert len(done.planned) == len(done.trials) == 2 * 6 + 3
    later = [record.trial for record in done.trials if record.trial.block == 2]
    assert sorted((trial.guests[0].environment, trial.guests[0].number) for trial in later) == [
        ("native", 1), ("native", 2), ("other", 1)
    ]  # fmt: skip
    assert {trial.placements[0].workload for trial in later} == {"calls"}
    with Ledger.open(tmp_path / "r") as ledger:
        assert ledger.read() == done
    assert resume(tmp_path / "r", Watcher()) == done, "nothing is left to do"
    monkeypatch.setattr(stages, "allot", lambda *_, **__: Allotment({key: 5}, {}))
    more = resume(tmp_path / "r", Watcher(), more=2)
    assert [one.blocks for one in more.stages] == [{key: 1}, {key: 2}]
    assert len(more.trials) == len(done.trials) + 6


def with_factors(noise: float = 0.05, **more: object) -> Campaign:
    of = disk_campaign(blocks=6, noise=gaussian(noise))
    return replace(of, plan=of.plan.model_copy(update={"fresh": "block", **more}))


def test_effects_go_on_with_all_combinations_of_a_workload() -> None:
    found = next_stage(with_factors(budget_s=100_000.0))
    assert found is not None
    stage, trials = found
    workloads = {workload for workload, _ in stage.blocks}
    assert workloads <= {"random read", "sequential read"} and workloads
    assert stage.beyond == {}
    for workload in workloads:
        cells = {name: count for (one, name), count in stage.blocks.items() if one == workload}
        assert len(cells) == 7, "of eight combinations the reference is always there"
        assert len(set(cells.values())) == 1
    assert stage.trials == len(trials)
    assert {trial.placements[0].environment for trial in trials} == {one.name for one in with_factors().plan.cells}


def test_a_precision_of_effects_is_that_of_the_widest() -> None:
    found, finer = next_stage(with_factors(0.02, precision=0.03)), next_stage(with_factors(0.02, precision=0.02))
    assert found is not None and finer is not None
    most, more = (max(stage.blocks.values(), default=0) for stage, _ in (found, finer))
    assert 0 < most < more <= 9 * 6
    beyond = next_stage(with_factors(0.02, precision=0.002))
    assert beyond is not None
    assert beyond[0].blocks == {} and beyond[0].beyond["random read", "aio:cache"] is None
    quiet = next_stage(with_factors(0.001, precision=0.03))
    assert quiet is not None and quiet[0].blocks == {}


def test_effects_that_the_budget_does_not_reach_are_named_by_their_terms() -> None:
    found = next_stage(with_factors(0.2, budget_s=1.0))
    assert found is not None
    stage, trials = found
    assert (stage.blocks, trials) == ({}, ())
    assert ("sequential read", "aio:cache") in stage.beyond
    assert all(seconds is None or seconds > 0 for seconds in stage.beyond.values())


def test_more_blocks_of_a_sequential_design_are_of_its_second_stage() -> None:
    of = sequential.campaign(noise=0.1, blocks=6)
    of = replace(of, plan=of.plan.model_copy(update={"fresh": "block", "precision": 0.05}))
    found = next_stage(of)
    assert found is not None
    stage, trials = found
    assert of.follow_up_stage is not None and of.follow_up_stage.follow_up is not None
    assert {trial.placements[0].environment for trial in trials} == set(of.follow_up_stage.follow_up.cells)
    assert min(trial.block for trial in trials) == 12
    extended = replace(of, stages=(*of.stages, stage))
    assert not stages.has_next(extended)
    assert stages.has_next(replace(of, stages=()))


def test_environments_beside_the_factors_go_on_as_comparisons() -> None:
    of = with_factors(0.05, budget_s=100_000.0)
    other = of.plan.cells[-1]
    environments = [
        one if one is not other else one.model_copy(update={"levels": {}, "of": ""}) for one in of.plan.environments
    ]
    found = next_stage(replace(of, plan=of.plan.model_copy(update={"environments": environments})))
    assert found is not None
    counts = {count for (workload, name), count in found[0].blocks.items() if name != other.name}
    assert counts
    own = {count for (workload, name), count in found[0].blocks.items() if name == other.name}
    assert own and own != counts
