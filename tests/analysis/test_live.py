"""Live estimates follow the trials one by one and agree with the findings in the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, quiet, simulate
from virtometer.analysis import analyse
from virtometer.analysis.live import LiveEstimates
from virtometer.model import Campaign, Failure, FailureKind

NATIVE, HALF = Place("native"), Place("half", efficiency={"": 0.5})
KEY = ("memory triad 64 MB", "half")
DIED = Failure(FailureKind.GUEST, "the guest died")


def after(campaign: Campaign, trials: int | None = None) -> LiveEstimates:
    estimates = LiveEstimates(campaign.plan)
    for record in campaign.trials[:trials]:
        estimates.add(record)
    return estimates


def test_they_follow_the_trials_and_agree_with_the_findings_at_the_end() -> None:
    campaign = simulate([NATIVE, HALF], noise=gaussian(0.05), samples=1)
    assert after(campaign, 0).cells == {}
    (first,) = after(campaign, 1).cells.values()
    assert first.ratio is None and first.blocks == 1
    found = after(campaign).cells
    at_the_end = found[KEY]
    finding = next(one for one in analyse(campaign).findings if one.subject == "half")
    assert finding.value is not None
    assert at_the_end.ratio == finding.ratio
    assert at_the_end.value == pytest.approx(finding.value.value)
    assert (at_the_end.unit, at_the_end.better, at_the_end.blocks) == ("B/s", "higher", 8)
    assert {environment: one.baseline for (_, environment), one in found.items()} == {"native": True, "half": False}


def test_one_more_trial_changes_its_own_workload_only() -> None:
    campaign = simulate([NATIVE, HALF], [Work("one"), Work("two")], noise=gaussian(0.05), samples=1)
    estimates = after(campaign, len(campaign.trials) - 1)
    before, last = estimates.cells, campaign.trials[-1]
    estimates.add(last)
    changed = {key for key, cell in estimates.cells.items() if before.get(key) is not cell}
    assert {workload for workload, _ in changed} == {last.trial.placements[0].workload}


def test_a_treatment_that_is_repeated_in_a_block_counts_as_its_mean() -> None:
    campaign = simulate([NATIVE, HALF], blocks=1, noise=quiet, samples=1)
    (half,) = (record for record in campaign.trials if record.trial.placements[0].environment == "half")
    (run,) = half.runs
    assert run.score is not None
    estimates = after(campaign)
    value = estimates.cells[KEY].value
    twice_as_fast = replace(run, score=replace(run.score, value=4 * value))
    estimates.add(replace(half, runs=(twice_as_fast,)))
    assert estimates.cells[KEY].value == pytest.approx(2 * value)
    assert estimates.cells[KEY].blocks == 1


def test_they_skip_what_failed() -> None:
    campaign = simulate([NATIVE, Place("runc")], noise=quiet, fail=dict.fromkeys(range(16), DIED))
    assert after(campaign).cells == {}
