"""Fairness: the figures of known shares, and their intervals over blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.analysis.groups.injected import LEAST, REPETITIONS, covered, noisy
from virtometer.analysis.groups.fairness import fairness, over_blocks, shares


def test_equal_guests_are_fair() -> None:
    found = fairness([3.0, 3.0, 3.0])
    assert found.ideal_share == found.worst_share == pytest.approx(1 / 3)
    assert found.max_over_min == pytest.approx(1) and found.cv == pytest.approx(0) and found.jain == pytest.approx(1)


def test_jain_forgives_60_to_40_and_the_others_do_not() -> None:
    found = fairness([60.0, 40.0])
    assert found.jain == pytest.approx(0.9615, abs=1e-4)  # the figure that is quoted everywhere
    assert found.worst_share == pytest.approx(0.4) and found.max_over_min == pytest.approx(1.5)
    assert found.cv == pytest.approx(0.2)
    assert found.jain == pytest.approx(1 / (1 + found.cv**2))


def test_the_published_guests_of_the_tables_6_2() -> None:
    # tsiouprou2010, table 6.2, order 8000: 182.963, 367.18 and 183.975 s.
    found = fairness([1 / seconds for seconds in (182.963, 367.18, 183.975)])
    assert found.worst_share == pytest.approx(0.1999, abs=1e-4)
    assert found.max_over_min == pytest.approx(367.18 / 182.963)


def test_a_guest_that_got_nothing() -> None:
    found = fairness([1.0, 0.0])
    assert math.isinf(found.max_over_min) and found.worst_share == 0 and found.jain == pytest.approx(0.5)
    over = over_blocks("runc", [[1.0, 0.0]] * 6)
    assert over is not None and over.max_over_min is None and over.worst_share.estimate.value == 0


@pytest.mark.parametrize("rates", [[0.0, 0.0], [1.0, -1.0], [math.inf, 1.0]])
def test_what_has_no_shares(rates: list[float]) -> None:
    with pytest.raises(ValueError, match="positive sum"):
        shares(rates)


@pytest.mark.parametrize("quotas", [(0.3, 0.3, 0.6), (0.5, 0.5), (0.2, 0.3, 0.5, 1.0), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)])
@pytest.mark.parametrize("sd", [0.01, 0.1])
def test_injected_shares_are_found(quotas: tuple[float, ...], sd: float) -> None:
    """What guests of one trial meet on average: the truth comes from a hundred thousand trials."""
    rng = np.random.default_rng(21)
    many = np.array(quotas) * np.exp(rng.normal(0, sd, (100_000, len(quotas))))
    part = many / many.sum(axis=1, keepdims=True)
    cv = part.std(axis=1) * len(quotas)
    truth = (part.min(axis=1).mean(), math.exp(np.log(many.max(axis=1) / many.min(axis=1)).mean()), cv.mean())
    jain = (1 / (1 + cv**2)).mean()
    hits = 0
    for _ in range(REPETITIONS):
        found = over_blocks("runc", [[quota * noisy(rng, sd) for quota in quotas] for _ in range(8)])
        assert found is not None and found.max_over_min is not None
        hits += (
            covered(found.worst_share.estimate.low, truth[0], found.worst_share.estimate.high)
            and covered(found.max_over_min.estimate.low, truth[1], found.max_over_min.estimate.high)
            and covered(found.cv.estimate.low, truth[2], found.cv.estimate.high)
            and covered(found.jain.estimate.low, jain, found.jain.estimate.high)
        )
    assert hits >= LEAST


def test_intervals_stay_within_what_is_possible() -> None:
    rng = np.random.default_rng(22)
    found = over_blocks("runc", [[noisy(rng, 0.5) for _ in range(2)] for _ in range(6)])
    assert found is not None and found.jain.estimate.high is not None and found.worst_share.estimate.high is not None
    assert found.jain.estimate.high <= 1 and found.worst_share.estimate.high <= 0.5
    assert found.cv.estimate.low is not None and found.cv.estimate.low >= 0
    assert (
        found.max_over_min is not None
        and found.max_over_min.estimate.low is not None
        and found.max_over_min.estimate.low >= 1
    )


def test_few_blocks_have_no_interval() -> None:
    found = over_blocks("runc", [[1.0, 2.0]] * 5)
    assert found is not None and found.worst_share.estimate.low is None and found.jain.estimate.high is None
    assert over_blocks("runc", []) is None
