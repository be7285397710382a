"""The effects of a campaign in stages: which blocks they come from, and how strict they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis import sequential_campaign as sequential
from tests.analysis.factor_campaigns import disk_campaign
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.effects.claims import AlphaFactors, Influence
from virtometer.analysis.effects.in_stages import alpha_factors, effects_of
from virtometer.analysis.effects.of_campaign import experiment, second_experiment, stages
from virtometer.analysis.effects.screening import SHARE
from virtometer.analysis.stopping.rule import ALPHA_FACTOR
from virtometer.model import Stage, Why


def test_levels_are_stricter_in_stages_and_shared_between_two_designs() -> None:
    plain = disk_campaign()
    assert alpha_factors(plain) == AlphaFactors()
    by_rule = replace(plain, plan=plain.plan.model_copy(update={"budget_s": 60.0}))
    assert alpha_factors(by_rule) == AlphaFactors(ALPHA_FACTOR, ALPHA_FACTOR)
    longer = replace(plain, stages=(Stage("", 64, 0, {}, {}, ""),))
    assert alpha_factors(longer) == AlphaFactors(ALPHA_FACTOR, ALPHA_FACTOR)
    both = sequential.campaign()
    assert alpha_factors(both) == alpha_factors(both, first=True) == AlphaFactors(SHARE, 1.0)
    more = replace(both, stages=(*both.stages, Stage("", 999, 0, {}, {}, "")))
    assert alpha_factors(more) == AlphaFactors(SHARE * ALPHA_FACTOR, ALPHA_FACTOR)
    assert alpha_factors(more, first=True) == AlphaFactors(SHARE, 1.0)


def test_a_plan_whose_verdicts_are_about_typical_ratios_is_marked() -> None:
    plain = disk_campaign()
    typical = replace(plain, plan=plain.plan.model_copy(update={"verdict": "typical"}))
    assert not effects_of(plain, by_treatment(plain)).typical and effects_of(typical, by_treatment(typical)).typical


def test_before_the_second_stage_is_fixed_the_effects_are_those_of_the_first() -> None:
    found = analyse(sequential.first_stage()).effects
    assert found.first is None
    assert [name for name, _ in found.factors] == list(sequential.FACTORS)


def test_the_first_stage_keeps_what_matters() -> None:
    fates = {one.factor: one.why for one in sequential.what_is_kept(sequential.first_stage())}
    assert fates == {"aio": Why.MATTERS, "cache": Why.MATTERS, "bus": Why.IDLE, "dummy": Why.IDLE}


def test_the_second_stage_tells_of_the_kept_factors_from_its_own_blocks_alone() -> None:
    of = sequential.campaign()
    first, second = stages(of, by_treatment(of))
    assert {block for data in first.values() for block in data.values} == set(range(6))
    assert {block for data in second.values() for block in data.values} == set(range(6, 18))
    made = second_experiment(of, by_treatment(of))
    assert made is not None
    assert [one.name for one in made.variables] == ["aio", "cache"]
    assert made.promised == {"aio", "cache", "aio:cache"}
    found = analyse(of).effects
    read = found.metrics[0]
    assert {one.term: one.verdict for one in read.effects} == dict.fromkeys(
        ("aio", "cache", "aio:cache"), Influence.INFLUENCE
    )
    assert read.blocks == 12
    interaction = next(one for one in read.effects if one.term == "aio:cache")
    assert interaction.change.estimate.value == pytest.approx(10, abs=2)
    assert found.first is not None
    assert (found.first.cells, found.first.blocks) == (8, 6)
    own = [one for one in found.first.effects if one.metric == read.metric]
    assert {one.term for one in own} == {"bus", "dummy"}, "the pair of both stands for that of aio and cache"
    assert {one.verdict for one in own} == {Influence.NONE}


def test_without_anything_that_matters_the_first_stage_is_all() -> None:
    of = sequential.campaign(keeps=())
    assert second_experiment(of, by_treatment(of)) is None
    found = effects_of(of, by_treatment(of))
    assert found.first is not None
    assert not found.first.effects
    assert [name for name, _ in found.factors] == list(sequential.FACTORS)
    made = experiment(of, by_treatment(of))
    assert made is not None
    assert made.responses[0].blocks and max(made.responses[0].blocks) == 5


def test_a_later_block_that_fails_in_the_first_stage_is_missing_there_alone() -> None:
    of = sequential.campaign()
    lost = next(record.trial.index for record in of.trials if record.trial.block == 2)
    fewer = replace(of, trials=tuple(record for record in of.trials if record.trial.index != lost))
    assert analyse(fewer).effects.metrics[0].trials == analyse(of).effects.metrics[0].trials == 4 * 12
