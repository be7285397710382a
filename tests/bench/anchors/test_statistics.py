"""The interval covers what it should, whatever the noise looks like, and the verdict follows its rules."""

from collections.abc import Callable

import numpy as np
import pytest

from bench.anchors.statistics import Estimate, estimate, outer_rank, ratios, verdict
from tests.sentences import Said

SIMULATIONS = 4000


def test_a_ratio_above_one_means_that_the_agent_is_better() -> None:
    assert ratios([10.0, 12.0], [5.0, 6.0], lower_is_better=False) == [2.0, 2.0]
    assert ratios([10.0, 12.0], [5.0, 6.0], lower_is_better=True) == [0.5, 0.5]


@pytest.mark.parametrize(
    ("n", "k", "coverage"),
    # David and Nagaraja's binomial sums, by hand: n = 6: 1 - 2/64; n = 11: 1 - 2 (1 + 11) / 2048
    [(6, 1, 0.96875), (11, 2, 0.98828125), (21, 6, 1 - 2 * 27896 / 2**21)],
)
def test_the_ranks_of_the_interval_are_exact(n: int, k: int, coverage: float) -> None:
    found = outer_rank(n)
    assert found is not None
    assert (found[0], round(found[1], 5)) == (k, round(coverage, 5))


@pytest.mark.parametrize("n", range(1, 6))
def test_five_pairs_and_fewer_have_no_interval(n: int) -> None:
    assert outer_rank(n) is None
    assert estimate([1.0] * n) == Estimate(n, 1.0, None, None, None)


def test_the_interval_is_made_of_ordered_values() -> None:
    found = estimate([5.0, 1.0, 4.0, 2.0, 3.0, 9.0, 7.0, 8.0, 6.0, 11.0, 10.0])
    assert (found.median, found.low, found.high) == (6.0, 2.0, 10.0)


@pytest.mark.parametrize("n", [6, 11, 21])
@pytest.mark.parametrize(
    "noise",
    [
        lambda random, n: random.normal(0.0, 0.03, n),
        lambda random, n: random.standard_t(2, n) * 0.03,
        lambda random, n: random.exponential(0.1, n) - 0.1 * np.log(2),
        lambda random, n: np.where(random.random(n) < 0.5, -0.3, 0.3) + random.normal(0.0, 0.01, n),
    ],
    ids=["Gaussian", "heavy tails", "skewed", "two modes"],
)
def test_the_interval_covers_the_true_median(noise: Callable[[np.random.Generator, int], np.ndarray], n: int) -> None:
    random = np.random.default_rng(n)
    covered = 0
    for _ in range(SIMULATIONS):
        found = estimate(np.exp(noise(random, n)).tolist())
        assert found.low is not None and found.high is not None
        covered += found.low <= 1.0 <= found.high
    rank = outer_rank(n)
    assert rank is not None and rank[1] >= 0.95
    # four standard errors of a simulated share around the exact coverage
    assert abs(covered / SIMULATIONS - rank[1]) < 4 * np.sqrt(rank[1] * (1 - rank[1]) / SIMULATIONS)


def of(low: float | None, median: float, high: float | None) -> Estimate:
    return Estimate(11, median, low, high, None if low is None else 0.99)


QUIET = of(0.99, 1.0, 1.01)


@pytest.mark.parametrize(
    ("ratio", "control", "word"),
    [
        pytest.param(of(0.97, 1.0, 1.02), QUIET, "met", id="above"),
        pytest.param(of(0.90, 0.93, 0.949), QUIET, "missed", id="below"),
        pytest.param(of(0.94, 0.97, 1.0), QUIET, "inconclusive", id="the median reaches it"),
        pytest.param(of(0.90, 0.93, 0.95), QUIET, "inconclusive", id="the median is below it"),
        pytest.param(of(None, 2.0, None), QUIET, "inconclusive", id="no interval"),
        pytest.param(of(1.97, 2.0, 2.02), of(1.0, 1.051, 1.1), "inconclusive", id="control too high"),
        pytest.param(of(0.5, 0.6, 0.7), of(0.9, 0.953, 1.0), "missed", id="below, control within"),
        pytest.param(of(0.5, 0.6, 0.7), of(0.9, 0.95, 1.0), "inconclusive", id="control too low"),
    ],
)
def test_verdicts(said: Said, ratio: Estimate, control: Estimate, word: str) -> None:
    found = verdict(ratio, control, demand=0.95, tolerance=0.05)
    assert found.word == word
    assert bool(found.reason) == (word == "inconclusive")
    said(found.reason)


def test_a_disturbed_agent_is_noticed_by_its_control() -> None:
    """Planted: the second of the two runs of the agent is always a tenth slower than the first."""
    random = np.random.default_rng(1)
    agent = np.exp(random.normal(0.0, 0.01, 11))
    control = estimate(ratios((agent * 0.9).tolist(), agent.tolist(), lower_is_better=False))
    ratio = estimate(ratios(agent.tolist(), (agent / 2).tolist(), lower_is_better=False))
    assert verdict(ratio, control, 1.0, 0.05).word == "inconclusive"
    assert verdict(ratio, control, 1.0, 0.15).word == "met"
