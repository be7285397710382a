"""How often the host may be read."""

from __future__ import annotations

import pytest

from virtometer.runner.watch.reading_budget import SHARE, Budget, pause_s


@pytest.mark.parametrize(
    ("cost_s", "expected_s"), [(0.0, 0.045), (0.0001, 0.045), (0.0003, 0.075), (0.0004, 0.1), (0.01, 2.5), (1.0, 250)]
)
def test_a_point_that_costs_much_is_taken_less_often(cost_s: float, expected_s: float) -> None:
    assert pause_s(cost_s) == pytest.approx(expected_s)


def test_the_first_window_is_read_and_then_as_many_as_the_share_allows() -> None:
    budget = Budget()
    read = []
    for _ in range(40):
        read.append(budget.allows)
        budget.passed(100, 2 if read[-1] else 0)
    assert read[0] and not any(read[1:4])
    assert sum(read) * 2 <= SHARE * 100 * 40
    assert sum(read) == 8, "two of a hundred, in one window of five"


def test_cheap_readings_are_taken_in_every_window() -> None:
    budget = Budget()
    for _ in range(40):
        assert budget.allows
        budget.passed(10**9, 1000)
