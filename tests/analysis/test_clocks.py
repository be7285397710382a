"""How far a clock can be believed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, lied, simulate
from virtometer.analysis import by_guest_clocks, host_time
from virtometer.analysis.clocks import Drift, beliefs
from virtometer.analysis.host_time import residual_s
from virtometer.model import Campaign, ClockFault, ClockFit, ClockProbe, PlacementResult, Sample

CLOCK = Work("clock", "clock", "watch", "s", 3e-8)
FIT = ClockFit(0, 0, 1.0, 1000.0, 1e-6, 10)


def campaign(rates: list[float], extra: dict[str, Any] | None = None, **more: Any) -> Campaign:
    made = simulate([Place("native")], [CLOCK], blocks=len(rates), **more)
    trials = tuple(
        replace(
            record,
            results=tuple(
                replace(one, clock=replace(one.clock, rate=rate, rate_bound=2e-6 * rate), **(extra or {}))
                for one in record.results
            ),
        )
        for record, rate in zip(made.trials, rates, strict=True)
    )
    return replace(made, trials=trials)


def test_rates_are_told_as_how_much_the_clock_gains() -> None:
    (belief,) = beliefs(campaign([1 / 1.0001, 1 / 1.0002, 1 / 0.9999]))
    assert belief.rate_ppm == pytest.approx(100)
    assert (belief.rate_low_ppm, belief.rate_high_ppm) == pytest.approx((-100, 200))
    assert belief.bound_ppm == pytest.approx(2, rel=1e-3)
    assert belief.worst_ppm == pytest.approx(202, rel=1e-3), "the worst rate, and what is not known of it"
    assert belief.proven_ppm == pytest.approx(198, rel=1e-3)
    assert belief.runs == 3


def test_the_bound_of_a_clock_that_runs_away_is_told_as_its_rate_is() -> None:
    (belief,) = beliefs(campaign([1 / 190]))
    assert belief.rate_ppm == pytest.approx(189e6)
    assert belief.bound_ppm == pytest.approx(2 * 190), "2 ppm of 190 seconds a second"


def test_the_error_of_a_duration_is_the_rate_and_what_does_not_shrink() -> None:
    measures = {
        "resolution-monotonic": {"unit": "s", "value": 4e-3},
        "cost-monotonic": {"unit": "s", "value": 0.0},
    }
    (belief,) = beliefs(campaign([1 / 1.001], {"measures": measures}))
    assert belief.fixed_s == pytest.approx(4e-3 / 1.001), "in host time"
    assert belief.error(math.inf) == pytest.approx(0.001002, rel=1e-5), "with the bound of the comparison"
    assert belief.error(1.0) == pytest.approx(0.001 + 0.004, rel=0.01)


@pytest.mark.parametrize("measured", [[], ["cost-monotonic"], ["resolution-monotonic"]])
def test_what_the_workload_did_not_measure_is_not_zero(measured: list[str]) -> None:
    (belief,) = beliefs(campaign([1.0], {"measures": {name: {"unit": "s", "value": 1e-8} for name in measured}}))
    assert belief.fixed_s is None
    assert belief.error(1e-6) == belief.error(math.inf) == pytest.approx(2e-6)


def test_raw_values_leave_the_comparison_of_clocks_as_it_was() -> None:
    made = campaign([1 / 1.0001, 1 / 1.0002, 1 / 0.9999])
    assert beliefs(by_guest_clocks(made)) == beliefs(made)


def guest_by_guest(campaign: Campaign, guests: list[str], gained_ns: list[int]) -> Campaign:
    """Runs a minute apart, in these guests, each with a clock that has gained so much by then."""
    trials = []
    for number, (record, guest, gained) in enumerate(zip(campaign.trials, guests, gained_ns, strict=True)):
        host = 60_000_000_000 * number
        fit = ClockFit(5_000 + host + gained, host, 1.0, 1_000.0, 1e-6, 10)
        results = tuple(replace(one, guest_id=guest, clock=fit) for one in record.results)
        trials.append(replace(record, results=results))
    return replace(campaign, trials=tuple(trials))


def test_offsets_between_the_runs_of_one_guest_are_its_drift() -> None:
    made = guest_by_guest(campaign([1.0] * 5), ["a", "b", "b", "b", "c"], [0, 7_000, 9_000, -113_000, 50_000])
    (belief,) = beliefs(made)
    assert belief.drift == Drift(pytest.approx(-120e-6), pytest.approx(2e-6), pytest.approx(120.0))
    assert belief.drift is not None and belief.drift.ppm == pytest.approx(-1.0)


def test_guests_that_had_one_run_each_have_no_drift() -> None:
    (belief,) = beliefs(campaign([1.0, 1.0]))
    assert belief.drift is None


@pytest.mark.parametrize(
    ("architectures", "counter"),
    [(["x86_64"], "TSC"), (["i686"], "TSC"), (["aarch64"], ""), (["x86_64", "aarch64"], ""), ([], "")],
)
def test_the_counter_is_called_tsc_where_it_is_one(architectures: list[str], counter: str) -> None:
    made = campaign([1.0, 1.0])
    guests = tuple(replace(made.guests[0], given={"facts": {"architecture": one}}) for one in architectures)
    (belief,) = beliefs(replace(made, guests=guests))
    assert belief.counter == counter


def failed(of: Campaign, faults: dict[int, ClockFault]) -> Campaign:
    """Some of the trials failed by their clocks."""
    trials = tuple(
        lied(record, faults[record.trial.index]) if record.trial.index in faults else record for record in of.trials
    )
    return replace(of, trials=trials)


def test_samples_that_were_too_short_for_the_clock_are_counted_where_the_run_was_right() -> None:
    made = simulate([Place("native")], [CLOCK], blocks=1)
    (record,) = made.trials
    first, second, *rest = record.results[0].samples
    short = replace(first, used=False, mark="clock error ±0.6% exceeds the limit of 0.5%")
    outside = replace(second, used=False, mark="outside the stretch in which all measured placements overlap")
    result = replace(record.results[0], samples=(short, outside, *rest))
    (belief,) = beliefs(replace(made, trials=(replace(record, results=(result,)),)))
    assert (belief.runs, belief.set_aside) == (1, 1)


def test_runs_that_failed_by_a_step_are_counted_with_their_size() -> None:
    step = ClockFault("stepped", -3.0, 1.25)
    (belief,) = beliefs(failed(campaign([1.0, 1.0, 1.0]), {1: step}))
    assert (belief.faults, belief.step_s, belief.runs) == ({"stepped": [step]}, pytest.approx(3.0), 2)
    assert belief.set_aside == 4
    assert belief.error(6.0) == pytest.approx(0.5, rel=0.01)
    assert not belief.hopeless


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
def test_a_clock_that_was_never_right_is_told_as_one(fault: ClockFault) -> None:
    (belief,) = beliefs(failed(campaign([1.0, 1.0]), {0: fault, 1: fault}))
    assert (belief.runs, belief.faults) == (0, {fault.kind: [fault, fault]})
    assert belief.hopeless
    assert math.isnan(belief.rate_ppm) and math.isnan(belief.bound_ppm), "no run says nothing of the rate"
    assert belief.error(math.inf) == belief.error(1.0) == 1.0


@pytest.mark.parametrize(("kind", "hopeless"), [("stood-still", True), ("contradicts", True), ("uncertain", False)])
def test_one_run_in_which_a_clock_stood_still_is_enough(kind: Any, hopeless: bool) -> None:
    (belief,) = beliefs(failed(campaign([1.0, 1.0]), {0: ClockFault(kind)}))
    assert belief.hopeless == hopeless


def test_what_failed_for_another_reason_says_nothing_of_the_clock() -> None:
    made = campaign([1.0, 1.0])
    died = lied(made.trials[0], ClockFault("stepped"))
    died = replace(died, evidence=tuple(replace(left, fault=None) for left in died.evidence))
    (belief,) = beliefs(replace(made, trials=(died, made.trials[1])))
    assert (belief.runs, belief.faults, belief.set_aside) == (1, {}, 0)
    assert beliefs(replace(made, trials=(died,))) == ()


GOOD = [ClockProbe(t - 10, t, t + 5, t + 20) for t in range(0, 1000, 100)]
# Guest time goes on by 2 ms more than the host's between the last good probe and this one, which comes 0.1 s later.
JUMPED = [*GOOD, ClockProbe(100_000_990, 102_001_000, 102_001_005, 100_001_020)]


def with_probes(probes: list[ClockProbe], **conditions: str) -> PlacementResult:
    (record,) = campaign([1.0]).trials
    return replace(record.results[0], clock=FIT, probes=tuple(probes), conditions=conditions)


def test_what_no_line_explains_is_the_residual() -> None:
    assert residual_s(with_probes(GOOD)) == 0.0
    assert residual_s(with_probes(JUMPED)) == pytest.approx(2e-3, rel=1e-3)
    back = [*GOOD, ClockProbe(4_000_990, 1_001_000, 1_001_005, 4_001_020)]
    assert residual_s(with_probes(back)) == pytest.approx(3e-3, rel=1e-3)


def test_the_line_of_work_that_the_laboratory_timed_misses_only_what_is_beyond_its_bound() -> None:
    """It is made of the work, not of the probes: they lie beside it by as much as it says."""
    near = [*GOOD, ClockProbe(1_000_990, 1_001_700, 1_001_705, 1_001_020)]
    assert residual_s(with_probes(near)) == pytest.approx(0.69e-6, rel=0.02)
    assert residual_s(with_probes(near, timing="laboratory")) == 0.0, "within 1 µs"
    assert residual_s(with_probes(JUMPED, timing="laboratory")) == pytest.approx(2e-3 - 1e-6, rel=1e-3)


def bounds_of(probes: list[ClockProbe], *spans: tuple[int, int]) -> list[float]:
    """What the bounds of samples hold beside that of the rate, in s."""
    samples = [Sample(start, end, 1, "") for start, end in spans]
    found = host_time.of(samples, FIT, probes, by_laboratory=False)
    return [one.bound_s - FIT.duration_bound_s(*span) for one, span in zip(found, spans, strict=True)]


def test_what_came_at_once_between_two_probes_is_in_the_bound_of_every_sample_there() -> None:
    ends = [(JUMPED[-1].received_guest_ns + t, JUMPED[-1].sent_host_ns + t) for t in (10**8, 2 * 10**8)]
    later = [*JUMPED, *(ClockProbe(host, guest, guest + 5, host + 30) for guest, host in ends)]
    before, within, across, after = bounds_of(
        later, (100, 500), (10_000, 2_000_000), (500, 102_500_000), (102_100_000, 103_500_000)
    )
    assert (before, after) == (0.0, 0.0), "where one line explains the probes it holds for the samples between"
    assert within == across == pytest.approx(2e-3, rel=1e-3)


def test_a_clock_that_contradicts_itself_within_a_moment_is_doubted_everywhere() -> None:
    """It ticks: both ends of any sample may lie as far beside the line as a probe does."""
    ticked = [*GOOD, ClockProbe(1990, 3_001_000, 3_001_005, 2020)]
    assert bounds_of(ticked, (100, 500), (5 * 10**6, 6 * 10**6)) == pytest.approx([2 * 2_998_985e-9] * 2, rel=1e-4)


def test_what_a_time_daemon_may_have_bent_is_shared_by_the_time_between_two_probes() -> None:
    """100 ppm are no step: a sample of a hundredth of that time is off by a hundredth of what the line misses."""
    bent = [GOOD[0], ClockProbe(10**9 - 10, 10**9 + 100_000, 10**9 + 100_005, 10**9 + 20)]
    part, whole = bounds_of(bent, (10**8, 11 * 10**7), (5, 10**9 + 100_000))
    assert whole == pytest.approx(1e-4, rel=0.01)
    assert part == pytest.approx(1e-6, rel=0.01)


def test_an_environment_that_never_ran_has_no_clock() -> None:
    made = simulate([Place("native"), Place("KVM", works=False, reason="no")], [CLOCK])
    assert [belief.environment for belief in beliefs(made)] == ["native"]
