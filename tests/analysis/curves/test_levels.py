"""Level averages of a sweep over sizes."""

import math

import pytest

from virtometer.analysis.curves.levels import caches, level_averages, level_of

FOUND = {"L1": 48 << 10, "L2": 1 << 20, "L3": 32 << 20}


def test_the_caches_are_those_that_the_agent_reported() -> None:
    told = {"l1d-bytes": {"unit": "B", "value": 49152.0}, "l2-bytes": {"unit": "B", "value": 1048576.0}, "x": {}}
    assert caches(told) == {"L1": 49152.0, "L2": 1048576.0}
    assert caches({}) == {}


@pytest.mark.parametrize(
    ("size", "arrays", "level"),
    [
        (1 << 10, 1, "L1"),
        (48 << 10, 1, "L1"),
        (16 << 10, 3, "L1"),
        (32 << 10, 3, "L2"),
        (1 << 20, 1, "L2"),
        (1 << 20, 2, "L3"),
        (32 << 20, 1, "L3"),
        (64 << 20, 1, "RAM"),
    ],
)
def test_a_size_lies_where_all_arrays_fit(size: int, arrays: int, level: str) -> None:
    assert level_of(size, arrays, FOUND) == level


def test_an_average_is_the_arithmetic_mean_over_sizes_within_each_block() -> None:
    values = {
        1 << 10: dict.fromkeys(range(8), 30.0),
        2 << 10: dict.fromkeys(range(8), 50.0),
        64 << 10: {block: 20.0 * (1 + block % 2) for block in range(8)},
        64 << 20: {0: 5.0, 1: 5.0},
    }
    averages = level_averages(values, 1, FOUND)
    assert list(averages) == ["L1", "L2", "RAM"]
    assert averages["L1"].value == pytest.approx(40.0) and averages["L1"].n == 8
    assert averages["L1"].low == pytest.approx(40.0)
    assert averages["L2"].value == pytest.approx(math.sqrt(20.0 * 40.0))
    assert averages["L2"].low is not None and averages["L2"].low < averages["L2"].value
    assert (averages["RAM"].n, averages["RAM"].low) == (2, None)


def test_a_block_without_one_of_a_level_s_sizes_does_not_count_for_it() -> None:
    values = {1 << 10: dict.fromkeys(range(8), 30.0), 2 << 10: {block: 50.0 for block in range(8) if block != 3}}
    assert level_averages(values, 1, FOUND)["L1"].n == 7


def test_without_known_caches_there_are_no_levels() -> None:
    assert level_averages({1 << 10: {0: 1.0}}, 1, {}) == {}
