"""Verdicts of a family: Holm over both kinds of claims, and none without an error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from virtometer.analysis.effects.claims import Influence, claims, interval, p_of_none, p_of_zero
from virtometer.analysis.effects.fit import Estimates


def estimates(value: float, error: float = 0.01, freedom: float = 20.0) -> Estimates:
    return Estimates(np.array([[value]]), np.array([[error]]), np.array([[freedom]]))


def test_p_values_are_those_of_t() -> None:
    assert p_of_zero(estimates(0.03))[0, 0] == pytest.approx(2 * stats.t(20).sf(3.0))
    inside = (math.log(1.05) - 0.03) / 0.01
    assert p_of_none(estimates(-0.03), 0.05)[0, 0] == pytest.approx(stats.t(20).sf(inside))
    low, high = interval(estimates(0.03))
    assert (low[0, 0], high[0, 0]) == pytest.approx(stats.t.interval(0.95, 20, 0.03, 0.01))


def test_without_degrees_of_freedom_nothing_is_said() -> None:
    few = estimates(0.5, freedom=3.0)
    assert np.isnan(p_of_zero(few)[0, 0]) and np.isnan(interval(few)[0][0, 0])
    (claim,) = claims(p_of_zero(few)[:, 0], p_of_none(few, 0.05)[:, 0])
    assert (claim.verdict, claim.p_value, claim.p_adjusted) == (Influence.UNDECIDED, None, None)


def test_without_spread_the_answer_is_certain() -> None:
    assert p_of_zero(estimates(0.1, error=0.0))[0, 0] == 0.0
    assert p_of_zero(estimates(0.0, error=0.0))[0, 0] == 1.0


def test_both_kinds_of_claims_are_adjusted_for_their_number() -> None:
    zero, none = np.array([0.004, 0.5, 0.5, 0.5, 0.5]), np.array([0.9, 0.011, 0.9, 0.02, np.nan])
    zero[4] = np.nan
    found = claims(zero, none)
    assert [one.verdict for one in found] == [
        Influence.INFLUENCE, Influence.NONE, Influence.UNDECIDED, Influence.UNDECIDED, Influence.UNDECIDED,
    ]  # fmt: skip
    assert found[0].p_adjusted == pytest.approx(0.016) and found[1].none_p == pytest.approx(0.044)
    assert found[3].none_p == pytest.approx(0.06), "0.02 times the three that are left"


def test_an_influence_that_does_not_matter_is_none() -> None:
    (claim,) = claims(np.array([1e-9]), np.array([1e-9]))
    assert claim.verdict is Influence.NONE
