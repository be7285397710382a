"""Host CPU seconds per unit of work against the baseline's, and why there are none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, finding_of, gaussian, simulate
from tests.sentences import Said
from virtometer.analysis.compare import cost
from virtometer.analysis.compare.blocks import TreatmentData, by_treatment
from virtometer.model import Failure, FailureKind

NATIVE = Place("native")
DIED = Failure(FailureKind.GUEST, "the guest died")


def test_host_cpu_per_unit_of_work_is_a_within_block_ratio() -> None:
    campaign = simulate([NATIVE, Place("uml", efficiency={"": 0.5}, cost=3.0)], noise=gaussian(0.05), samples=1)
    found = finding_of(campaign, "uml").host_cpu_ratio
    assert found is not None and found.n == 8
    assert (found.metric, found.better, found.reference) == ("host CPU time per unit of work", "lower", "native")
    one = found.estimate
    assert one.value == pytest.approx(3.0)
    assert one.low is not None and one.high is not None
    assert one.low <= 3.0 + 1e-9 and one.high >= 3.0 - 1e-9


def test_a_guest_without_an_account_of_its_cpu_time_has_no_cost_and_a_note() -> None:
    found = finding_of(simulate([NATIVE, Place("far", cost=None)]), "far")
    assert found.host_cpu_ratio is None
    assert "the host CPU time of far is unknown" in found.notes


def cells_of(subject: Place, against: Place = NATIVE, **more: Any) -> tuple[TreatmentData, TreatmentData]:
    """The cells of two environments in one workload."""
    table = by_treatment(simulate([against, subject], noise=gaussian(0.05), samples=1, **more))
    return table["memory triad 64 MB", subject.name], table["memory triad 64 MB", against.name]


def test_the_ratio_is_turned_round_with_its_sides() -> None:
    subject, against = cells_of(Place("uml", cost=3.0))
    there, back = cost.ratio(subject, against), cost.ratio(against, subject)
    assert there is not None and back is not None
    assert there.estimate.value * back.estimate.value == pytest.approx(1.0)
    assert cost.notes(subject, against) == []


def test_blocks_that_only_one_side_has_do_not_count() -> None:
    subject, against = cells_of(Place("uml", cost=3.0))
    del subject.costs[0], against.costs[1]
    found = cost.ratio(subject, against)
    assert found is not None and found.n == 6
    subject.costs.clear()
    assert cost.ratio(subject, against) is None


def test_every_side_without_an_account_is_named() -> None:
    subject, against = cells_of(Place("far", cost=None), Place("native", cost=None))
    assert cost.notes(subject, against) == [
        "the host CPU time of far is unknown",
        "the host CPU time of native is unknown",
    ]
    assert cost.notes(against, against) == ["the host CPU time of native is unknown"], "once"


def test_an_account_with_gaps_is_reported_with_their_number() -> None:
    subject, against = cells_of(Place("uml"))
    subject.cost_gaps = 1
    assert cost.notes(subject, against) == ["the host CPU time of uml is missing in 1 of 8 trials"]


@pytest.mark.parametrize("side", [0, 1])
def test_time_between_the_samples_says_nothing_about_the_work(said: Said, side: int) -> None:
    both = cells_of(Place("far", cost=None))
    both[side].untimed = True
    (note,) = cost.notes(*both)
    said(note)


def test_without_a_value_nothing_is_missing() -> None:
    subject, against = cells_of(Place("far", cost=None), fail=dict.fromkeys(range(16), DIED))
    assert cost.notes(subject, against) == []
