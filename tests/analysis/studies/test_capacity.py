"""How many guests a host carries: printed numbers by hand, and a campaign with known ones."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import ALONE, NATIVE, first_blocks, linpack, made
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
    assert found.campaigns == (0,)


def test_rows_of_several_campaigns_have_one_median() -> None:
    """Two guests reach 1.9, 1.6 and 1.2 times the speed of one: the first two in a campaign, the last in another."""
    reached = {1000: 1.9, 2000: 1.6, 4000: 1.2}

    def campaign(name: str, *sizes: int) -> Analysis:
        works = [linpack(size, 1e9) for size in sizes]

        def rate(placement: Placement, trial: Trial) -> float:
            guests = sum(one.role != "service" for one in trial.placements)
            return 1e9 * (1.0 if guests == 1 else reached[int(placement.workload.split()[1])] / 2)

        growing = {"name": "growing", "type": "together", "environment": name, "guests": [1, 2]}
        return made([NATIVE, Place(name, "lxc")], works, rate, [growing, ALONE])

    some = campaign("box", 1000, 2000), campaign("pod", 4000)
    selector = {"item": ["6.1", "6.2"]}
    found = carried("tsiouprou2010", selector, *some)
    two = found.works[0].groups[0]
    assert two.total_now is not None and two.kept_now is not None
    assert (two.guests, two.total_now.value, two.kept_now.value) == pytest.approx((2, 1.6, 0.8))
    assert (found.works[0].by, found.campaigns) == ("box, pod", (0, 1))
    first = carried("tsiouprou2010", selector, some[0])
    assert first.works[0].groups[0].total_now is not None and first.campaigns == (0,)
    assert first.works[0].groups[0].total_now.value == pytest.approx((1.9 * 1.6) ** 0.5)
    whole = carried("tsiouprou2010", selector, some[0], first_blocks(some[1], 4))
    assert whole.campaigns == (0,) and whole.works[0].groups[0].total_now == first.works[0].groups[0].total_now
