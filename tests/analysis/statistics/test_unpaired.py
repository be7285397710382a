"""Welch's t by hand, by scipy, and in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from virtometer.analysis.statistics import student
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.unpaired import difference

values = st.lists(st.floats(-1, 1), min_size=2, max_size=12)


@given(values, values)
def test_p_is_that_of_welch_with_the_degrees_of_freedom_rounded_down(one: list[float], other: list[float]) -> None:
    found = difference(spread(one), spread(other))
    assert found is not None
    if np.var(one) + np.var(other) < 1e-12:
        return
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert found.n - 1 == math.floor(welch.df + 1e-9)
    assert found.mean == pytest.approx(np.mean(one) - np.mean(other), abs=1e-12)
    assert found.mean / found.error == pytest.approx(welch.statistic, rel=1e-6, abs=1e-9)
    p = found.p_of_none
    assert p is not None and p >= welch.pvalue - 1e-9


def test_equal_series_have_the_degrees_of_freedom_of_both() -> None:
    of = Spread(1.0, 0.1, 6)
    found = difference(of, Spread(0.5, 0.1, 6))
    assert found is not None and found.n == 11
    assert found.error == pytest.approx(math.sqrt(2 * 0.1**2 / 6))


def test_without_spread_the_answer_is_certain() -> None:
    assert difference(Spread(1.0, 0.0, 6), Spread(0.5, 0.0, 8)) == Spread(0.5, 0.0, 6)


@pytest.mark.parametrize(
    ("one", "other"), [(None, Spread(0, 1, 6)), (Spread(0, 1, 6), None), (Spread(0, 1, 1), Spread(0, 1, 6))]
)
def test_a_side_without_spread_has_no_difference(one: Spread | None, other: Spread | None) -> None:
    assert difference(one, other) is None


def test_the_interval_holds_the_truth_in_95_of_100_campaigns() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(2000):
        one, other = rng.normal(0.1, 0.05, 6), rng.normal(0.0, 0.2, 9)
        of = difference(spread(list(one)), spread(list(other)))
        assert of is not None
        found = student.of_spread(of)
        assert found.low is not None and found.high is not None
        held += found.low <= math.exp(0.1) <= found.high
    assert 1870 <= held <= 1940
