"""What equal guests show by noise alone: the exact test and the range of the worst share, for kinds of noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from virtometer.analysis.groups.equal import p_of_equal, worst_share_of_equal
from virtometer.analysis.groups.fairness import over_blocks
from virtometer.analysis.groups.order import ranks

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]


def gauss(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float64]:
    return np.exp(rng.normal(0, 0.05, size))


def skewed(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float64]:
    return np.exp(-rng.exponential(0.1, size))


def stalls(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float64]:
    stalled = 0.3 * (rng.random(size) < 0.1).astype(np.float64)
    rates: NDArray[np.float64] = np.exp(rng.normal(0, 0.001, size)) * (1 - stalled)
    return rates


def heavy(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float64]:
    return np.exp(0.03 * rng.standard_t(2.5, size))


NOISES = [gauss, skewed, stalls, heavy]


def false(noise: Draw, guests: int, blocks: int, repetitions: int) -> tuple[float, float]:
    """How often equal guests are accused, and lie outside of the range of equal guests."""
    rng = np.random.default_rng(41)
    accused = outside = 0
    for _ in range(repetitions):
        rates = noise(rng, (blocks, guests))
        fair = over_blocks("runc", rates.tolist())
        assert fair is not None and fair.worst_share_of_equal is not None
        null = fair.worst_share_of_equal.estimate
        assert null.low is not None and null.high is not None
        found = ranks([{f"{guest}": float(rate) for guest, rate in enumerate(row)} for row in rates])
        accused += any(one.gets_less or one.gets_more for one in found)
        outside += fair.unequal or fair.worst_share.estimate.value > null.high
    return accused / repetitions, outside / repetitions


@pytest.mark.parametrize("noise", NOISES)
def test_equal_guests_are_seldom_accused(noise: Draw) -> None:
    """Eight guests, in 40 campaigns: the t test accused them in a quarter with skewed noise."""
    accused, outside = false(noise, 8, 6, 40)
    assert accused <= 0.15
    assert outside <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("guests", "blocks"), [(2, 6), (2, 10), (3, 6), (8, 6), (8, 10)])
def test_equal_guests_are_accused_in_5_percent_whatever_their_noise(noise: Draw, guests: int, blocks: int) -> None:
    accused, outside = false(noise, guests, blocks, 500)
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    assert accused <= allowed
    assert outside <= allowed


def test_the_ideal_lies_outside_of_the_range_of_equal_guests() -> None:
    """Noise alone makes the worst share smaller than the ideal, and that is no unfairness."""
    rates = gauss(np.random.default_rng(42), (10, 4))
    fair = over_blocks("runc", rates.tolist())
    assert fair is not None and fair.worst_share_of_equal is not None
    assert (
        fair.worst_share_of_equal.estimate.high is not None
        and fair.worst_share_of_equal.estimate.high < fair.ideal_share
    )
    assert fair.worst_share.estimate.high is not None and fair.worst_share.estimate.high < fair.ideal_share
    assert not fair.unequal


@pytest.mark.parametrize("shares", [(1.0, 0.8), (1.0, 1.0, 0.8), (1.0, 1.0, 0.5, 1.0)])
def test_unequal_guests_are_below_the_range_and_accused(shares: tuple[float, ...]) -> None:
    rng = np.random.default_rng(43)
    below = accused = 0
    for _ in range(40):
        rates = np.array(shares) * gauss(rng, (8, len(shares)))
        fair = over_blocks("runc", rates.tolist())
        below += fair is not None and fair.unequal
        p = p_of_equal(np.log(rates).tolist())
        accused += p[int(np.argmin(shares))] < 0.05
    assert below >= 36 and accused >= 36


def test_of_two_guests_all_orders_are_taken() -> None:
    """Six blocks, always the same guest behind: 2 of 64 orders are as far apart."""
    logs = [[0.0, -0.1 - 0.01 * block] for block in range(6)]
    assert p_of_equal(logs) == [2 / 64, 2 / 64]


def test_random_orders_give_the_p_of_all_orders() -> None:
    logs = np.random.default_rng(44).normal(0, 1, (4, 3)) + np.array([0.5, 0.0, 0.0])
    centred = logs - logs.mean(axis=1, keepdims=True)
    orders = list(itertools.permutations(range(3)))
    largest = [
        max(abs(sum(row[list(order)] for row, order in zip(centred, some, strict=True))))
        for some in itertools.product(orders, repeat=4)
    ]
    exact = [np.mean(np.array(largest) >= abs(one) * (1 - 1e-9)) for one in centred.sum(axis=0)]
    assert p_of_equal(logs.tolist()) == pytest.approx(exact, abs=0.05)


def test_guests_that_are_exactly_equal_do_not_differ() -> None:
    assert p_of_equal([[0.3, 0.3, 0.3]] * 7) == [1.0, 1.0, 1.0]
    found = worst_share_of_equal([[2.0, 2.0]] * 6)
    assert found is not None and (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_the_same_blocks_give_the_same_range() -> None:
    rates = heavy(np.random.default_rng(45), (9, 3)).tolist()
    assert worst_share_of_equal(rates) == worst_share_of_equal(rates)
    assert p_of_equal(np.log(rates).tolist()) == p_of_equal(np.log(rates).tolist())


@pytest.mark.parametrize("rates", [[[1.0, 2.0]] * 5, [[1.0]] * 8, [[1.0, 0.0]] * 8])
def test_what_has_no_range(rates: list[list[float]]) -> None:
    assert worst_share_of_equal(rates) is None
