"""How much values differ, by their mean."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.statistics.variation import variation


def test_the_standard_deviation_by_the_mean() -> None:
    found = variation([9.0, 10.0, 11.0])
    assert found is not None and found.value == pytest.approx(0.1)
    assert (found.low, found.high, found.n) == (None, None, 3)
    assert variation([5.0]) is None


def test_the_interval_of_a_worked_example() -> None:
    # n = 10 and a coefficient of 0.05: the quantiles of chi-square with 9 degrees are 2.70039 and 19.02277.
    some = np.array([-1, 1] * 5) * 0.05 * np.sqrt(9 / 10) + 1
    found = variation(some)
    assert found is not None and found.value == pytest.approx(0.05)
    low = 0.05 / np.sqrt((21.02277 / 10 - 1) * 0.0025 + 19.02277 / 9)
    high = 0.05 / np.sqrt((4.70039 / 10 - 1) * 0.0025 + 2.70039 / 9)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-5)


def test_the_interval_covers_the_true_spread_as_often_as_it_says() -> None:
    draws = np.random.default_rng(7).normal(1.0, 0.2, (2000, 8))
    found = [variation(row) for row in draws]
    held = sum(one is not None and one.low is not None and one.low <= 0.2 <= (one.high or 0) for one in found)
    assert 0.93 <= held / 2000 <= 0.97


def test_equal_values_have_no_spread() -> None:
    found = variation([2.0] * 8)
    assert found is not None and (found.value, found.low, found.high) == (0.0, 0.0, 0.0)
