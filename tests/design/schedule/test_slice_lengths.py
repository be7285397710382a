"""Lengths of slices: random, within bounds, and the same for a seed for ever."""

from __future__ import annotations

import cmath
import math
import statistics

import pytest

from virtometer.design.schedule.slice_lengths import LONGEST, SHORTEST, length_factor


def factors(seed: int, count: int = 2000) -> list[float]:
    return [length_factor(seed, number) for number in range(count)]


def test_lengths_follow_from_the_seed_alone() -> None:
    assert factors(7) == factors(7)
    assert factors(7) != factors(8)
    known = [0.932946, 1.072949, 1.145303, 1.071472]
    assert factors(1, 4) == pytest.approx(known, abs=1e-6), "a plan and a seed give the same lengths for ever"


def test_a_length_does_not_depend_on_the_rounds_before_it() -> None:
    assert length_factor(3, 17) == factors(3)[17]


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1, 2**63 + 99_999])
def test_all_lengths_between_the_bounds_are_equally_likely(seed: int) -> None:
    found = sorted(factors(seed))
    assert SHORTEST <= found[0] < SHORTEST + 0.01
    assert LONGEST - 0.01 < found[-1] < LONGEST
    assert statistics.mean(found) == pytest.approx(1.0, abs=0.01)
    distance = max(abs((one - SHORTEST) / (LONGEST - SHORTEST) - at / len(found)) for at, one in enumerate(found))
    assert distance < 1.95 / math.sqrt(len(found)), "Kolmogorov and Smirnov, p > 0.001"


def test_rounds_and_neighbouring_seeds_are_not_alike() -> None:
    """A campaign gives its workloads neighbouring seeds: those of their first trials."""
    one, other = factors(100), factors(101)
    for a, b in ((one[:-1], one[1:]), (one, other), (one[1:], other[:-1])):
        assert abs(statistics.correlation(a, b)) < 3.3 / math.sqrt(len(a))


@pytest.mark.parametrize("cycle_s", [0.002, 0.004, 0.008, 0.016])
def test_slices_fall_into_step_with_no_cycle(cycle_s: float) -> None:
    """The moments of a cycle at which slices begin: all alike where slices have one length, spread where it varies."""
    slice_s, guests, count = 0.008, 2, 60

    def in_step(lengths: list[float]) -> float:
        """Length of the mean of unit vectors, one for each begin: 1 in step, about 1 / sqrt(count) spread evenly."""
        at, found = 0.0, 0j
        for length in lengths:
            found += cmath.exp(2j * math.pi * at / cycle_s)
            at += guests * length * slice_s
        return abs(found) / len(lengths)

    assert in_step([1.0] * count) > 0.99
    assert statistics.mean(in_step(factors(seed, count)) for seed in range(20)) < 0.4
