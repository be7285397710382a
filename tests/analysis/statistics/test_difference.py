"""The paired t test against scipy's."""

import pytest
from hypothesis import given
from scipy import stats

from tests.analysis.logarithms import logs, summarised
from virtometer.analysis.statistics import difference
from virtometer.analysis.statistics.spread import Spread


@given(logs)
def test_difference_is_the_t_test_of_scipy(values: list[float]) -> None:
    expected = stats.ttest_1samp(values, 0).pvalue
    assert difference.p_value(summarised(values)) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_the_p_of_student_s_own_data() -> None:
    """Additional hours of sleep of ten patients (Student 1908): p = 0.002833."""
    of = summarised([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert difference.p_value(of) == pytest.approx(0.00283289, rel=1e-5)


def test_one_block_gives_no_p() -> None:
    assert difference.p_value(summarised([0.1])) is None


@pytest.mark.parametrize("mean", [0.0, 0.03, -0.5, 1e-300])
def test_no_spread_at_all_is_certainty(mean: float) -> None:
    assert difference.p_value(Spread(mean, 0.0, 8)) == (1.0 if mean == 0 else 0.0)


@given(logs)
def test_turning_the_comparison_round_does_not_change_p(values: list[float]) -> None:
    assert difference.p_value(summarised(values)) == difference.p_value(summarised([-one for one in values]))
