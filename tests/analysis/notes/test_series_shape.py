"""Series that drift, have two modes or begin otherwise are called so, and noise is not."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.notes.series_shape import notes


def test_a_drift_has_a_direction_and_a_size() -> None:
    rising = [0.01 * block for block in range(10)]
    then = "by {} in all; look for what changes with time, or take more blocks"
    assert notes(rising, "B") == ["B drifts from block to block: it rises, " + then.format("9.4 %")]
    assert notes(rising[::-1], "A") == ["A drifts from block to block: it falls, " + then.format("9.4 %")]


def test_two_modes_are_told_with_their_values() -> None:
    logs = [0.0, np.log(2), 0.001, np.log(2) + 0.002, 0.002, 0.003, np.log(2) - 0.001, 0.001, np.log(2)]
    (note,) = notes(logs, "A")
    assert note.startswith("A has two modes: 1 in 5 blocks and 2 in 4 blocks; ")


def test_the_first_of_six_values_may_be_unlike_the_others() -> None:
    (note,) = notes(list(np.log([0.52, 1.54, 1.48, 1.54, 1.60, 1.40])), "B")
    assert note.startswith("block 1 of B is unlike the others: 0.52 against 1.4 to 1.6; ")


def test_one_value_apart_that_is_not_the_first_is_no_shape() -> None:
    assert notes([0.0, 0.001, 0.002, 0.0005, 1.0, 0.001, 0.0015, 0.0005, 0.001], "A") == []


@pytest.mark.parametrize(
    "logs", [[], [0.0], [0.0, 1.0, 0.0, 1.0, 0.0], [0.5] * 20, [0.005 * block for block in (0, 1)]]
)
def test_few_equal_or_close_values_say_nothing(logs: list[float]) -> None:
    assert notes(logs, "A") == []


@pytest.mark.parametrize("count", [6, 8, 12, 30])
def test_noise_is_seldom_called_anything(count: int) -> None:
    rng = np.random.default_rng(1)
    called = sum(bool(notes(list(rng.normal(0, 0.1, count)), "A")) for _ in range(1000))
    assert called <= 8  # three shapes at 0.0008: 2.4 are expected
