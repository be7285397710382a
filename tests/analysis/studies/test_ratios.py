"""Ratios of speeds, printed and measured."""

from __future__ import annotations

import math

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import HALF, NATIVE, levels, linpack, made
from virtometer.analysis.studies import ratios
from virtometer.analysis.studies.matching import Matcher
from virtometer.studies.data import value
from virtometer.studies.sections import description

GUEST, BARE = value("tsiouprou2010/5.1/r1c3"), value("tsiouprou2010/5.1/r1c5")
TOTAL = value("lemberger2010/appendix-CPU-Linpack-parallel/r1c1")


def test_a_shorter_time_is_a_higher_speed_and_totals_count_for_one_run() -> None:
    assert ratios.ratio_then(GUEST, BARE) == pytest.approx(0.332 / 0.333)
    assert ratios.speed_then(TOTAL) == pytest.approx(1 / 21.321)
    assert ratios.speed(0.0, "higher") is None and ratios.speed(4.0, "") == 4.0


def test_the_median_of_positive_numbers() -> None:
    found = ratios.ratios([3.0, None, 1.0, 0.0, 2.5, math.inf])
    assert found == ratios.Ratios(2.5, 1.0, 3.0, 3)
    assert ratios.ratios([None]) is None


def test_a_series_is_not_compared_with_itself() -> None:
    works = [linpack(1000, 1e9)]
    box = Place("box", "lxc", {"": 0.5})
    matcher = Matcher(description("tsiouprou2010"), [made([NATIVE, box], works, levels([NATIVE, box], works))])
    found = ratios.ratio_now(GUEST, BARE, matcher)
    assert found is not None and found[0] == 0
    assert dict(found[1]) == pytest.approx(dict.fromkeys(range(8), math.log(0.5)))
    assert ratios.ratio_now(GUEST, GUEST, matcher) is None


def test_means_and_medians_within_the_blocks_that_all_have() -> None:
    some = [(0, {0: 0.0, 1: 0.0, 2: 9.0}), (0, {0: 0.3, 1: 0.3}), (0, {0: 0.9, 1: 0.9})]
    mean, middle = ratios.joined(some), ratios.joined(some, median=True)
    assert mean is not None and middle is not None
    assert (mean.value, middle.value, mean.n) == pytest.approx((math.exp(0.4), math.exp(0.3), 2))
    assert ratios.joined([]) is None


def steady(campaign: int, log: float, *, swing: float = 0.0, first: int = 0, count: int = 8) -> ratios.Paired:
    return campaign, {first + at: log + (swing if at % 2 else -swing) for at in range(count)}


def test_ratios_of_several_campaigns_count_alike_and_their_blocks_stand_in_their_order() -> None:
    found = ratios.joined([steady(0, 0.2, swing=0.3), steady(3, 0.5, first=10), steady(3, 0.8, first=10)])
    assert found is not None and found.low is not None and found.high is not None
    # The mean of three, a third of whose swing of 0.3 is left.
    assert (found.value, found.low, found.high, found.n) == pytest.approx(
        (math.exp(0.5), math.exp(0.5 - HALF), math.exp(0.5 + HALF), 8), rel=1e-6
    )
    middle = ratios.joined([steady(0, 0.2), steady(3, 0.5, first=10), steady(3, 0.9, first=10)], median=True)
    assert middle is not None and middle.value == pytest.approx(math.exp(0.5))


def test_the_campaign_with_the_fewest_blocks_says_how_many_there_are() -> None:
    found = ratios.joined([steady(0, 0.2), steady(1, 0.4, count=6)])
    assert found is not None and (found.value, found.n) == pytest.approx((math.exp(0.3), 6))


def test_a_campaign_with_too_few_blocks_does_not_take_part_beside_one_with_enough() -> None:
    whole, few = steady(0, 0.2), steady(1, 0.4, count=5)
    assert ratios.taking_part([few, whole, (2, {})]) == [whole]
    assert ratios.campaigns_of([whole, few, whole]) == (0, 1)
    found = ratios.joined([few, whole])
    assert found is not None and (found.value, found.n) == pytest.approx((math.exp(0.2), 8))
    alone = ratios.joined([few])
    assert alone is not None and alone.value == pytest.approx(math.exp(0.4)) and alone.low is None


def test_a_pair_is_from_the_first_campaign_that_has_both_cells() -> None:
    works = [linpack(1000, 1e9)]
    slow, fast = Place("slow", "lxc", {"": 0.5}), Place("fast", "lxc", {"": 0.8})
    bare = made([NATIVE], works, levels([NATIVE], works))
    guest = made([slow], works, levels([slow], works))
    both = made([NATIVE, fast], works, levels([NATIVE, fast], works))
    of = description("tsiouprou2010")
    assert ratios.ratio_now(GUEST, BARE, Matcher(of, [bare, guest])) is None
    found = ratios.ratio_now(GUEST, BARE, Matcher(of, [bare, guest, both]))
    assert found is not None and found[0] == 2
    assert dict(found[1]) == pytest.approx(dict.fromkeys(range(8), math.log(0.8)))
