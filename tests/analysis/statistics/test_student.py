"""The interval against scipy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.analysis.logarithms import logs, summarised
from virtometer.analysis.statistics.spread import Spread
from virtometer.analysis.statistics.student import interval, of_spread
from virtometer.model import MIN_BLOCKS


@given(logs, st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_is_the_one_of_scipy(values: list[float], level: float) -> None:
    found = interval(values, level)
    assert found is not None and found.n == len(values)
    assert found.value == pytest.approx(stats.gmean(np.exp(values)), rel=1e-9)
    if len(values) < MIN_BLOCKS:
        assert found.low is None and found.high is None
        return
    low, high = stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values))
    assert found.low == pytest.approx(math.exp(low), rel=1e-6)
    assert found.high == pytest.approx(math.exp(high), rel=1e-6)


def test_the_interval_of_student_s_own_data() -> None:
    """Additional hours of sleep of ten patients (Student 1908): t = 4.0621, 95 % from 0.7001 to 2.4599."""
    of = summarised([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert of.n == 10
    assert [of.mean, of.sd] == pytest.approx([1.58, 1.2299955], rel=1e-6)
    assert of.mean / of.error == pytest.approx(4.0621277, rel=1e-6)
    found = of_spread(of)
    assert found is not None and found.low is not None and found.high is not None
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((0.7001142, 2.4598858), rel=1e-6)
    assert found.level == 0.95


def test_of_nothing_there_is_nothing_and_of_one_value_that_value() -> None:
    assert interval([]) is None
    found = interval([0.3])
    assert found is not None and (found.value, found.low, found.high, found.n) == (math.exp(0.3), None, None, 1)


def test_below_the_least_number_of_blocks_there_is_no_interval() -> None:
    few, enough = interval([0.1, 0.2] * 2 + [0.3]), interval([0.1, 0.2, 0.3] * 2)
    assert few is not None and (few.n, few.low, few.high) == (MIN_BLOCKS - 1, None, None)
    assert enough is not None and enough.n == MIN_BLOCKS
    assert enough.low is not None and enough.high is not None and enough.low < enough.value < enough.high


def test_no_spread_at_all_is_an_interval_without_a_length() -> None:
    found = of_spread(Spread(0.03, 0.0, 8))
    assert found is not None and found.low == found.high == found.value == math.exp(0.03)


@pytest.mark.parametrize("n", [6, 8, 100])
def test_ratios_of_the_largest_and_the_smallest_values_have_a_finite_interval(n: int) -> None:
    """No guest may say more than 1e30, nor less than its inverse: ratios are within 1e60 and its inverse."""
    edge = 60 * math.log(10)
    for values in ([edge] * (n // 2) + [-edge] * (n // 2), [edge] * (n - 1) + [-edge], [-edge] * n):
        found = interval(values)
        assert found is not None and found.low is not None and found.high is not None
        assert 0 < found.low <= found.value <= found.high and math.isfinite(found.high / found.low)
