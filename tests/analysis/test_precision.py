"""Power against statsmodels and a simulation, and the forecasts that are made of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from tests.analysis.logarithms import logs, summarised
from virtometer.analysis import difference, equivalence, precision
from virtometer.analysis.interval import Spread
from virtometer.model import MIN_BLOCKS


@pytest.mark.parametrize("n", [6, 8, 12, 40, 400])
@pytest.mark.parametrize("size", [0.05, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("level", [0.05, 0.02, 0.001])
def test_power_of_the_difference_is_that_of_statsmodels(n: int, size: float, level: float) -> None:
    # Ours leaves out the chance of a claim in the wrong direction, which is worth at most half the level.
    expected = TTestPower().power(size, n, level, alternative="two-sided")
    found = precision.difference_power(size * 0.1, 0.1, n, level)
    if math.isnan(expected):  # statsmodels gives up where the wrong tail is too far out; that tail is 0
        expected = stats.nct.sf(stats.t.ppf(1 - level / 2, n - 1), n - 1, size * math.sqrt(n))
    assert found <= expected + 1e-9
    assert found == pytest.approx(expected, abs=level / 2 + 1e-9)


@pytest.mark.parametrize(("n", "sd", "shift"), [(6, 0.03, 0.0), (8, 0.05, 0.01), (12, 0.04, -0.02), (30, 0.1, 0.0)])
def test_power_of_equivalence_is_what_a_simulation_finds(n: int, sd: float, shift: float) -> None:
    rng = np.random.default_rng(11)
    edge = math.log(1.05)
    draws = rng.normal(shift, sd, size=(20_000, n))
    error = draws.std(axis=1, ddof=1) / math.sqrt(n)
    reach = stats.t.ppf(0.95, n - 1) * error
    simulated = np.mean(np.abs(draws.mean(axis=1)) + reach < edge)
    found = precision.equivalence_power(shift, sd, n, edge)
    assert found <= simulated + 0.012  # a lower bound, and a tight one where it matters
    if simulated > 0.5:
        assert found == pytest.approx(simulated, abs=0.015)


@given(logs.filter(lambda xs: len(xs) >= MIN_BLOCKS), st.floats(0.0001, 0.05))
def test_what_is_detectable_has_80_percent_power(values: list[float], level: float) -> None:
    of = summarised(values)
    edge = precision.detectable(of, level)
    assert edge is not None
    assert precision.difference_power(math.log1p(edge), of.sd, of.n, level) == pytest.approx(0.8, abs=1e-4)


@given(st.floats(-0.2, 0.2), st.floats(0.001, 0.5), st.integers(2, 60))
def test_the_blocks_needed_are_the_least_that_decide(mean: float, sd: float, n: int) -> None:
    of, edge = Spread(mean, sd, n), math.log(1.05)
    needed = precision.blocks_needed(of, edge, 0.01)

    def power(blocks: int) -> float:
        shift = precision.shrunken(of)
        return max(
            precision.equivalence_power(shift, sd, blocks, edge), precision.difference_power(shift, sd, blocks, 0.01)
        )

    if needed is None:
        assert power(precision.MAX_BLOCKS) < 0.8
        return
    assert needed >= max(MIN_BLOCKS, n + 1)
    assert power(needed) >= 0.8
    assert needed == max(MIN_BLOCKS, n + 1) or power(needed - 1) < 0.8


@pytest.mark.parametrize("mean", [0.0, 0.03, -0.5])
def test_no_spread_at_all_is_certainty_and_not_a_division_by_zero(mean: float) -> None:
    assert precision.detectable(Spread(mean, 0.0, 8), 0.02) == 0.0
    assert precision.blocks_needed(Spread(mean, 0.0, 8), math.log(1.05), 0.02) == 9
    assert precision.difference_power(mean, 0.0, 8, 0.02) == (0.02 if mean == 0 else 1.0)
    assert precision.equivalence_power(mean, 0.0, 8, math.log(1.05)) == (1.0 if abs(mean) < 0.04 else 0.0)


def test_below_the_least_number_of_blocks_nothing_is_forecast_from_their_spread() -> None:
    assert precision.blocks_needed(summarised([0.1]), 0.05, 0.02) == MIN_BLOCKS
    assert precision.detectable(Spread(0.0, 0.1, MIN_BLOCKS - 1), 0.02) is None
    assert precision.detectable(Spread(0.0, 0.1, MIN_BLOCKS), 0.02) is not None


def test_the_forecast_from_a_shrunken_ratio_is_nearer_to_the_truth() -> None:
    """Campaigns of 7 blocks whose truth is known: what was forecast, over what the truth takes.

    Two in five ratios are within half a percent of 1, the others anywhere near or far.
    """
    rng, edge, level, blocks = np.random.default_rng(3), math.log(1.05), 0.02 / 12, 7
    shrunken: list[float] = []
    measured: list[float] = []
    while len(shrunken) < 500:
        near, spread_out = rng.normal(0, 0.005), rng.normal(0, 0.05)
        true = near if rng.random() < 0.4 else spread_out if rng.random() < 0.5 else rng.uniform(-0.5, 0.1)
        sd = math.exp(rng.uniform(math.log(0.01), math.log(0.15)))
        of = summarised(list(rng.normal(true, sd, blocks)))
        if equivalence.p_value(of, 0.05) < 0.05 or difference.p_value(of) < level:  # type: ignore[operator]
            continue
        take = least_with(true, sd, edge, level)
        found = precision.blocks_needed(of, edge, level) or precision.MAX_BLOCKS
        shrunken.append(math.log2(found / take))
        measured.append(math.log2(least_with(of.mean, of.sd, edge, level) / take))
    better, worse = np.array(shrunken), np.array(measured)
    assert 0.85 <= 2 ** np.median(better) <= 1.15
    assert 2 ** np.median(worse) >= 1.15
    assert (better > 2).mean() <= 0.03 < (worse > 2).mean()
    assert np.abs(better).mean() <= 0.85 * np.abs(worse).mean()
    assert 2 ** np.quantile(better, 0.1) >= 0.35
    assert 2 ** np.quantile(better, 0.9) <= 2.5


def least_with(mean: float, sd: float, edge: float, level: float) -> int:
    """Blocks that decide a known ratio and spread with 80 % power, at least 8."""

    def decides(n: int) -> bool:
        alike = precision.equivalence_power(mean, sd, n, edge)
        return alike >= 0.8 or precision.difference_power(mean, sd, n, level) >= 0.8

    return precision.least_blocks(decides, 8) or precision.MAX_BLOCKS


def test_a_mean_within_its_error_shrinks_to_nothing_and_a_clear_one_hardly() -> None:
    assert precision.shrunken(Spread(0.01, 0.08, 16)) == 0.0
    assert precision.shrunken(Spread(0.0, 0.08, 16)) == 0.0
    assert precision.shrunken(Spread(-0.04, 0.08, 16)) == pytest.approx(-0.03)
    assert precision.shrunken(Spread(1.0, 0.08, 16)) == pytest.approx(0.9996)
    assert precision.shrunken(Spread(0.3, 0.0, 6)) == 0.3


@given(st.floats(-1, 1), st.floats(0, 1), st.integers(2, 50))
def test_shrinking_never_turns_a_mean_round_nor_makes_it_larger(mean: float, sd: float, n: int) -> None:
    found = precision.shrunken(Spread(mean, sd, n))
    assert found * mean >= 0
    assert abs(found) <= abs(mean)


def test_a_medium_effect_takes_34_pairs_for_80_percent() -> None:
    """d = 0.5 at 5 %, two-sided: G*Power has 0.8078 for 34 pairs and less than 0.8 for 33."""
    assert precision.difference_power(0.5, 1.0, 34, 0.05) == pytest.approx(0.8078, abs=1e-4)
    assert precision.difference_power(-0.5, 1.0, 33, 0.05) < 0.8


def test_more_blocks_than_a_plan_may_have_are_not_asked_for() -> None:
    assert precision.blocks_needed(Spread(1e-6, 5.0, 8), 1e-5, 0.02) is None
    assert precision.blocks_needed(Spread(math.log(1.05), 0.1, 800), math.log(1.05), 0.02) is not None


def test_a_difference_beyond_all_numbers_is_not_told() -> None:
    assert precision.detectable(Spread(0.0, 1e4, 8), 0.02) is None


def test_at_or_beyond_the_limit_nothing_is_equivalent() -> None:
    assert precision.equivalence_power(0.05, 0.01, 100, 0.05) == 0.0
    assert precision.equivalence_power(-0.06, 0.0, 100, 0.05) == 0.0


@given(st.floats(0, 60), st.floats(0.5, 60), st.integers(1, 2000))
def test_the_noncentral_t_stays_a_probability_far_out(centre: float, t: float, df: int) -> None:
    found = precision.noncentral(df, centre, t)
    assert 0.0 <= found <= 1.0
    expected = stats.nct.cdf(t, df, centre)
    if centre < 30 and not np.isnan(expected):  # scipy has no value for some tiny centres
        assert found == pytest.approx(expected, abs=1e-6)
