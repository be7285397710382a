"""Ratios of speeds, printed and measured."""

from __future__ import annotations

import math

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
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
    assert dict(found) == pytest.approx(dict.fromkeys(range(8), math.log(0.5)))
    assert ratios.ratio_now(GUEST, GUEST, matcher) == {}


def test_means_and_medians_within_the_blocks_that_all_have() -> None:
    some = [{0: 0.0, 1: 0.0, 2: 9.0}, {0: 0.3, 1: 0.3}, {0: 0.9, 1: 0.9}]
    mean, middle = ratios.joined(some), ratios.joined(some, median=True)
    assert mean is not None and middle is not None
    assert (mean.value, middle.value, mean.n) == pytest.approx((math.exp(0.4), math.exp(0.3), 2))
    assert ratios.joined([]) is None
