"""Shares of guests: printed ones by hand, and those of campaigns with known ones."""

from __future__ import annotations

import math

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import ALONE, NATIVE, made, named
from virtometer.analysis import Analysis
from virtometer.analysis.studies.fairness import Shared, fairness, widest
from virtometer.analysis.studies.matching import Matcher
from virtometer.model import Placement, Trial
from virtometer.studies.data import items, values
from virtometer.studies.questions import Fairness
from virtometer.studies.questions import Work as Asked
from virtometer.studies.sections import description


def shared(study: str, work: Asked, *analyses: Analysis) -> Shared:
    cells = [one for item in items(study) for one in values(study, item)]
    return fairness(Fairness(works=[work]), cells, Matcher(description(study), analyses)).works[0]


def test_a_network_is_shared_fairly() -> None:
    found = shared("lemberger2010", Asked(name="net", cells={"item": ["appendix: 3-net"], "operation": ["read"]}))
    shares = found.shares[0]
    assert shares.uneven_then is not None and shares.worst_then is not None and not shares.bounded
    assert (shares.uneven_then.median, shares.uneven_then.cells) == pytest.approx((21.44 / 21.31, 1))
    assert shares.worst_then.median == pytest.approx(21.31 / ((21.33 + 21.31 + 21.44) / 3))
    assert (shares.verdict_then, shares.verdict_now) == ("fair", None)


def test_one_of_two_rows_is_unfair() -> None:
    cells = {"item": ["appendix: 3 Netz/Disk (Net)"], "beside": ["disk"]}
    shares = shared("lemberger2010", Asked(name="net", cells=cells)).shares[0]
    assert shares.uneven_then is not None and shares.verdict_then == "partly fair"
    assert (shares.uneven_then.low, shares.uneven_then.high) == pytest.approx((20.47 / 20.1, 25.61 / 6.3))


def test_a_standard_deviation_bounds_the_shares() -> None:
    uneven, least = widest(0.121 / 14.06, 4)
    assert uneven == pytest.approx(1 + 0.121 * math.sqrt(6) / (14.06 - 0.121 * 1.5))
    found = shared("appel2008", Asked(name="cpu", cells={"item": ["slide: Fair CPU*"]}))
    assert [one.guests for one in found.shares] == [4, 5, 6, 7]
    first = found.shares[0]
    assert first.bounded and first.uneven_then is not None and first.worst_then is not None
    assert (first.uneven_then.median, first.worst_then.median) == pytest.approx((uneven, least))
    assert {one.verdict_then for one in found.shares} == {"fair"}


@pytest.mark.parametrize("values_of", [(1.0, 1.0, 0.7), (1.0, 2.0), (0.5, 0.9, 1.0, 1.4)])
def test_no_shares_are_more_uneven_than_their_bound(values_of: tuple[float, ...]) -> None:
    mean = sum(values_of) / len(values_of)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in values_of) / (len(values_of) - 1))
    uneven, least = widest(deviation / mean, len(values_of))
    assert max(values_of) / min(values_of) <= uneven + 1e-12 and min(values_of) / mean >= least - 1e-12


BOX = Place("box", "lxc")
GROUPS = {"name": "growing", "type": "together", "environment": "box", "guests": [1, 3]}
ASKED = Asked(name="disk", measured={"workload": ["disk"]})
WORKS = [Work("read", "disk", "read", "B/s", 100.0)]


def test_a_campaign_with_one_slow_guest() -> None:
    def rate(placement: Placement, trial: Trial) -> float:
        return 50.0 if placement.guest == 2 and len(trial.placements) > 1 else 100.0

    shares = shared("appel2008", ASKED, made([NATIVE, BOX], WORKS, rate, [GROUPS, ALONE])).shares[0]
    assert shares.uneven_now is not None and shares.worst_now is not None and shares.in_blocks is not None
    assert (shares.guests, shares.uneven_now.value, shares.in_blocks.value) == pytest.approx((3, 2, 2))
    assert shares.worst_now.value == pytest.approx(50 / (250 / 3)) and shares.verdict_now == "unfair"
    assert shares.campaigns == (0,)


def test_works_of_several_campaigns_are_judged_as_one() -> None:
    """Reading is shared 2 to 1, writing alike: each in a campaign of the study."""

    def campaign(op: str, slow: float) -> Analysis:
        def rate(placement: Placement, trial: Trial) -> float:
            return slow if placement.guest == 2 and len(trial.placements) > 1 else 100.0

        works = [Work(op, "disk", op, "B/s", 100.0)]
        return named(made([NATIVE, BOX], works, rate, [GROUPS, ALONE]), f"appel2008 {op}")

    found = shared("appel2008", ASKED, campaign("read", 50.0), campaign("write", 100.0))
    shares = found.shares[0]
    assert shares.uneven_now is not None and shares.worst_now is not None and shares.in_blocks is not None
    # The median of two rows is the mean of their logarithms.
    assert (shares.uneven_now.value, shares.in_blocks.value) == pytest.approx((math.sqrt(2), math.sqrt(2)))
    assert shares.worst_now.value == pytest.approx(math.sqrt(50 / (250 / 3)))
    assert (shares.verdict_now, shares.campaigns, found.campaigns) == ("partly fair", (0, 1), (0, 1))


def test_shares_that_are_fair_on_average_but_not_in_single_blocks() -> None:
    def rate(placement: Placement, trial: Trial) -> float:
        return 50.0 if len(trial.placements) > 1 and (placement.guest == 1) is (trial.block % 2 == 0) else 100.0

    groups = {**GROUPS, "guests": [1, 2]}
    shares = shared("appel2008", ASKED, made([NATIVE, BOX], WORKS, rate, [groups, ALONE])).shares[0]
    assert shares.uneven_now is not None and shares.in_blocks is not None
    assert (shares.uneven_now.value, shares.in_blocks.value) == pytest.approx((1.0, 2.0))
    assert shares.verdict_now == "undecided"
