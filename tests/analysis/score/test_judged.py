"""An operation is judged by what its row of the agent's table says: an open loop by its mean latency."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, quiet, simulate, with_runs
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.live import LiveEstimates
from virtometer.analysis.score.judged import judged
from virtometer.model import Campaign, Run, Verdict

OPEN = Work("requests", "net", "open-loop", "1/s", 1000.0)
FAST = {"unit": "s", "digits": 2, "counts": [[100_000, 98], [200_000, 2]]}  # mean 102 us
SLOW = {"unit": "s", "digits": 2, "counts": [[100_000, 90], [1_100_000, 10]]}  # mean 200 us


def campaign(**histograms: object) -> Campaign:
    """`native` and `box` reach the same rate; `box` has stalls."""
    places = [Place("native"), Place("box", "bubblewrap")]
    made = simulate(places, [OPEN], blocks=8, noise=quiet, samples=2)

    def put(run: Run) -> Run:
        name = run.placement.environment
        return changed(run, histograms=histograms or {"latency": FAST if name == "native" else SLOW})

    return with_runs(made, put)


def test_the_finding_is_about_the_mean_latency_and_lower_is_better() -> None:
    native, box = analyse(campaign()).findings
    assert (box.value.unit, box.value.better, box.value.metric) == ("s", "lower", "mean latency at the offered rate")
    assert native.value.estimate is not None and box.value.estimate is not None and box.ratio.estimate is not None
    assert native.value.estimate.value == pytest.approx(102e-6, rel=1e-3)
    assert box.value.estimate.value == pytest.approx(200e-6, rel=1e-3)
    assert box.ratio.estimate.value == pytest.approx(102 / 200)
    assert box.verdict is Verdict.SLOWER


def test_the_rate_of_a_trial_stays_its_value() -> None:
    (run, *_) = campaign().trials[0].runs
    assert run.scored.value == pytest.approx(1000.0, rel=0.01)


def test_latencies_are_in_host_time() -> None:
    (run,) = campaign().trials[0].runs
    twice = replace(run, score=replace(run.scored, clock=replace(run.scored.clock, rate=2.0)))
    assert judged(twice).value == pytest.approx(2 * judged(run).value / run.scored.clock.rate)


def test_live_estimates_are_about_the_same() -> None:
    made = campaign()
    estimates = LiveEstimates(made.plan)
    for record in made.trials:
        estimates.add(record)
    cell = estimates.cells["requests", "box"]
    assert cell.ratio is not None and cell.ratio.value == pytest.approx(102 / 200)
    assert (cell.value.unit, cell.value.better) == ("s", "lower")


def test_without_latencies_there_is_nothing_to_compare() -> None:
    made = campaign(other=FAST)
    (run,) = made.trials[0].runs
    assert math.isnan(judged(run).value)
    _, box = analyse(made).findings
    assert box.value.estimate is None and box.verdict is Verdict.UNDECIDED
    assert any("gave no usable value" in note for note in box.notes)


def test_of_other_operations_it_is_the_value() -> None:
    (run,) = simulate([Place("native")], blocks=1).trials[0].runs
    assert (judged(run).value, judged(run).unit, judged(run).better) == (run.scored.value, run.unit, run.better)


def test_a_rate_that_was_not_reached_is_noted(said: Said) -> None:
    """The runs reach 1000 requests a second."""

    def notes(offered: float) -> list[str]:
        measures = {"offered": {"unit": "1/s", "value": offered}}
        native, _ = analyse(with_runs(campaign(), lambda run: changed(run, measures=measures))).findings
        return [note for note in native.notes if "offered" in note]

    assert notes(1000.0) == []
    (note,) = notes(2000.0)
    assert note.startswith("50% of the requests")
    said(note)
