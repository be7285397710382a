"""How many guests a host carries: printed numbers by hand, and a campaign with known ones."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import ALONE, NATIVE, linpack, made
from virtometer.analysis import Analysis
from virtometer.analysis.studies.capacity import CapacityFound, Reach, capacity
from virtometer.analysis.studies.matching import Matcher
from virtometer.model import Placement, Trial
from virtometer.studies.data import items, values
from virtometer.studies.questions import Capacity, Work
from virtometer.studies.sections import description


def carried(study: str, selector: dict[str, list[str]], *analyses: Analysis, kept: float = 0.9) -> CapacityFound:
    cells = [one for item in items(study) for one in values(study, item)]
    of = Capacity(works=[Work(name="work", cells=selector)], kept=kept)
    return capacity(of, cells, Matcher(description(study), analyses))


def test_two_guests_that_compute_keep_their_speed_and_three_do_not() -> None:
    found = carried("tsiouprou2010", {"item": ["6.1", "6.2"], "array_order": ["2000"]}).works[0]
    two, three = found.groups
    assert two.total_then is not None and two.kept_then is not None and three.kept_then is not None
    assert two.total_then.median == pytest.approx(46.56 / 48.686 + 46.56 / 47.22)
    assert two.kept_then.median == pytest.approx(46.56 / 48.686)
    assert three.kept_then.median == pytest.approx(46.56 / 94.591)
    assert (found.keeps_then, found.grows_then) == (Reach(2, 2, 3), Reach(2, 2, 3))
    assert (found.keeps_now, found.grows_now, found.by) == (None, None, "")


def test_sums_alone_give_the_mean_guest() -> None:
    found = carried("lemberger2010", {"item": ["appendix: RAM Summe"]}).works[0]
    assert [one.guests for one in found.groups] == [2, 3]
    ratios = [3373.22 / 2357.87, 5452.74 / 3045.84]
    two = found.groups[0]
    assert two.total_then is not None and two.kept_then is not None
    assert two.total_then.median == pytest.approx(sum(ratios) / 2)
    assert two.kept_then.median == pytest.approx(sum(ratios) / 4)
    assert (found.keeps_then, found.grows_then) == (Reach(1, 1, 3), Reach(2, 2, 3))


def test_numbers_of_guests_that_are_not_printed_stay_open() -> None:
    scores = carried("appel2008", {"item": ["slide: Fair CPU*"]}).works[0]
    assert (scores.keeps_then, scores.grows_then) == (Reach(4, 4, 7), Reach(4, 4, 7))  # 58.93 / 56.24 is below 1.05
    writing = carried("zupka2008", {"item": ["text 5.3.2"], "operation": ["file-write"], "guests": ["1", "3"]}).works[0]
    assert (writing.keeps_then, writing.grows_then) == (Reach(1, 2, 3), Reach(3, 3, 3))
    lower = carried("appel2008", {"item": ["slide: Fair CPU*"]}, kept=0.75).works[0]
    assert lower.keeps_then == Reach(5, 5, 7)


def test_a_campaign_that_carries_two_guests() -> None:
    works, box = [linpack(4000, 1e9)], Place("box", "lxc")

    def rate(placement: Placement, trial: Trial) -> float:
        guests = sum(one.role != "service" for one in trial.placements)
        return works[0].level * {1: 1.0, 2: 0.95, 3: 0.6 if placement.guest < 3 else 0.5}[guests]

    growing = {"name": "growing", "type": "together", "environment": "box", "guests": [1, 2, 3]}
    selector = {"item": ["6.1", "6.2"]}
    found = carried("tsiouprou2010", selector, made([NATIVE, box], works, rate, [growing, ALONE])).works[0]
    two, three = found.groups
    assert two.total_now is not None and three.total_now is not None and three.kept_now is not None
    assert (two.total_now.value, three.total_now.value) == pytest.approx((1.9, 1.7))
    assert (three.kept_now.value, three.kept_now.low) == pytest.approx((0.5, 0.5))
    assert (found.keeps_now, found.grows_now, found.by) == (Reach(2, 2, 3), Reach(2, 2, 3), "box")
