"""Time lost beyond the pace, and whether it is more than by chance."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.analysis.simulated_campaigns import Place, Work, in_rounds, simulate, with_runs
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.compare.lost_time import lengths, lost_share, p_value
from virtometer.analysis.notes.stalls import SlowSlices, slow_of
from virtometer.model import Run

BLOCKS, SLICES = 6, 31


def side(
    rng: np.random.Generator, guests: int = 1, stops: float = 0.0, long: float = 14.0
) -> dict[int, NDArray[np.float64]]:
    """Slices of noise, of which each is longer with some probability. long: how much, in usual slices."""
    made = {}
    for block in range(BLOCKS):
        usual = np.exp(rng.normal(0, 0.03, SLICES * guests))
        made[block] = usual + long * (rng.random(SLICES * guests) < stops)
    return made


@pytest.mark.parametrize("unit", ["B/s", "s"])
def test_slices_are_measured_by_the_median_of_their_own_guest_and_block(unit: str) -> None:
    campaign = simulate(
        [Place("native"), Place("box", efficiency={"": 0.5})],
        [Work(unit=unit, level=1e9 if unit == "B/s" else 1e-9)],
        blocks=6,
    )

    def put(run: Run) -> Run:
        value = run.scored.value
        rates = [(1 / value if unit == "s" else value) * factor for factor in (1, 1, 1, 1, 0.1)]
        return in_rounds(run, rates)

    of = lengths(by_treatment(with_runs(campaign, put))["memory triad 64 MB", "box"])
    assert list(of) == list(range(6))
    assert all(sorted(one.tolist()) == pytest.approx([1, 1, 1, 1, 10], rel=1e-3) for one in of.values())
    assert lost_share(of) == pytest.approx(9 / 5, rel=1e-3)
    assert slow_of(of) == SlowSlices(6, 30, 6, 6)


def test_noise_of_the_pace_is_no_loss() -> None:
    assert lost_share({0: np.array([1.0, 1.2, 0.8]), 1: np.array([1.0, 1.0, 2.5])}) == 1.5 / 6
    assert lost_share({}) == 0.0


def test_the_chance_is_that_of_the_permutations() -> None:
    """Three losses of one side, of a third of the slices: (1/3)^3 of all ways to share them out."""
    calm = {block: np.ones(60) for block in range(3)}
    own = {block: np.array([5.0] + [1.0] * 29) for block in range(3)}
    assert p_value(own, calm) == pytest.approx(1 / 27, rel=0.1)
    assert p_value(own, calm) == p_value(own, calm)
    assert p_value(calm, own) == p_value(calm, calm) == p_value({}, own) == 1.0


def test_equal_sides_seldom_differ_and_others_do() -> None:
    rng = np.random.default_rng(1)
    same = [p_value(side(rng, stops=0.04), side(rng, 2, stops=0.04)) for _ in range(200)]
    assert sum(p < 0.05 for p in same) <= 18
    more = [p_value(side(rng, stops=0.06, long=1.0), side(rng, 2, stops=0.002, long=1.0)) for _ in range(50)]
    assert sum(p < 0.01 for p in more) >= 40


def test_more_than_the_largest_losses_are_not_drawn() -> None:
    rng = np.random.default_rng(2)
    own, other = ({block: 1 + rng.exponential(1.0, 5_000) for block in range(4)} for _ in range(2))
    assert p_value(own, other) > 0.001
    assert slow_of(own).slices == 20_000
