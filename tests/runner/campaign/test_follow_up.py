"""A sequential design, executed: the second stage is fixed once, measured, kept, and goes on after a kill."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis import sequential_campaign as sequential
from tests.design.reading import parsed
from tests.runner.fixtures import Watcher, resolved
from virtometer.analysis import analyse
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.errors import Interrupted
from virtometer.model import Campaign, Plan, Screened, Why
from virtometer.runner.campaign import follow_up
from virtometer.runner.campaign.execute import begin, resume
from virtometer.runner.campaign.follow_up import second_stage
from virtometer.store.ledger import Ledger

PLAN = """\
virtometer: 1
name: sequential
environments:
  - {name: box, kind: native}
factors:
  - {name: first, levels: {this: {}, that: {}}}
  - {name: second, levels: {this: {}, that: {}, other: {}}}
design: {type: sequential}
workloads:
  - {name: calls, workload: os, op: system-call}
blocks: 2
seconds: 0.02
fresh: block
"""


@pytest.fixture
def plan() -> Plan:
    return parsed(PLAN)


def keeping(*names: str) -> Callable[..., tuple[Screened, ...]]:
    """What the first stage would say where these factors matter."""

    def found(factors: Sequence[str], *_: object) -> tuple[Screened, ...]:
        return tuple(
            Screened(one, Why.MATTERS if one in names else Why.IDLE, "calls", "that", -1.0, 9.0) for one in factors
        )

    return found


def test_the_stage_has_what_the_first_one_keeps() -> None:
    of = sequential.first_stage()
    of = replace(of, plan=of.plan.model_copy(update={"fresh": "block"}))
    prepared: list[str] = []

    def prepare(larger: ResolvedPlan, names: Collection[str]) -> dict[str, tuple[str, str]]:
        assert larger.settings.keys() >= set(names)
        prepared.extend(names)
        return {prepared[0]: ("it does not work", "")}

    real = _with_settings(of)
    stage, trials = second_stage(real, prepare, Path())
    assert stage.follow_up is not None
    assert stage.follow_up.kept == sequential.KEPT
    assert len(stage.follow_up.cells) == 4
    assert len(prepared) == 2, "two of four were in the first stage"
    assert stage.follow_up.missing == {prepared[0]: ("it does not work", "")}
    assert stage.follow_up.blocks == 12
    assert prepared[0] not in {trial.placements[0].environment for trial in trials}
    assert stage.trials == len(trials) == 12 * 4, "the control as well"
    assert stage.first_trial == len(of.planned)
    assert trials[0].index == of.planned[-1].index + 1


def _with_settings(of: Campaign) -> Campaign:
    """Levels that set nothing: guests of the kind have no such settings."""
    factors = [
        factor.model_copy(update={"setting": None, "levels": {name: {} for name in factor.levels}})
        for factor in of.plan.factors
    ]
    environments = [one.model_copy(update={"kind": "native"}) for one in of.plan.environments]
    return replace(of, plan=of.plan.model_copy(update={"factors": factors, "environments": environments}))


def test_both_stages_are_measured_and_kept(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_up, "screened", keeping("second"))
    watcher = Watcher()
    done = begin(resolved(plan), PLAN, tmp_path / "r", 1, watcher)
    (stage,) = done.stages
    assert watcher.extensions == [stage]
    assert stage.follow_up is not None
    assert len(stage.follow_up.cells) == 3
    assert all(record.failure is None for record in done.trials)
    first = [trial for trial in done.planned if done.stage_of(trial) == 1]
    assert {trial.block for trial in first} == set(range(6))
    later = [trial for trial in done.planned if done.stage_of(trial) == 2]
    assert len(later) == stage.trials == stage.follow_up.blocks * 4
    assert {trial.placements[0].environment for trial in later} == set(stage.follow_up.cells)
    assert min(trial.block for trial in later) == 6
    assert len({guest.guest_id for guest in done.guests}) == len(done.guests) == len(done.trials)
    with Ledger.open(tmp_path / "r") as ledger:
        assert ledger.read() == done
    assert [name for name, _ in analyse(done).effects.factors] == ["second"]
    assert resume(tmp_path / "r", Watcher()) == done, "nothing is left to do"


@pytest.mark.parametrize(
    "after", [pytest.param(20, marks=pytest.mark.slow), 42, pytest.param(45, marks=pytest.mark.slow)]
)
def test_a_campaign_goes_on_in_either_stage(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """42: the first stage has ended, and the second is not fixed."""
    monkeypatch.setattr(follow_up, "screened", keeping("first"))
    watcher = Watcher()

    def interrupt() -> None:
        if len(watcher.records) == after:
            raise KeyboardInterrupt

    watcher.after_trial = interrupt
    with pytest.raises(Interrupted):
        begin(resolved(plan), PLAN, tmp_path / "r", 1, watcher)
    with Ledger.open(tmp_path / "r") as ledger:
        before = ledger.read()
    assert bool(before.stages) is (after > 42)
    done = resume(tmp_path / "r", Watcher())
    assert len(done.trials) == len(done.planned) == 42 + 18 * 3
    assert done.planned[: len(before.planned)] == before.planned
    assert done.trials[: len(before.trials)] == before.trials
    assert len(done.stages) == 1


def test_where_nothing_matters_there_is_no_second_stage(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow_up, "screened", keeping())
    done = begin(resolved(plan), PLAN, tmp_path / "r", 1, Watcher())
    (stage,) = done.stages
    assert stage.follow_up is not None
    assert not stage.follow_up.cells
    assert stage.trials == 0
    assert {done.stage_of(trial) for trial in done.planned} == {1}
    assert resume(tmp_path / "r", Watcher()) == done
