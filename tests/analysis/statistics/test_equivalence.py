"""The two one-sided tests against those of statsmodels, and against the interval."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from tests.analysis.logarithms import logs, summarised
from virtometer.analysis.statistics import equivalence, student
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import MIN_BLOCKS


@given(logs, st.floats(0.001, 0.9))
def test_equivalence_is_the_tost_of_statsmodels(values: list[float], margin: float) -> None:
    edge = math.log(1 + margin)
    expected = DescrStatsW(values).ttost_mean(-edge, edge)[0]
    assert equivalence.p_value(summarised(values), margin) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(logs, st.floats(0.01, 0.5))
def test_equivalence_is_the_90_percent_interval_inside_the_margins(values: list[float], margin: float) -> None:
    of = summarised(values)
    assume(of.n >= MIN_BLOCKS)
    p, inside = equivalence.p_value(of, margin), student.of_spread(of, 0.9)
    assert p is not None and inside.low is not None and inside.high is not None
    assume(abs(p - 0.05) > 1e-9)
    assert (p < 0.05) == (1 / (1 + margin) < inside.low and inside.high < 1 + margin)


def test_the_limit_is_that_of_ratios() -> None:
    assert math.exp(equivalence.limit(0.05)) == pytest.approx(1.05)
    assert math.exp(-equivalence.limit(0.05)) == pytest.approx(1 / 1.05)
    assert equivalence.limit(0.0) == 0.0


def test_one_block_gives_no_p() -> None:
    assert equivalence.p_value(summarised([0.1]), 0.05) is None


@pytest.mark.parametrize("mean", [0.0, 0.03, -0.5])
def test_no_spread_at_all_is_certainty(mean: float) -> None:
    assert equivalence.p_value(Spread(mean, 0.0, 8), 0.05) == (0.0 if abs(mean) < 0.04 else 1.0)


def test_a_mean_on_the_margin_is_as_likely_inside_as_outside() -> None:
    assert equivalence.p_value(Spread(math.log(1.05), 0.1, 8), 0.05) == pytest.approx(0.5)
    assert equivalence.p_value(Spread(-math.log(1.05), 0.0, 8), 0.05) == 1.0


@given(logs, st.floats(0.001, 0.5), st.floats(0.001, 0.4))
def test_a_wider_margin_is_never_harder_to_meet(values: list[float], margin: float, more: float) -> None:
    narrow, wide = (equivalence.p_value(summarised(values), one) for one in (margin, margin + more))
    assert narrow is not None and wide is not None and wide <= narrow
