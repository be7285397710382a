"""The baseline compared with itself."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy import stats

from tests.analysis.simulated_campaigns import Place, Work, finding_of, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.compare.control import control_spread
from virtometer.model import Verdict

NATIVE, BOX = Place("native"), Place("box", "runc")
WORK = Work()


def test_the_ratio_is_that_of_the_second_guest_to_the_first_in_each_block() -> None:
    campaign = simulate([NATIVE, BOX], noise=gaussian(0.02), control=True)
    data = by_treatment(campaign)[WORK.name, "native"]
    logs = [math.log(data.starts[2][block] / data.starts[1][block]) for block in range(8)]
    (control,) = analyse(campaign).controls
    assert control.ratio.estimate.value == pytest.approx(math.exp(sum(logs) / 8))
    assert control.ratio.estimate.n == 8
    interval = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert control.ratio.estimate.low == pytest.approx(math.exp(interval.low))
    assert control.ratio.estimate.high == pytest.approx(math.exp(interval.high))


def test_the_noise_floor_is_the_smallest_margin_that_would_be_equivalent() -> None:
    campaign = simulate([NATIVE, BOX], noise=gaussian(0.02), control=True, seed=3)
    (control,) = analyse(campaign).controls
    spread = control_spread(by_treatment(campaign)[WORK.name, "native"])
    assert spread is not None
    assert control.noise_floor is not None
    floor = math.log1p(control.noise_floor)
    for limit, equivalent in ((floor * 1.0001, True), (floor * 0.9999, False)):
        low = stats.t.sf((spread.mean + limit) / spread.error, 7)
        high = stats.t.sf((limit - spread.mean) / spread.error, 7)
        assert bool(max(low, high) < 0.05) is equivalent


def test_the_baseline_has_the_mean_of_both_guests() -> None:
    data = by_treatment(simulate([NATIVE, BOX], noise=gaussian(0.02), control=True))[WORK.name, "native"]
    for block, value in data.values.items():
        assert value == pytest.approx(math.sqrt(data.starts[1][block] * data.starts[2][block]))


def test_without_a_control_there_is_none() -> None:
    campaign = simulate([NATIVE, BOX])
    assert analyse(campaign).controls == ()
    assert control_spread(by_treatment(campaign)[WORK.name, "native"]) is None


def test_of_few_blocks_there_is_no_floor() -> None:
    (control,) = analyse(simulate([NATIVE, BOX], noise=gaussian(0.02), control=True, blocks=5)).controls
    assert control.noise_floor is None
    assert not control.ratio.estimate.excludes(1)


def test_a_baseline_that_differs_from_itself_is_named() -> None:
    campaign = simulate([NATIVE, BOX], noise=gaussian(0.002), control=True)
    slower = simulate([NATIVE, BOX], noise=gaussian(0.002), control=True, works=[Work(level=2.5e10)])
    assert campaign.planned == slower.planned
    mixed = tuple(
        other if one.trial.placements[0].guest == 2 else one
        for one, other in zip(campaign.trials, slower.trials, strict=True)
    )
    (control,) = analyse(replace(campaign, trials=mixed)).controls
    assert control.ratio.estimate.excludes(1)


def test_no_verdict_is_finer_than_the_floor() -> None:
    """Both guests of the baseline are far apart, in turns, so that their mean is steady."""
    campaign = simulate([NATIVE, BOX], noise=gaussian(0.001), control=True)
    assert finding_of(campaign, "box").verdict is Verdict.EQUIVALENT
    trials = []
    for record in campaign.trials:
        (run,) = record.runs
        if run.placement.environment == "native":
            up = (record.trial.block % 2 == 0) == (run.placement.guest == 2)
            value = run.scored.value * (1.2 if up else 1 / 1.2)
            run = replace(run, score=replace(run.scored, value=value))
        trials.append(replace(record, runs=(run,)))
    found = finding_of(replace(campaign, trials=tuple(trials)), "box")
    assert found.verdict is Verdict.UNDECIDED
    assert any("no verdict is finer" in note for note in found.notes)
    assert found.blocks_needed is not None
    assert found.blocks_needed > 8
