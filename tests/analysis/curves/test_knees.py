"""The knees of a campaign: from its trials, in each environment, against the baseline."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.loaded_campaigns import RATES, answered, growing, loaded, offered
from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.curves.knees import Knee, knees
from virtometer.analysis.statistics.knee import Position
from virtometer.model import Campaign, Failure, FailureKind, Run

LOST = Failure(FailureKind.GUEST, "it ended", 0)


def by_name(campaign: Campaign) -> dict[str, Knee]:
    return {one.environment: one for one in knees(campaign)}


def test_each_environment_has_its_knee_and_its_ratio_to_the_baseline_s() -> None:
    found = by_name(loaded({"native": 50_000, "box": 12_000}))
    assert list(found) == ["native", "box"]
    native, box = found["native"].at, found["box"].at
    assert native is not None and box is not None
    assert (native.position, native.low, native.high, native.n) == (Position.WITHIN, 16_000, 32_000, 9)
    assert (box.position, box.low, box.high, box.n) == (Position.WITHIN, 4000, 8000, 9)
    assert native.value == pytest.approx(25_000, rel=0.15) and box.value == pytest.approx(6000, rel=0.15)
    assert found["native"].ratio is None and found["native"].is_baseline
    times = found["box"].ratio
    assert times is not None and times.value == pytest.approx(0.24, rel=0.2)
    assert (times.low, times.high) == (4000 / 32_000, 8000 / 16_000)
    assert (found["box"].scenario, found["box"].guests, found["box"].notes) == ("", 1, ())


def test_latencies_are_in_host_time_and_by_rate() -> None:
    latencies = by_name(loaded({"native": 50_000}, sd=0.0))["native"].latencies
    assert list(latencies) == list(map(float, RATES))
    # The clocks of simulated guests run 100 ppm slow.
    assert latencies[1000].estimate.value == pytest.approx(1e-4 / (1 - 0.02) * -math.log(1 - 0.985) * 1.0001, rel=1e-6)
    assert latencies[1000].n == 9 and latencies[1000].estimate.low is not None


@pytest.mark.parametrize("sd", [pytest.param(0.1, marks=pytest.mark.slow), 0.4])
def test_injected_knees_and_ratios_lie_in_their_intervals(sd: float) -> None:
    rng, knee_hits, ratio_hits = np.random.default_rng(5), 0, 0
    plain = simulate([Place("native"), Place("box")], offered(), samples=1, blocks=9)
    for repetition in range(100):
        capacity = 50_000 * math.exp(rng.uniform(-0.5, 0.5))
        part = math.exp(rng.uniform(math.log(0.2), 0))
        campaign = with_runs(plain, answered({"native": capacity, "box": part * capacity}, sd=sd, seed=repetition))
        found = by_name(campaign)
        box, times = found["box"].at, found["box"].ratio
        assert box is not None and times is not None
        knee_hits += (box.low or 0) <= part * capacity / 2 <= (box.high or math.inf)
        ratio_hits += (times.low or 0) <= part <= (times.high or math.inf)
    assert knee_hits >= 95 and ratio_hits >= 95


def test_no_knee_in_the_range_is_above_a_rate_and_never_a_number() -> None:
    found = by_name(loaded({"native": 1e6, "box": 12_000}))
    at, times = found["native"].at, found["box"].ratio
    assert at is not None and (at.position, at.value, at.low, at.high) == (Position.ABOVE, None, 64_000, None)
    assert times is not None and (times.position, times.value, times.high) == (Position.BELOW, None, 8000 / 64_000)


def test_an_overload_at_the_first_rate_is_below_it() -> None:
    found = by_name(loaded({"native": 50_000, "box": 500}))
    at = found["box"].at
    assert at is not None and (at.position, at.value, at.low, at.high) == (Position.BELOW, None, None, 1000)


def test_random_arrivals_that_are_fewer_than_expected_are_no_overload() -> None:
    made = loaded({"native": 1e6})

    def fewer(run: Run) -> Run:
        """2.5 standard deviations below the mean of a Poisson process of 1000 requests."""
        return changed(run, value=run.scored.value * (1 - 2.5 / math.sqrt(1000)))

    at = by_name(with_runs(made, fewer))["native"].at
    assert at is not None and at.position is Position.BELOW

    def random(run: Run) -> Run:
        return fewer(replace(run, parameters={**run.parameters, "arrivals": "poisson"}))

    at = by_name(with_runs(made, random))["native"].at
    assert at is not None and at.position is Position.ABOVE


def test_a_rate_whose_trials_failed_makes_the_interval_wider() -> None:
    places = [Place("native"), Place("box", fails={"open loop 8000": LOST})]
    made = with_runs(simulate(places, offered(), samples=2, blocks=9), answered({"native": 50_000, "box": 12_000}))
    found = by_name(made)["box"]
    assert found.at is not None and (found.at.low, found.at.high) == (4000, 16_000)
    assert found.notes == ("9 of 9 blocks without a value at some rates",)
    assert 8000 not in found.latencies


def test_the_largest_rates_that_failed_bound_what_is_known() -> None:
    lost = {f"open loop {rate}": LOST for rate in RATES[3:]}
    places = [Place("native"), Place("box", fails=lost)]
    made = with_runs(simulate(places, offered(), samples=2, blocks=9), answered({"native": 50_000, "box": 12_000}))
    found = by_name(made)["box"]
    assert found.largest == 4000
    assert found.at is not None and (found.at.position, found.at.low) == (Position.ABOVE, 4000)


def test_without_the_smallest_rates_there_is_no_knee(said: Said) -> None:
    places = [Place("native"), Place("box", fails={"open loop 2000": LOST})]
    made = with_runs(simulate(places, offered(), samples=2, blocks=9), answered({"native": 50_000, "box": 12_000}))
    found = by_name(made)["box"]
    assert (found.at, found.ratio) == (None, None)
    assert found.notes[0].startswith("9 of 9 blocks without a knee")
    said(found.notes[0])


def test_single_trials_that_failed_cost_their_blocks_alone() -> None:
    made = simulate([Place("native")], offered(), samples=2, blocks=9, fail=dict.fromkeys(range(14), LOST))
    at = by_name(with_runs(made, answered({"native": 50_000})))["native"].at
    assert at is not None and at.n == 7 and at.value == pytest.approx(25_000, rel=0.15)


def test_an_environment_in_which_every_trial_failed_has_no_knee() -> None:
    every = {work.name: LOST for work in offered()}
    made = simulate([Place("native"), Place("box", fails=every)], offered(), samples=2, blocks=9)
    assert list(by_name(with_runs(made, answered({"native": 50_000})))) == ["native"]


def test_work_that_the_laboratory_timed_has_no_latency() -> None:
    """Nobody knows how fast that guest's clock runs beside the work."""
    made = loaded({"native": 50_000, "box": 12_000})

    def timed(run: Run) -> Run:
        outside = run.placement.environment == "box"
        return replace(run, conditions={**run.conditions, "timing": "laboratory"}) if outside else run

    assert list(by_name(with_runs(made, timed))) == ["native"]


def test_other_sweeps_have_no_knee() -> None:
    streams = [
        Work(f"stream {size}", "net", "stream", "B/s", 1e9, parameters={"size": size}, of="s", levels={"size": size})
        for size in (1, 2, 4)
    ]
    paced = [
        Work(
            f"paced {rate}", "net", "udp-stream", "1/s", rate, parameters={"rate": rate}, of="u", levels={"rate": rate}
        )
        for rate in (1, 2, 4)
    ]
    assert knees(simulate([Place("native")], [*streams, *paced], blocks=6)) == ()


def test_an_analysis_has_the_knees_of_its_campaign() -> None:
    campaign = loaded({"native": 50_000})
    assert analyse(campaign).knees == knees(campaign)


def test_guests_that_work_together_have_a_knee_for_each_number_of_guests() -> None:
    found = knees(growing())
    assert [(one.environment, one.scenario, one.guests) for one in found] == [
        ("native", "", 1),
        ("box", "", 1),
        ("box", "growing", 2),
    ]
    assert [one.at and one.at.low for one in found] == [16_000, 8000, 4000]
    assert found[2].ratio is None, "no two native guests were measured"
