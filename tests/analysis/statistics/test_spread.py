"""Mean and spread, and the two things that Student's t says of them, against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.analysis.logarithms import logs, summarised
from virtometer.analysis.statistics.spread import Spread, spread


def test_of_nothing_there_is_nothing_and_of_one_value_that_value() -> None:
    assert spread([]) is None
    assert spread([0.3]) == Spread(0.3, 0.0, 1)


@given(logs, st.randoms())
def test_the_order_of_the_blocks_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = summarised(values), summarised(shuffled)
    assert (one.mean, one.sd) == (two.mean, two.sd), "sums are exact"


@given(logs, st.floats(0.001, 0.4), st.floats(-1, 1))
def test_reach_and_p_are_those_of_scipy(values: list[float], beyond: float, away: float) -> None:
    of, error = summarised(values), stats.sem(values)
    assert of.reach(beyond) == pytest.approx(stats.t.ppf(1 - beyond, len(values) - 1) * error, rel=1e-6)
    assert of.p_value(away) == pytest.approx(stats.t.cdf(away / error, len(values) - 1), rel=1e-6, abs=1e-12)
    assert of.error == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)), rel=1e-9)


def test_without_spread_the_answer_is_certain() -> None:
    assert [Spread(0.1, 0.0, 8).p_value(away) for away in (-1e-9, 0.0, 1.0)] == [0.0, 1.0, 1.0]


@given(logs)
def test_no_difference_is_tested_as_scipy_does(values: list[float]) -> None:
    expected = stats.ttest_1samp(values, 0).pvalue
    assert summarised(values).p_of_none == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert summarised(values).p_of_none == summarised([-one for one in values]).p_of_none, "turned round"


def test_the_p_of_student_s_own_data() -> None:
    """Additional hours of sleep of ten patients (Student 1908): p = 0.002833."""
    of = summarised([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert of.p_of_none == pytest.approx(0.00283289, rel=1e-5)


def test_one_block_gives_no_p() -> None:
    assert summarised([0.1]).p_of_none is None


@pytest.mark.parametrize("mean", [0.0, 0.03, -0.5, 1e-300])
def test_no_spread_at_all_is_certainty(mean: float) -> None:
    assert Spread(mean, 0.0, 8).p_of_none == (1.0 if mean == 0 else 0.0)
