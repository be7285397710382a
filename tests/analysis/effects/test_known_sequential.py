"""What is promised of sequential designs, against known truth: whole campaigns of both stages, 500 of each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.analysis.effects.known_effects import NOISE
from tests.analysis.effects.sequential_campaigns import NAMES, Outcome, Rule, noise_within_blocks, repeat, space_of
from virtometer.analysis.effects.screening import SHARE
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL
from virtometer.design.factorial.choice import term_of
from virtometer.design.factorial.power import power

EIGHT = Rule(space_of([2] * 8))
MIXED = Rule(space_of([3, 2, 2, 4, 2]))
SLOW = pytest.mark.slow
EVERY = [("AR 0.8", 150), ("all", 150), *(pytest.param(name, 500, marks=SLOW) for name in NOISE)]


def rate(of: list[Outcome], holds: list[bool]) -> float:
    return sum(holds) / len(of)


def error(level: float, draws: int) -> float:
    """Two standard errors of a simulated rate."""
    return 2 * math.sqrt(level * (1 - level) / draws)


def stated(rule: Rule, noise: float) -> tuple[float, float]:
    """The smallest effects that `plan show` promises, however many factors are kept: as logs, of both kinds."""
    mains, pairs = [rule.margin], [0.0]
    for count in range(2, len(rule.space.names) + 1):
        found = rule.second_cells(frozenset(NAMES[:count]))
        if found is None:
            break
        cells = [tuple(map(int, one[:count])) for one in found[0]]
        space = space_of(rule.space.sizes[:count])
        of = power(
            space, cells, [term_of(space, term) for term in found[1]], rule.second_blocks(len(cells)), noise,
            level=SHARE * CLAIM_LEVEL, probability=0.95,
        )  # fmt: skip
        mains.append(of.main)
        pairs.append(of.interaction or 0.0)
    return math.log1p(max(mains)), math.log1p(max(pairs))


@pytest.mark.parametrize(("noise", "count"), EVERY)
@pytest.mark.parametrize("rule", [EIGHT, pytest.param(MIXED, marks=SLOW)], ids=["eight", "mixed"])
def test_nothing_is_claimed_where_nothing_is(rule: Rule, noise: str, count: int) -> None:
    for spread in (0.03, 0.08):
        of = repeat(rule, noise, repetitions=count, seed=3, spread=spread)
        assert rate(of, [bool(one.claimed) for one in of]) <= 0.05 + error(0.05, len(of))
        held = [one for campaign in of for one in campaign.covered]
        assert not held or np.mean(held) >= 0.93 - 2 / math.sqrt(len(held))


@pytest.mark.parametrize(("noise", "count"), EVERY)
def test_two_factors_of_eight_and_their_interaction_are_found_and_nothing_else(noise: str, count: int) -> None:
    main, pair = stated(EIGHT, noise_within_blocks(EIGHT, noise))
    truth = {"a": main, "d": -main, "a:d": pair}
    of = repeat(EIGHT, noise, truth, repetitions=count, seed=4)
    for term in truth:
        assert rate(of, [term in one.claimed for one in of]) >= 0.9, term
    assert rate(of, [bool(one.claimed - truth.keys()) for one in of]) <= 0.05 + error(0.05, len(of))
    assert rate(of, [bool(one.idle & truth.keys()) for one in of]) <= 0.05 + error(0.05, len(of))
    held = [one for campaign in of for one in campaign.covered]
    assert 0.93 <= np.mean(held) <= 0.98


@pytest.mark.parametrize(("noise", "count"), EVERY)
def test_a_factor_that_reaches_the_margin_is_hardly_ever_dropped(noise: str, count: int) -> None:
    """Three factors exactly at the margin; `no influence` is then wrong of each."""
    edge = math.log1p(EIGHT.margin)
    truth = {"b": edge, "e": -edge, "h": edge}
    of = repeat(EIGHT, noise, truth, repetitions=count, seed=5, spread=0.03)
    dropped = np.mean([name not in one.kept for one in of for name in truth])
    assert dropped <= 0.025 + error(0.025, len(of) * len(truth))
    assert rate(of, [bool(one.idle & truth.keys()) for one in of]) <= 0.05 + error(0.05, len(of))


def test_an_interaction_without_main_effects_is_found_where_it_is_clear() -> None:
    of = repeat(EIGHT, "white", {"a:b": 0.3}, repetitions=100, seed=6, spread=0.03)
    assert rate(of, [{"a", "b"} <= one.kept for one in of]) >= 0.95, "all eight may make it, and one has no room"


def test_a_sequential_design_is_cheaper_than_all_interactions_at_once() -> None:
    """Eight factors, of which two matter: 64 cells of resolution V, in eight blocks, take 512 trials."""
    main, pair = stated(EIGHT, 0.05)
    of = repeat(EIGHT, "white", {"a": main, "d": -main, "a:d": pair}, repetitions=100, seed=7)
    assert np.mean([one.trials for one in of]) <= 0.5 * 512
