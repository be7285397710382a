"""Campaigns that are made of blocks of real ones, and what the plan of a campaign is."""

import random

import pytest

from bench.timing.truths import plan_text, resampled, verdicts
from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.model import Campaign, Verdict


def simulated(seed: int, slower: float) -> Campaign:
    def noise(_block: int, _time: float, rng: object) -> float:
        return float(rng.normal(0, 0.001))  # type: ignore[attr-defined]

    places = [Place("native"), Place("the same"), Place("more", efficiency={"": 1 / (1 + slower)})]
    return simulate(places, [Work("loop")], blocks=6, noise=noise, seed=seed)


def _values(campaign: Campaign, block: int) -> tuple[float, ...]:
    records = [record for record in campaign.trials if record.trial.block == block]
    return tuple(sorted(one.scored.value for record in records for one in record.scored))


def test_a_resampled_campaign_has_whole_blocks_of_real_ones_once_each() -> None:
    some = [simulated(seed, 0.03) for seed in range(3)]
    found = resampled(some, random.Random(1))
    blocks = [record.trial.block for record in found.trials]
    assert sorted(set(blocks)) == list(range(6)) and len(found.trials) == len(some[0].trials)
    assert [record.trial.index for record in found.trials] == list(range(len(found.trials)))
    real = [{_values(one, block) for block in range(6)} for one in some]
    drawn = [_values(found, block) for block in range(6)]
    assert len(set(drawn)) == 6 and all(any(one in of for of in real) for one in drawn)


@pytest.mark.parametrize(("slower", "expected"), [(0.2, Verdict.SLOWER), (0.0, Verdict.EQUIVALENT)])
def test_its_verdict_is_that_of_the_analysis(slower: float, expected: Verdict) -> None:
    some = [simulated(seed, slower) for seed in range(3)]
    found = verdicts(resampled(some, random.Random(2)))
    assert found["more"][0] is expected
    assert found["the same"][0] is Verdict.EQUIVALENT
    assert found["more"][1] == pytest.approx(1 / (1 + slower), rel=0.01)


def test_the_plan_has_a_loop_that_takes_turns() -> None:
    text = plan_text(["/bin/true", "7"], 30.0, 0.01, 0.03)
    assert "scheduling: continuous" not in text and "extra: 0.03" in text
