"""Power against statsmodels and a simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from tests.analysis.logarithms import logs, summarised
from tests.analysis.powers import equivalence_power
from virtometer.analysis.statistics import precision
from virtometer.analysis.statistics.spread import Spread
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
    found = equivalence_power(shift, sd, n, edge)
    assert found <= simulated + 0.012  # a lower bound, and a tight one where it matters
    if simulated > 0.5:
        assert found == pytest.approx(simulated, abs=0.015)


@given(logs.filter(lambda xs: len(xs) >= MIN_BLOCKS), st.floats(0.0001, 0.05))
def test_what_is_detectable_has_80_percent_power(values: list[float], level: float) -> None:
    of = summarised(values)
    edge = precision.detectable(of, level)
    assert edge is not None
    assert precision.difference_power(math.log1p(edge), of.sd, of.n, level) == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("mean", [0.0, 0.03, -0.5])
def test_no_spread_at_all_is_certainty_and_not_a_division_by_zero(mean: float) -> None:
    assert precision.detectable(Spread(mean, 0.0, 8), 0.02) == 0.0
    assert precision.difference_power(mean, 0.0, 8, 0.02) == (0.02 if mean == 0 else 1.0)
    assert equivalence_power(mean, 0.0, 8, math.log(1.05)) == (1.0 if abs(mean) < 0.04 else 0.0)


def test_below_the_least_number_of_blocks_nothing_is_detectable() -> None:
    assert precision.detectable(Spread(0.0, 0.1, MIN_BLOCKS - 1), 0.02) is None
    assert precision.detectable(Spread(0.0, 0.1, MIN_BLOCKS), 0.02) is not None


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


def test_a_difference_beyond_all_numbers_is_not_reported() -> None:
    assert precision.detectable(Spread(0.0, 1e4, 8), 0.02) is None


def test_at_or_beyond_the_limit_nothing_is_equivalent() -> None:
    assert equivalence_power(0.05, 0.01, 100, 0.05) == 0.0
    assert equivalence_power(-0.06, 0.0, 100, 0.05) == 0.0


@given(st.floats(0, 60), st.floats(0.5, 60), st.integers(1, 2000))
def test_the_noncentral_t_stays_a_probability_far_out(centre: float, t: float, df: int) -> None:
    found = precision.noncentral(df, centre, t)
    assert 0.0 <= found <= 1.0
    expected = stats.nct.cdf(t, df, centre)
    if centre < 30 and not np.isnan(expected):  # scipy has no value for some tiny centres
        assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("blocks", [6, 10, 15])
def test_what_six_blocks_call_detectable_is_near_what_their_true_spread_allows(blocks: int) -> None:
    rng, sd = np.random.default_rng(8), 0.06
    truth = precision.detectable(Spread(0.0, sd, blocks), 0.02)
    draws = rng.normal(0, sd, (200, blocks)).std(axis=1, ddof=1)
    found = np.array([precision.detectable(Spread(0.0, float(one), blocks), 0.02) for one in draws]) / truth
    assert 0.8 <= np.median(found) <= 1.25
    assert np.quantile(found, 0.25) >= 0.5


def test_what_many_comparisons_of_so_many_blocks_detect_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    counted = precision.noncentral

    def noncentral(*of: float) -> float:
        nonlocal calls
        calls += 1
        return counted(*of)

    monkeypatch.setattr(precision, "noncentral", noncentral)
    found = [precision.detectable(Spread(0.0, sd / 1000, 11), 0.0123) for sd in range(1, 500)]
    assert calls < 60
    assert all(one is not None and other is not None and one < other for one, other in itertools.pairwise(found))
