"""The knee of latency under rising load: of one block, over the blocks, and against known truths."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from virtometer.analysis.statistics.knee import LATER, BlockKnee, Load, Middle, Position, Range, middle, of_block, ratio

RATES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)
REPETITIONS, LEAST = 100, 95
Curve = Callable[[float], tuple[float, float]]
"""Latency in s and the part of the offered rate that is reached, at a rate."""


def queue(capacity: float, window_s: float = 0.5) -> Curve:
    """M/M/1: latency is doubled at half of the capacity; beyond it the backlog grows for the whole window."""

    def at(rate: float) -> tuple[float, float]:
        load = rate / capacity
        if load < 0.999:
            return min(1e-4 / (1 - load), window_s), 1.0
        return max(window_s * (1 - 1 / load), 0.1), min(1 / load, 1.0)

    return at


def bent(start: float, power: float) -> Curve:
    """Flat up to `start`, then a power of the rate: twice as high at start * 2 ** (1 / power)."""
    return lambda rate: (1e-4 * max(1.0, (rate / start) ** power), 1.0)


def cliff(capacity: float) -> Curve:
    """Flat up to the capacity, and then a backlog."""
    return lambda rate: (1e-4, 1.0) if rate <= capacity else (0.25 * (1 - capacity / rate) + 1e-4, capacity / rate)


def flat(_rate: float) -> tuple[float, float]:
    return 1e-4, 1.0


def loads(curve: Curve, rates: tuple[int, ...] = RATES, factor: Callable[[], float] = lambda: 1.0) -> list[Load]:
    return [Load(rate, curve(rate)[0] * factor(), curve(rate)[1]) for rate in rates]


def a_block(curve: Curve, rates: tuple[int, ...] = RATES) -> BlockKnee:
    found = of_block(loads(curve, rates))
    assert found is not None
    return found


def blocks(curves: list[Curve], rng: np.random.Generator, sd: float, rare: float = 0.0) -> list[BlockKnee]:
    """One block a curve; the latency of each rate has noise, and a chance of `rare` to be 30 times as high."""
    made = []
    for curve in curves:
        found = of_block(
            loads(curve, factor=lambda: math.exp(rng.normal(0, sd)) * (30.0 if rng.random() < rare else 1.0))
        )
        assert found is not None
        made.append(found)
    return made


def encloses(found: Middle | None, truth: float) -> bool:
    assert found is not None
    return (found.low is None or found.low <= truth) and (found.high is None or truth <= found.high)


@pytest.mark.parametrize(
    ("curve", "truth", "between"),
    [
        (queue(12_000), 6000, (4000, 8000)),
        (queue(40_000), 20_000, (16_000, 32_000)),
        (bent(4000, 2), 4000 * math.sqrt(2), (4000, 8000)),
        (cliff(20_000), 20_000, (16_000, 32_000)),
    ],
)
def test_a_quiet_block_gives_the_knee_and_the_rates_beside_it(
    curve: Curve, truth: float, between: tuple[float, float]
) -> None:
    found = a_block(curve)
    assert found.between == Range(*between)
    # The smallest rate has a small part of the load already, and between two rates the curve is not known.
    assert found.at.low == found.at.high == pytest.approx(truth, rel=0.2)


def test_of_a_queue_the_inverse_is_linear_and_interpolation_exact() -> None:
    found = a_block(queue(12_000), (100, 200, 2000, 4000, 8000, 16_000))
    # Twice the geometric mean of the smallest two rates, which have a load of their own.
    left = math.sqrt((1 - 100 / 12_000) * (1 - 200 / 12_000)) / LATER
    assert found.at.low == pytest.approx(12_000 * (1 - left), rel=1e-9)


def test_an_overload_alone_is_a_knee_at_what_was_reached() -> None:
    """Latency that stays low where requests are lost or late is no good latency."""
    found = of_block([Load(1, 1.0), Load(2, 1.0), Load(4, 1.1), Load(8, 1.2, 0.75), Load(16, 1.3, 0.4)])
    assert found == BlockKnee(Range(4, 8), Range(6, 6))
    found = of_block([Load(1, 1.0), Load(2, 1.0), Load(4, 1.1), Load(8, 1.2, 0.3)])
    assert found == BlockKnee(Range(4, 8), Range(4, 4)), "less than at a lower rate: no less than that rate"


def test_a_lack_at_one_rate_alone_is_no_overload() -> None:
    """A stop at the end of one window delays its last responses; an overload stays one at higher rates."""
    found = of_block([Load(1, 1.0), Load(2, 1.0, 0.9), Load(4, 1.0), Load(8, 1.0), Load(16, 1.0)])
    assert found == BlockKnee(Range(16, math.inf), Range(16, math.inf))


def test_outside_of_the_rates_there_is_a_bound_and_no_number() -> None:
    above = a_block(queue(1e6))
    assert above.between == above.at == Range(64_000, math.inf)
    below = a_block(queue(1200))
    assert below.between == below.at == Range(0.0, 1000)
    saturated = a_block(cliff(300))
    assert saturated.between == saturated.at == Range(0.0, 500)


def test_a_latency_that_is_higher_at_the_smallest_rates_belongs_to_the_flat_part() -> None:
    """Processors that sleep deeply between requests."""
    found = of_block([Load(1, 1.6), Load(2, 1.2), Load(4, 1.0), Load(8, 1.1), Load(16, 9.0)])
    assert found is not None and found.between == Range(8, 16)


def test_one_rate_that_was_disturbed_is_pooled() -> None:
    found = of_block([Load(1, 1.0), Load(2, 1.0), Load(4, 2.5), Load(8, 1.0), Load(16, 1.0), Load(32, 50.0)])
    assert found is not None and found.between == Range(16, 32)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_rates_have_no_knee(count: int) -> None:
    assert of_block(loads(flat, RATES[:count])) is None


def test_a_missing_rate_makes_the_bounds_wider() -> None:
    found = a_block(queue(12_000), (500, 1000, 2000, 8000, 16_000))
    assert found.between == Range(2000, 8000)
    assert a_block(queue(40_000), RATES[:5]).between == Range(8000, math.inf)


@pytest.mark.parametrize("count", [6, 9, 14])
@pytest.mark.parametrize("sd", [0.05, 0.2, 0.5])
@pytest.mark.parametrize(
    ("curve", "truth"),
    [
        (queue(12_000), 6000),
        (queue(15_000), 7500),
        (queue(60_000), 30_000),
        (bent(3000, 1.5), 3000 * 2 ** (1 / 1.5)),
        (cliff(20_000), 20_000),
    ],
    ids=["queue 6000", "queue 7500", "queue 30000", "bent", "cliff"],
)
def test_a_known_knee_lies_in_the_interval(curve: Curve, truth: float, sd: float, count: int) -> None:
    rng = np.random.default_rng(71)
    found = [middle(blocks([curve] * count, rng, sd)) for _ in range(REPETITIONS)]
    assert sum(encloses(one, truth) for one in found) >= LEAST
    if sd <= 0.2:
        within = [one for one in found if one is not None and one.position is Position.WITHIN]
        assert len(within) == REPETITIONS
        middle_of_all = math.exp(np.mean([math.log(one.value) for one in within if one.value is not None]))
        assert middle_of_all == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize("spread", [0.1, 0.4])
def test_capacities_that_change_between_the_blocks_have_their_median_in_the_interval(spread: float) -> None:
    rng = np.random.default_rng(72)
    hits = 0
    for _ in range(REPETITIONS):
        curves = [queue(20_000 * math.exp(rng.normal(0, spread))) for _ in range(9)]
        hits += encloses(middle(blocks(curves, rng, 0.2)), 10_000)
    assert hits >= LEAST


def test_one_rate_in_fifty_that_is_thirty_times_as_slow_does_not_hide_the_knee() -> None:
    rng = np.random.default_rng(73)
    found = [middle(blocks([queue(20_000)] * 9, rng, 0.2, rare=0.02)) for _ in range(REPETITIONS)]
    assert sum(encloses(one, 10_000) for one in found) >= LEAST
    assert sum(one is not None and one.position is Position.WITHIN for one in found) >= LEAST


@pytest.mark.parametrize("sd", [0.05, 0.2, 0.4])
def test_without_a_knee_in_the_range_there_is_no_number(sd: float) -> None:
    rng = np.random.default_rng(74)
    above = below = 0
    for _ in range(REPETITIONS):
        found = middle(blocks([flat] * 9, rng, sd))
        assert found is not None and found.high is None
        above += found.position is Position.ABOVE and found.value is None
        found = middle(blocks([cliff(300)] * 9, rng, sd))
        assert found == Middle(Position.BELOW, None, None, 500, 9)
        below += 1
    assert above >= LEAST and below == REPETITIONS


@pytest.mark.parametrize("sd", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("times", [1.0, 0.5, 0.2])
def test_a_known_ratio_lies_in_the_interval(times: float, sd: float) -> None:
    rng = np.random.default_rng(75)
    hits = 0
    for _ in range(REPETITIONS):
        capacities = [50_000 * math.exp(rng.normal(0, 0.2)) for _ in range(9)]
        against = blocks([queue(one) for one in capacities], rng, sd)
        subject = blocks([queue(one * times) for one in capacities], rng, sd)
        found = middle([ratio(one, other) for one, other in zip(subject, against, strict=True)])
        assert found is not None and found.n == 9
        hits += encloses(found, times)
    assert hits >= LEAST


def test_the_ratio_to_a_knee_above_the_range_is_below_a_bound() -> None:
    inside, outside = a_block(queue(12_000)), a_block(flat)
    assert ratio(inside, outside).between == Range(0.0, 8000 / 64_000)
    assert ratio(outside, inside).between == Range(64_000 / 8000, math.inf)
    found = middle([ratio(inside, outside)] * 6)
    assert found == Middle(Position.BELOW, None, None, 0.125, 6)
    found = middle([ratio(outside, inside)] * 6)
    assert found == Middle(Position.ABOVE, None, 8.0, None, 6)


def test_of_two_knees_on_the_same_side_no_ratio_is_known() -> None:
    for curve in (flat, cliff(300)):
        one = a_block(curve)
        assert middle([ratio(one, one)] * 6) == Middle(Position.UNKNOWN, None, None, None, 6)


def test_blocks_that_say_nothing_widen_the_interval_alone() -> None:
    inside, outside = a_block(queue(12_000)), a_block(flat)
    known, unknown = ratio(inside, inside), ratio(outside, outside)
    found = middle([known] * 6 + [unknown])
    assert found is not None
    assert (found.position, found.value, found.low, found.high) == (Position.WITHIN, 1.0, None, None)
    found = middle([known] * 8 + [unknown])
    assert found == Middle(Position.WITHIN, 1.0, 0.5, 2.0, 9)


def test_blocks_that_contradict_each_other_say_so() -> None:
    above, below = a_block(flat), a_block(cliff(300))
    found = middle([above] * 4 + [below] * 4)
    assert found is not None and (found.position, found.low, found.high) == (Position.UNKNOWN, None, None)


@pytest.mark.parametrize(("n", "left_out"), [(6, 0), (8, 0), (9, 1), (11, 1), (12, 2)])
def test_the_interval_is_that_of_a_median(n: int, left_out: int) -> None:
    """W. J. Conover, Practical Nonparametric Statistics: the ranks of a 95 % interval."""
    made = [BlockKnee(Range(k, k + 0.5), Range(k, k)) for k in range(1, n + 1)]
    found = middle(made)
    assert found is not None and (found.low, found.high) == (1 + left_out, n - left_out + 0.5)


def test_fewer_blocks_have_no_interval() -> None:
    found = middle([a_block(queue(12_000))] * 5)
    assert found is not None and (found.position, found.low, found.high, found.n) == (Position.WITHIN, None, None, 5)
    assert middle([a_block(flat)] * 5) == Middle(Position.ABOVE, None, None, None, 5)
    assert middle([a_block(cliff(300))] * 5) == Middle(Position.BELOW, None, None, None, 5)
    assert middle([]) is None
