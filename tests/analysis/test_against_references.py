"""Every method against an independent implementation, and properties that hold for any data."""

import gc
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

from virtometer.analysis import difference, equivalence, holm, precision
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.model import MIN_BLOCKS

logs = st.lists(st.floats(-3, 3), min_size=2, max_size=40).filter(lambda xs: np.std(xs) > 1e-6)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def summarised(values: list[float]) -> Spread:
    found = spread(values)
    assert found is not None
    return found


@given(logs, st.sampled_from([0.8, 0.95, 0.99]))
@settings(deadline=None)
def test_interval_is_the_one_of_scipy(values: list[float], level: float) -> None:
    found = estimate(summarised(values), level)
    assert found is not None and found.n == len(values)
    assert found.value == pytest.approx(stats.gmean(np.exp(values)), rel=1e-9)
    if len(values) < MIN_BLOCKS:
        assert found.low is None and found.high is None
        return
    low, high = stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values))
    assert found.low == pytest.approx(math.exp(low), rel=1e-6)
    assert found.high == pytest.approx(math.exp(high), rel=1e-6)


@given(logs)
@settings(deadline=None)
def test_difference_is_the_t_test_of_scipy(values: list[float]) -> None:
    expected = stats.ttest_1samp(values, 0).pvalue
    assert difference.p_value(summarised(values)) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(logs, st.floats(0.001, 0.9))
@settings(deadline=None)
def test_equivalence_is_the_tost_of_statsmodels(values: list[float], margin: float) -> None:
    edge = math.log(1 + margin)
    expected = DescrStatsW(values).ttost_mean(-edge, edge)[0]
    assert equivalence.p_value(summarised(values), margin) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(logs, st.floats(0.01, 0.5))
@settings(deadline=None)
def test_equivalence_is_the_90_percent_interval_inside_the_margins(values: list[float], margin: float) -> None:
    of = summarised(values)
    assume(of.n >= MIN_BLOCKS)
    p, inside = equivalence.p_value(of, margin), estimate(of, 0.9)
    assert p is not None and inside is not None and inside.low is not None and inside.high is not None
    assume(abs(p - 0.05) > 1e-9)
    assert (p < 0.05) == (1 / (1 + margin) < inside.low and inside.high < 1 + margin)


@pytest.fixture(scope="module")
def frozen() -> Iterator[None]:
    """multipletests collects garbage at each call: what is there already need not be looked at."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen")
@given(p_values)
@settings(deadline=None)
def test_holm_is_the_one_of_statsmodels(values: list[float]) -> None:
    assert holm.adjust(values) == pytest.approx(multipletests(values, method="holm")[1].tolist(), abs=1e-12)


@given(p_values, st.randoms())
@settings(deadline=None)
def test_holm_does_not_depend_on_the_order(values: list[float], random: object) -> None:
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    adjusted = holm.adjust(values)
    assert holm.adjust([values[i] for i in order]) == pytest.approx([adjusted[i] for i in order], abs=1e-15)
    assert all(a >= p for a, p in zip(adjusted, values, strict=True))


def test_the_level_faced_is_what_holm_compares_the_first_unclaimed_with() -> None:
    assert holm.level_faced(holm.adjust([0.001, 0.3, 0.9]), 0.05) == 0.05 / 2
    assert holm.level_faced(holm.adjust([0.3]), 0.05) == 0.05
    assert holm.level_faced([], 0.05) == 0.05


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
@settings(deadline=None)
def test_what_is_detectable_has_80_percent_power(values: list[float], level: float) -> None:
    of = summarised(values)
    edge = precision.detectable(of, level)
    assert edge is not None
    assert precision.difference_power(math.log1p(edge), of.sd, of.n, level) == pytest.approx(0.8, abs=1e-4)


@given(st.floats(-0.2, 0.2), st.floats(0.001, 0.5), st.integers(2, 60))
@settings(deadline=None)
def test_the_blocks_needed_are_the_least_that_decide(mean: float, sd: float, n: int) -> None:
    of, edge = Spread(mean, sd, n), math.log(1.05)
    needed = precision.blocks_needed(of, edge, 0.01)

    def power(blocks: int) -> float:
        return max(
            precision.equivalence_power(mean, sd, blocks, edge), precision.difference_power(mean, sd, blocks, 0.01)
        )

    if needed is None:
        assert power(precision.MAX_BLOCKS) < 0.8
        return
    assert needed >= max(MIN_BLOCKS, n + 1)
    assert power(needed) >= 0.8
    assert needed == max(MIN_BLOCKS, n + 1) or power(needed - 1) < 0.8


@pytest.mark.parametrize("mean", [0.0, 0.03, -0.5])
def test_no_spread_at_all_is_certainty_and_not_a_division_by_zero(mean: float) -> None:
    of = summarised([mean] * 8)
    assert difference.p_value(Spread(mean, 0.0, 8)) == (1.0 if mean == 0 else 0.0)
    assert equivalence.p_value(Spread(mean, 0.0, 8), 0.05) == (0.0 if abs(mean) < 0.04 else 1.0)
    assert precision.detectable(Spread(mean, 0.0, 8), 0.02) == 0.0
    assert precision.blocks_needed(Spread(mean, 0.0, 8), math.log(1.05), 0.02) == 9
    found = estimate(of)
    assert found is not None and found.low == pytest.approx(found.high)


def test_too_few_blocks_give_no_p_value() -> None:
    assert spread([]) is None
    assert estimate(None) is None
    assert difference.p_value(summarised([0.1])) is None
    assert equivalence.p_value(summarised([0.1]), 0.05) is None
    assert precision.blocks_needed(summarised([0.1]), 0.05, 0.02) == MIN_BLOCKS


@given(st.floats(0, 60), st.floats(0.5, 60), st.integers(1, 2000))
@settings(deadline=None)
def test_the_noncentral_t_stays_a_probability_far_out(centre: float, t: float, df: int) -> None:
    found = precision.noncentral(df, centre, t)
    assert 0.0 <= found <= 1.0
    expected = stats.nct.cdf(t, df, centre)
    if centre < 30 and not np.isnan(expected):  # scipy has no value for some tiny centres
        assert found == pytest.approx(expected, abs=1e-6)
