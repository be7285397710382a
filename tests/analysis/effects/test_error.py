"""The error of a contrast between its own spread and that of all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from virtometer.analysis.effects.error import Common, common, moderated


def test_contrasts_that_spread_alike_share_nearly_all() -> None:
    rng = np.random.default_rng(1)
    variances = stats.chi2(7).rvs((60, 200), random_state=rng) / 7
    found = common(variances, 7.0, 420.0)
    assert np.median(found.freedom) > 15
    assert found.variance.mean() == pytest.approx(1.0, abs=0.02)


def test_contrasts_that_spread_differently_share_little() -> None:
    rng = np.random.default_rng(2)
    variances = stats.chi2(7).rvs((60, 200), random_state=rng) / 7 * np.exp(rng.normal(0, 1.2, (60, 1)))
    assert np.median(common(variances, 7.0, 420.0).freedom) < 3


def test_few_contrasts_lend_nothing() -> None:
    found = common(np.array([[1.0], [1.1], [0.9]]), 7.0, 21.0)
    assert found.freedom.tolist() == [0.0]


def test_the_borrowed_part_grows_with_its_degrees_of_freedom() -> None:
    shared = Common(np.array([4.0]), np.array([14.0]))
    variance, freedom = moderated(np.array([[1.0]]), np.array([[7.0]]), shared, 100.0)
    assert variance[0, 0] == pytest.approx((7 * 1.0 + 14 * 4.0) / 21) and freedom[0, 0] == 21.0
    _, most = moderated(np.array([[1.0]]), np.array([[7.0]]), shared, 15.0)
    assert most[0, 0] == 15.0, "not more than there are"


def test_a_contrast_that_spreads_much_more_keeps_its_own() -> None:
    shared = Common(np.array([1.0]), np.array([30.0]))
    variance, freedom = moderated(np.array([[9.0]]), np.array([[7.0]]), shared, 100.0)
    assert (variance[0, 0], freedom[0, 0]) == (9.0, 7.0)
    variance, freedom = moderated(np.array([[9.0]]), np.array([[2.0]]), shared, 100.0)
    assert freedom[0, 0] == 32.0, "its own would be too few for an interval"
