"""Series that drift or have two modes are called so, and noise is not."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.series_shape import notes


def test_a_drift_has_a_direction() -> None:
    rising = [0.01 * block for block in range(10)]
    assert notes(rising, "B") == ["B drifts from block to block: it rises"]
    assert notes(rising[::-1], "A") == ["A drifts from block to block: it falls"]


def test_two_modes_are_told_with_their_distance() -> None:
    logs = [0.0, np.log(2), 0.001, np.log(2) + 0.002, 0.002, 0.003, np.log(2) - 0.001, 0.001, np.log(2)]
    assert notes(logs, "A") == ["A has two modes, the higher one at 2 times the lower one"]


def test_one_value_apart_is_no_mode() -> None:
    assert notes([0.0, 0.001, 0.002, 0.0005, 1.0, 0.001, 0.0015, 0.0005, 0.001], "A") == []


@pytest.mark.parametrize("logs", [[], [0.0], [0.0, 1.0] * 3, [0.5] * 20])
def test_few_or_equal_values_say_nothing(logs: list[float]) -> None:
    assert notes(logs, "A") == []


@pytest.mark.parametrize("count", [8, 12, 30])
def test_noise_is_seldom_called_anything(count: int) -> None:
    rng = np.random.default_rng(1)
    called = sum(bool(notes(list(rng.normal(0, 0.1, count)), "A")) for _ in range(1000))
    assert called <= 20
