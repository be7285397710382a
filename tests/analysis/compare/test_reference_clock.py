"""The same work by the guest's clock, by that clock corrected, and by a reference clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from virtometer.analysis.compare.reference_clock import timed
from virtometer.analysis.describe.measures import further_measures
from virtometer.analysis.score.raw import by_guest_clocks
from virtometer.model import Campaign, Run

WORK = Work("cpu", "linpack", "classic", "FLOP/s", 1e9)
KEY = ("cpu", "native")


def campaign(own: float, reference: float, rate: float) -> Campaign:
    """Three trials with `own` FLOP/s by the guests' clocks, and `reference` by a reference clock."""
    made = simulate([Place("native")], [WORK], blocks=3)
    told = {
        "guest-rate": {"unit": "FLOP/s", "value": own},
        "reference-rate": {"unit": "FLOP/s", "value": reference},
        "reference-round-trip": {"unit": "s", "value": 1e-4},
    }

    def put(run: Run) -> Run:
        guest_s = sum(sample.end_ns - sample.start_ns for sample in run.samples) * 1e-9
        value = run.scored.work / (guest_s * rate)
        return changed(run, value=value, measures=told, clock=replace(run.scored.clock, rate=rate))

    return with_runs(made, put)


def test_a_fast_clock_is_put_right_and_compared() -> None:
    """A guest second lasts half a host second: by its own clock it is half as fast as it is."""
    found = timed(campaign(own=1e9, reference=1.98e9, rate=0.5))[KEY]
    assert (found.unit, found.own, found.reference, found.round_trip, found.trials) == ("FLOP/s", 1e9, 1.98e9, 1e-4, 3)
    assert found.corrected == pytest.approx(2e9)
    assert found.difference == pytest.approx(-0.01)


def test_raw_values_leave_the_three_ways_as_they_were() -> None:
    made = campaign(own=1e9, reference=2e9, rate=0.5)
    assert timed(by_guest_clocks(made)) == timed(made)


def test_what_each_clock_said_is_reported_as_it_said_it() -> None:
    told = further_measures(campaign(own=1e9, reference=2e9, rate=0.5))[KEY]
    assert [told[name].estimate.value for name in ("guest-rate", "reference-rate")] == [1e9, 2e9]
    assert told["reference-round-trip"].estimate.value == 1e-4


def test_without_an_reference_clock_there_is_nothing_to_compare() -> None:
    assert timed(simulate([Place("native")], [WORK], blocks=2)) == {}
