"""How well a guest's clock keeps time."""

from __future__ import annotations

import math
from dataclasses import astuple, replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, lied, simulate, with_runs
from virtometer.analysis import by_guest_clocks
from virtometer.analysis.describe.clocks import clock_qualities
from virtometer.model import Campaign, ClockFault, ClockFit, Excluded

CLOCK = Work("clock", "clock", "watch", "s", 3e-8)


def campaign(rates: list[float], extra: dict[str, Any] | None = None, **more: Any) -> Campaign:
    made = simulate([Place("native")], [CLOCK], blocks=len(rates), **more)
    trials = tuple(
        replace(
            record,
            runs=tuple(
                changed(one, clock=replace(one.scored.clock, rate=rate, rate_bound=2e-6 * rate), **(extra or {}))
                for one in record.runs
            ),
        )
        for record, rate in zip(made.trials, rates, strict=True)
    )
    return replace(made, trials=trials)


def test_rates_are_reported_as_how_much_the_clock_gains() -> None:
    (quality,) = clock_qualities(campaign([1 / 1.0001, 1 / 1.0002, 1 / 0.9999]))
    assert quality.rate_ppm == pytest.approx(100)
    assert (quality.rate_low_ppm, quality.rate_high_ppm) == pytest.approx((-100, 200))
    assert quality.bound_ppm == pytest.approx(2, rel=1e-3)
    assert quality.max_abs_ppm == pytest.approx(202, rel=1e-3), "the worst rate, and what is not known of it"
    assert quality.min_abs_ppm == pytest.approx(198, rel=1e-3)
    assert quality.runs == 3


def test_the_bound_of_a_clock_that_runs_away_is_reported_as_its_rate_is() -> None:
    (quality,) = clock_qualities(campaign([1 / 190]))
    assert quality.rate_ppm == pytest.approx(189e6)
    assert quality.bound_ppm == pytest.approx(2 * 190), "2 ppm of 190 seconds a second"


def test_the_error_of_a_duration_is_the_rate_and_what_does_not_shrink() -> None:
    measures = {
        "resolution-monotonic": {"unit": "s", "value": 4e-3},
        "cost-monotonic": {"unit": "s", "value": 0.0},
    }
    (quality,) = clock_qualities(campaign([1 / 1.001], {"measures": measures}))
    assert quality.fixed_s == pytest.approx(4e-3 / 1.001), "in host time"
    assert quality.error(math.inf) == pytest.approx(0.001002, rel=1e-5), "with the bound of the comparison"
    assert quality.error(1.0) == pytest.approx(0.001 + 0.004, rel=0.01)


@pytest.mark.parametrize("measured", [[], ["cost-monotonic"], ["resolution-monotonic"]])
def test_what_the_workload_did_not_measure_is_not_zero(measured: list[str]) -> None:
    (quality,) = clock_qualities(
        campaign([1.0], {"measures": {name: {"unit": "s", "value": 1e-8} for name in measured}})
    )
    assert quality.fixed_s is None
    assert quality.error(1e-6) == quality.error(math.inf) == pytest.approx(2e-6)


def test_raw_values_leave_the_comparison_of_clocks_as_it_was() -> None:
    made = campaign([1 / 1.0001, 1 / 1.0002, 1 / 0.9999])
    assert clock_qualities(by_guest_clocks(made)) == clock_qualities(made)


def guest_by_guest(campaign: Campaign, guests: list[str], gained_ns: list[int]) -> Campaign:
    """Runs a minute apart, in these guests, each with a clock that has gained so much by then."""
    trials = []
    for number, (record, guest, gained) in enumerate(zip(campaign.trials, guests, gained_ns, strict=True)):
        host = 60_000_000_000 * number
        fit = ClockFit(5_000 + host + gained, host, 1.0, 1_000.0, 1e-6, 10)
        trials.append(replace(record, runs=tuple(changed(one, guest_id=guest, clock=fit) for one in record.runs)))
    return replace(campaign, trials=tuple(trials))


def test_offsets_between_the_runs_of_one_guest_are_its_drift() -> None:
    made = guest_by_guest(campaign([1.0] * 5), ["a", "b", "b", "b", "c"], [0, 7_000, 9_000, -113_000, 50_000])
    (quality,) = clock_qualities(made)
    assert quality.drift is not None
    assert astuple(quality.drift) == pytest.approx((-120e-6, 2e-6, 120.0))
    assert quality.drift.ppm == pytest.approx(-1.0)


def test_guests_that_had_one_run_each_have_no_drift() -> None:
    (quality,) = clock_qualities(campaign([1.0, 1.0]))
    assert quality.drift is None


@pytest.mark.parametrize(
    ("architectures", "counter"),
    [(["x86_64"], "TSC"), (["i686"], "TSC"), (["aarch64"], ""), (["x86_64", "aarch64"], ""), ([], "")],
)
def test_the_counter_is_called_tsc_where_it_is_one(architectures: list[str], counter: str) -> None:
    made = campaign([1.0, 1.0])
    guests = tuple(replace(made.guests[0], effective={"facts": {"architecture": one}}) for one in architectures)
    (quality,) = clock_qualities(replace(made, guests=guests))
    assert quality.counter == counter


def failed(of: Campaign, faults: dict[int, ClockFault]) -> Campaign:
    """Some of the trials failed by their clocks."""
    trials = tuple(
        lied(record, faults[record.trial.index]) if record.trial.index in faults else record for record in of.trials
    )
    return replace(of, trials=trials)


def test_samples_that_were_too_short_for_the_clock_are_counted_where_the_run_was_right() -> None:
    made = simulate([Place("native")], [CLOCK], blocks=1)
    (run,) = made.trials[0].runs
    first, second, *rest = run.samples
    short = replace(first, excluded=Excluded.CLOCK_ERROR, mark="clock error ±0.6% exceeds the limit of 0.5%")
    outside = replace(second, excluded=Excluded.OUTSIDE, mark="outside the stretch")
    (quality,) = clock_qualities(with_runs(made, lambda run: replace(run, samples=(short, outside, *rest))))
    assert (quality.runs, quality.rejected) == (1, 1)


def test_runs_that_failed_by_a_step_are_counted_with_their_size() -> None:
    step = ClockFault("stepped", -3.0, 1.25)
    (quality,) = clock_qualities(failed(campaign([1.0, 1.0, 1.0]), {1: step}))
    assert (quality.faults, quality.runs) == ({"stepped": [step]}, 2)
    assert quality.step_s == pytest.approx(3.0)
    assert quality.rejected == 4
    assert quality.error(6.0) == pytest.approx(0.5, rel=0.01)
    assert not quality.unusable


@pytest.mark.parametrize(
    "fault",
    [
        ClockFault("stepped", 3.0, 0.4),
        ClockFault("went-back", -3.0, 0.4),
        ClockFault("stood-still", None, 0.4),
        ClockFault("uncertain", bound=0.0064),
        ClockFault("contradicts"),
    ],
)
def test_a_clock_that_was_never_right_is_reported_as_one(fault: ClockFault) -> None:
    (quality,) = clock_qualities(failed(campaign([1.0, 1.0]), {0: fault, 1: fault}))
    assert (quality.runs, quality.faults) == (0, {fault.kind: [fault, fault]})
    assert quality.unusable
    assert math.isnan(quality.rate_ppm) and math.isnan(quality.bound_ppm), "no run says nothing of the rate"
    assert quality.error(math.inf) == quality.error(1.0) == 1.0


@pytest.mark.parametrize(("kind", "unusable"), [("stood-still", True), ("contradicts", True), ("uncertain", False)])
def test_one_run_in_which_a_clock_stood_still_is_enough(kind: Any, unusable: bool) -> None:
    (quality,) = clock_qualities(failed(campaign([1.0, 1.0]), {0: ClockFault(kind)}))
    assert quality.unusable == unusable


def test_what_failed_for_another_reason_says_nothing_of_the_clock() -> None:
    made = campaign([1.0, 1.0])
    died = lied(made.trials[0], ClockFault("stepped"))
    died = replace(died, runs=tuple(replace(run, fault=None) for run in died.runs))
    (quality,) = clock_qualities(replace(made, trials=(died, made.trials[1])))
    assert (quality.runs, quality.faults, quality.rejected) == (1, {}, 0)
    assert clock_qualities(replace(made, trials=(died,))) == ()


def test_an_environment_that_never_ran_has_no_clock() -> None:
    made = simulate([Place("native"), Place("KVM", works=False, reason="no")], [CLOCK])
    assert [quality.environment for quality in clock_qualities(made)] == ["native"]
