"""What is promised of effects, against known truth: 500 repetitions each, with noise of many kinds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from tests.analysis.effects.known_effects import CASES, NOISE, Case, Floats, full, repeat, white
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL

REPETITIONS = 500
MARGIN = 0.05


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_claimed_where_nothing_is_and_intervals_hold_the_truth(case: str, noise: str) -> None:
    shown = repeat(CASES[case], noise, repetitions=REPETITIONS)
    alarms = sum(
        any(one.verdict is Influence.INFLUENCE for one in shown.claimed(number)) for number in range(REPETITIONS)
    )
    assert alarms / REPETITIONS <= 0.05
    assert 0.93 <= shown.holds.mean() <= 0.97


@pytest.mark.parametrize("noise", ["white", "AR 0.8", "all"])
def test_trials_that_fail_and_starts_that_differ_change_nothing(noise: str) -> None:
    for case in ("2x2x2", "2x3x4"):
        shown = repeat(CASES[case], noise, repetitions=REPETITIONS, lost=0.08, starts=0.05)
        assert 0.93 <= shown.holds.mean() <= 0.97
        alarms = [min(shown.zero[:, number]) * len(shown.names) < 0.02 for number in range(REPETITIONS)]
        assert np.mean(alarms) <= 0.05


@pytest.mark.parametrize("noise", NOISE)
def test_two_factors_of_eight_and_one_interaction_are_found_and_nothing_else(noise: str) -> None:
    case = CASES["eight"]
    plain = repeat(case, noise, repetitions=REPETITIONS)
    # The power that is stated before a campaign: by the blocks alone, at the first step of Holm's adjustment.
    freedom = case.blocks - 1
    times = _quantile(1 - CLAIM_LEVEL / len(plain.names) / 2, freedom) + _quantile(0.9, freedom)
    error = dict(zip(plain.names, np.median(plain.error, axis=1).tolist(), strict=True))
    truth = {"a": times * error["a"], "b": -times * error["b"], "a:b": times * error["a:b"]}
    shown = repeat(case, noise, truth, repetitions=REPETITIONS, seed=2, margin=0.001)
    found = dict.fromkeys(truth, 0)
    wrong = 0
    for number in range(REPETITIONS):
        verdicts = dict(zip(shown.names, shown.claimed(number), strict=True))
        for name in truth:
            found[name] += verdicts[name].verdict is Influence.INFLUENCE
        wrong += any(one.verdict is Influence.INFLUENCE for name, one in verdicts.items() if name not in truth)
    assert min(found.values()) / REPETITIONS >= 0.9
    assert wrong / REPETITIONS <= 0.05


@pytest.mark.parametrize("noise", NOISE)
def test_no_influence_is_said_wrongly_at_most_once_in_twenty(noise: str) -> None:
    """Effects exactly at the margin: one of all, and all of them."""
    case = CASES["2x3x4"]
    names = repeat(case, noise, repetitions=10, orders=1).names
    for truth in ({names[0]: math.log1p(MARGIN)}, dict.fromkeys(names, math.log1p(MARGIN))):
        for spread in (0.01, 0.05):
            shown = repeat(case, noise, truth, repetitions=REPETITIONS, spread=spread, margin=MARGIN)
            wrong = sum(
                any(
                    claim.verdict is Influence.NONE
                    for name, claim in zip(names, shown.claimed(number), strict=True)
                    if name in truth
                )
                for number in range(REPETITIONS)
            )
            assert wrong / REPETITIONS <= 0.05 + 0.02  # 0.02: two standard errors of 500 draws
            if spread == 0.01 and noise == "white" and len(truth) == 1:
                idle = [one.verdict for one in shown.claimed(0)[1:]]
                assert idle.count(Influence.NONE) > len(idle) / 2, "and it is said at all"


def test_an_effect_that_changes_from_block_to_block_has_the_interval_that_takes() -> None:
    """The effect of one factor varies as much as the noise; the errors of the other effects are as before."""

    case = Case([2, 2, 2], full([2, 2, 2]), 8)
    level, block = case.ordered(np.random.default_rng(1000))  # as `repeat` does for its first order

    def varying(rng: np.random.Generator, trials: int, repetitions: int) -> Floats:
        own = rng.standard_normal((case.blocks, repetitions))
        return white(rng, trials, repetitions) + np.where(level[:, [0]] == 1, 0.5, -0.5) * own[block]

    shown = repeat(case, varying, repetitions=REPETITIONS, orders=1)
    covered = dict(zip(shown.names, shown.holds.mean(axis=1), strict=True))
    assert covered["a"] >= 0.92
    assert all(held >= 0.93 for held in covered.values())


def _quantile(p: float, freedom: float) -> float:
    return float(special.stdtrit(freedom, p))
