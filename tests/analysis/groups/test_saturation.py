"""The number of guests from which on the sum no longer rises."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.groups.injected import LEAST, REPETITIONS, noisy
from tests.sentences import Said
from virtometer.analysis.groups.saturation import saturation, sentence


def sums(rng: np.random.Generator, totals: dict[int, float], sd: float, count: int = 8) -> list[dict[int, float]]:
    made = []
    for _ in range(count):
        host = noisy(rng, 0.1)
        made.append({guests: total * host * noisy(rng, sd) for guests, total in totals.items()})
    return made


@pytest.mark.parametrize("sd", [0.005, 0.03, 0.1])
@pytest.mark.parametrize(
    ("totals", "truth"),
    [
        ({1: 1.0, 2: 2.0, 3: 2.0, 4: 2.0}, 2),
        ({1: 1.0, 2: 1.8, 3: 2.4, 4: 2.4, 5: 2.3, 6: 2.2}, 3),
        ({1: 1.0, 2: 0.98, 3: 0.95}, 1),
    ],
)
def test_an_injected_number_lies_between_the_bounds(totals: dict[int, float], truth: int, sd: float) -> None:
    rng = np.random.default_rng(41)
    hits = 0
    for _ in range(REPETITIONS):
        found = saturation(sums(rng, totals, sd), 0.05)
        assert found is not None
        hits += found.low <= truth and (found.high is None or truth <= found.high)
    assert hits >= LEAST


def test_a_quiet_host_gives_the_number_itself(said: Said) -> None:
    found = saturation(sums(np.random.default_rng(42), {1: 1.0, 2: 2.0, 3: 2.0}, 0.005), 0.05)
    assert found is not None and (found.low, found.at, found.high) == (2, 2, 2)
    assert sentence(found).startswith("from 2 on, ") and "less than 5 %" in sentence(found)
    said(sentence(found))


def test_a_sum_that_still_rises_at_the_end() -> None:
    found = saturation(sums(np.random.default_rng(43), {1: 1.0, 2: 1.9, 3: 2.8}, 0.01), 0.05)
    assert found is not None and (found.low, found.at, found.high) == (3, None, None)
    assert "still rises at 3" in sentence(found)


def test_a_noisy_host_says_what_is_not_shown() -> None:
    found = saturation(sums(np.random.default_rng(44), {1: 1.0, 2: 2.0, 3: 2.1}, 0.15), 0.05)
    assert found is not None and found.high is None
    assert "is not shown" in sentence(found)


def test_too_little_says_nothing() -> None:
    rng = np.random.default_rng(45)
    assert saturation([], 0.05) is None
    assert saturation(sums(rng, {1: 1.0}, 0.1), 0.05) is None
    assert saturation(sums(rng, {1: 1.0, 2: 2.0}, 0.1, 5), 0.05) is None
    assert sentence(None) == ""
