"""The universal scalability law: injected coefficients are found, and what a fit cannot say it does not say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.analysis.groups.injected import LEAST, REPETITIONS, noisy
from virtometer.analysis.groups import scaling


def law(guests: int, sigma: float, kappa: float) -> float:
    """Gunther's formula, written down a second time."""
    return guests / (1 + sigma * (guests - 1) + kappa * guests * (guests - 1))


def sums(
    rng: np.random.Generator, sigma: float, kappa: float, counts: list[int], blocks: int = 8, sd: float = 0.02
) -> list[dict[int, float]]:
    made = []
    for _ in range(blocks):
        host = noisy(rng, 0.1)  # what a whole block is slower or faster by
        made.append({count: 1e9 * host * law(count, sigma, kappa) * noisy(rng, sd) for count in counts})
    return made


@pytest.mark.parametrize(
    ("sigma", "kappa", "counts"),
    [
        (0.05, 0.02, [1, 2, 3, 4, 5, 6]),
        (0.3, 0.05, [1, 2, 3, 4]),
        (0.1, 0.2, [1, 2, 3]),
        (0.0, 0.01, [1, 2, 4, 8, 16]),
        (0.5, 0.0, [1, 2, 3, 4]),
        (0.02, 0.001, [1, 2, 4, 8, 16, 32, 64]),
    ],
)
def test_injected_coefficients_and_the_peak_lie_within_their_intervals(
    sigma: float, kappa: float, counts: list[int]
) -> None:
    rng = np.random.default_rng(11)
    peak = math.sqrt((1 - sigma) / kappa) if kappa else math.inf
    hits = 0
    for _ in range(REPETITIONS):
        found = scaling.law(sums(rng, sigma, kappa, counts))
        assert found is not None and found.sigma.low is not None and found.sigma.high is not None
        assert found.kappa.low is not None and found.kappa.high is not None and found.peak_low is not None
        hits += (
            found.sigma.low <= sigma <= found.sigma.high
            and found.kappa.low <= kappa <= found.kappa.high
            and found.peak_low <= peak <= (math.inf if found.peak_high is None else found.peak_high)
        )
    assert hits >= LEAST


def test_without_noise_the_coefficients_are_exact() -> None:
    exact = [{count: 7.0 * law(count, 0.08, 0.03) for count in (1, 2, 3, 4, 6)} for _ in range(6)]
    found = scaling.law(exact)
    assert found is not None and found.peak is not None
    assert found.one == pytest.approx(7.0, rel=1e-4)
    assert found.sigma.value == pytest.approx(0.08, abs=1e-4)
    assert found.kappa.value == pytest.approx(0.03, abs=1e-4)
    assert found.peak == pytest.approx(math.sqrt(0.92 / 0.03), rel=1e-3)
    assert found.at(3) == pytest.approx(7.0 * law(3, 0.08, 0.03), rel=1e-4)


def test_intervals_are_narrow_enough_to_be_of_use() -> None:
    found = scaling.law(sums(np.random.default_rng(3), 0.05, 0.02, [1, 2, 3, 4, 5, 6, 8, 12], 12, 0.01))
    assert found is not None and found.peak_low is not None and found.peak_high is not None
    assert found.peak_high / found.peak_low < 1.3
    assert found.sigma.low is not None and found.sigma.high is not None and found.sigma.high - found.sigma.low < 0.06


def test_a_sum_that_only_rises_has_no_upper_bound_and_the_sentence_says_so() -> None:
    found = scaling.law(sums(np.random.default_rng(5), 0.02, 0.0, [1, 2, 3], 8, 0.03))
    assert found is not None and found.peak_high is None
    assert "cannot tell" in scaling.sentence(found)


def test_a_kink_is_no_such_law_and_its_intervals_become_wide() -> None:
    rng = np.random.default_rng(6)
    kink = [{count: min(count, 2) * noisy(rng, 0.003) for count in (1, 2, 3, 4, 5, 6)} for _ in range(8)]
    found = scaling.law(kink)
    assert found is not None and found.misfit
    assert found.sigma.low is not None and found.sigma.high is not None and found.sigma.high - found.sigma.low > 0.1
    assert "misses" in scaling.sentence(found)


def test_noise_alone_is_called_a_misfit_in_about_one_of_a_hundred() -> None:
    rng = np.random.default_rng(7)
    found = [scaling.law(sums(rng, 0.05, 0.02, [1, 2, 3, 4, 5, 6])) for _ in range(200)]
    assert sum(one is not None and one.misfit for one in found) <= 8


def test_a_host_that_is_slower_for_a_block_changes_nothing() -> None:
    steady = sums(np.random.default_rng(8), 0.1, 0.03, [1, 2, 3, 4])
    shaken = [{count: total * (1 + block) for count, total in one.items()} for block, one in enumerate(steady)]
    first, second = scaling.law(steady), scaling.law(shaken)
    assert first is not None and second is not None
    assert first.sigma.value == pytest.approx(second.sigma.value, abs=1e-6)
    assert first.peak_high == pytest.approx(second.peak_high)


def test_too_little_gives_no_law_or_no_interval() -> None:
    rng = np.random.default_rng(9)
    assert scaling.law([]) is None
    assert scaling.law(sums(rng, 0.1, 0.1, [1, 2])) is None
    few = scaling.law(sums(rng, 0.1, 0.1, [1, 2, 3], 5))
    assert few is not None and few.sigma.low is None and few.peak_high is None and scaling.sentence(few) == ""
    assert scaling.sentence(None) == ""


def test_blocks_that_lack_a_number_are_left_out() -> None:
    whole = sums(np.random.default_rng(10), 0.1, 0.05, [1, 2, 3, 4], 7)
    assert scaling.law([*whole, {1: 1.0, 2: 9.0}]) == scaling.law(whole)
