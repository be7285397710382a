"""The median ratio of the blocks and its interval by order statistics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from virtometer.analysis.statistics import median


def test_six_blocks_have_the_median_between_the_smallest_and_the_largest() -> None:
    found = median.interval([math.log(ratio) for ratio in (0.9, 0.8, 1.0, 1.1, 0.95, 1.05)])
    assert found is not None
    assert found.low == pytest.approx(0.8)
    assert found.high == pytest.approx(1.1)
    assert found.level == pytest.approx(1 - 2 * 0.5**6)
    assert found.value == pytest.approx(math.sqrt(0.95))


def test_fewer_blocks_have_no_interval() -> None:
    found = median.interval([0.0, 0.1, 0.2])
    assert found is not None
    assert (found.low, found.high, found.n) == (None, None, 3)
    assert median.interval([]) is None


@pytest.mark.parametrize("n", [6, 9, 20])
def test_it_covers_the_median_of_any_distribution(n: int) -> None:
    rng = np.random.default_rng(n)
    draws = 2000
    drawn = rng.standard_exponential((draws, n)) ** 3
    found = [median.interval(one.tolist()) for one in drawn]
    held = sum((of.low or 0.0) <= math.exp(math.log(2) ** 3) <= (of.high or 0.0) for of in found if of is not None)
    level = found[0].level if found[0] is not None else 0.0
    assert level >= 0.95
    assert abs(held / draws - level) <= 3 * math.sqrt(level * (1 - level) / draws)
