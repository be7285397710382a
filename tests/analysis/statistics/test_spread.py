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
