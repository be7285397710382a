"""Intervals of arithmetic means, and of several figures that hold jointly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from virtometer.analysis.statistics import arithmetic
from virtometer.analysis.statistics.interval import interval


@pytest.mark.parametrize("skewed", [False, True])
def test_the_mean_lies_within_in_95_of_100(skewed: bool) -> None:
    rng = np.random.default_rng(51)
    found = [arithmetic.interval(rng.normal(0.3, 0.05, 8).tolist(), skewed=skewed) for _ in range(2000)]
    hits = sum(
        one is not None and one.low is not None and one.high is not None and one.low <= 0.3 <= one.high for one in found
    )
    assert 0.935 * 2000 <= hits <= 0.965 * 2000


def test_of_skewed_values_hall_is_closer_than_student() -> None:
    rng = np.random.default_rng(52)
    samples = [rng.exponential(1.0, 8).tolist() for _ in range(2000)]

    def hits(skewed: bool) -> int:
        found = [arithmetic.interval(values, skewed=skewed) for values in samples]
        return sum(one is not None and (one.low or 0) <= 1 <= (one.high or 0) for one in found)

    assert hits(True) > hits(False) + 20


def test_several_figures_hold_together() -> None:
    rng = np.random.default_rng(53)
    jointly = 0
    for _ in range(1000):
        found = [interval(rng.normal(0, 0.1, 8).tolist(), jointly=5) for _ in range(5)]
        jointly += all(one is not None and (one.low or 2) <= 1 <= (one.high or 0) for one in found)
    assert jointly >= 935


def test_bounds_are_cut_to_what_is_possible_and_few_blocks_have_none() -> None:
    wide = arithmetic.interval([0.0, 0.4, 0.1, 0.5, 0.0, 0.45], least=0.0, most=0.5)
    assert wide is not None and wide.low == pytest.approx(0.0, abs=0.05) and wide.high == pytest.approx(0.49, abs=0.05)
    few = arithmetic.interval([1.0, 2.0])
    assert few is not None and (few.value, few.low, few.high, few.n) == (1.5, None, None, 2)
    assert arithmetic.interval([]) is None and interval([]) is None


def test_values_without_spread_have_a_point() -> None:
    same = arithmetic.interval([0.25] * 6, skewed=True)
    assert same is not None and same.low == same.high == 0.25
    exact = interval([math.log(2)] * 6)
    assert exact is not None and exact.low == pytest.approx(2) and exact.high == pytest.approx(2)
