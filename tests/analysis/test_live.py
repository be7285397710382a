"""Live estimates follow the trials one by one and agree with the findings in the end."""

from __future__ import annotations

import sys
from dataclasses import astuple, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.grouped_campaigns import in_groups
from tests.analysis.simulated_campaigns import Place, Work, changed, gaussian, in_rounds, quiet, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.analysis.live import LiveEstimates
from virtometer.model import Campaign, Estimate, Failure, FailureKind, Run, Verdict

NATIVE, HALF = Place("native"), Place("half", efficiency={"": 0.5})
KEY = ("memory triad 64 MB", "half")
DIED = Failure(FailureKind.GUEST, "the guest died")


def after(campaign: Campaign, trials: int | None = None) -> LiveEstimates:
    estimates = LiveEstimates(campaign.plan)
    for record in campaign.trials[:trials]:
        estimates.add(record)
    return estimates


def same(one: Estimate | None, other: Estimate | None) -> bool:
    """But for rounding."""
    if one is None or other is None:
        return one is other
    return astuple(one) == tuple(value if value is None else pytest.approx(value, rel=1e-9) for value in astuple(other))


def test_they_follow_the_trials_and_agree_with_the_findings_at_the_end() -> None:
    campaign = simulate([NATIVE, HALF], noise=gaussian(0.05), samples=1)
    assert after(campaign, 0).cells == {}
    (first,) = after(campaign, 1).cells.values()
    assert first.ratio is None and first.blocks == 1
    found = after(campaign).cells
    at_the_end = found[KEY]
    finding = next(one for one in analyse(campaign).findings if one.subject == "half")
    assert finding.value.estimate is not None
    assert same(at_the_end.ratio, finding.ratio.estimate)
    assert at_the_end.value.estimate.value == pytest.approx(finding.value.estimate.value)
    assert (at_the_end.value.unit, at_the_end.value.better, at_the_end.blocks) == ("B/s", "higher", 8)
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
    value = estimates.cells[KEY].value.estimate.value
    twice_as_fast = replace(run, score=replace(run.score, value=4 * value))
    estimates.add(replace(half, runs=(twice_as_fast,)))
    assert estimates.cells[KEY].value.estimate.value == pytest.approx(2 * value)
    assert estimates.cells[KEY].blocks == 1


def test_they_skip_what_failed() -> None:
    campaign = simulate([NATIVE, Place("runc")], noise=quiet, fail=dict.fromkeys(range(16), DIED))
    assert after(campaign).cells == {}


@given(
    seed=st.integers(0, 2**32 - 1),
    unit=st.sampled_from(("B/s", "s")),
    per_block=st.integers(1, 2),
    lost=st.sets(st.integers(0, 47), max_size=12),
    order=st.randoms(use_true_random=False),
)
def test_at_every_step_they_are_what_the_analysis_finds(
    seed: int, unit: str, per_block: int, lost: set[int], order: Any
) -> None:
    """Trials fail, come in any order, and a block may have each treatment twice."""
    works = [Work("one", unit=unit, level=3.0), Work("two", level=1e9)]
    fail = dict.fromkeys(lost, DIED)
    campaign = simulate([NATIVE, HALF, Place("box")], works, noise=gaussian(0.3), seed=seed, samples=1, fail=fail)
    trials = [
        replace(record, trial=replace(record.trial, block=record.trial.block // per_block))
        for record in campaign.trials
    ]
    order.shuffle(trials)
    estimates = LiveEstimates(campaign.plan)
    for step, record in enumerate(trials, start=1):
        estimates.add(record)
        if step % 7 and step != len(trials):
            continue
        findings = analyse(replace(campaign, trials=tuple(trials[:step]))).findings
        cells = estimates.cells
        assert set(cells) == {(one.workload, one.subject) for one in findings if one.value.estimate is not None}
        for one in findings:
            if one.value.estimate is None:
                continue
            cell = cells[one.workload, one.subject]
            assert cell.value.estimate.value == pytest.approx(one.value.estimate.value, rel=1e-9)
            assert cell.blocks == one.value.estimate.n
            assert same(cell.ratio, None if one.verdict is Verdict.BASELINE else one.ratio.estimate)


class Read:
    """A value that counts how often it is read."""

    def __init__(self, value: float) -> None:
        self.value = value
        self.times = 0

    def __float__(self) -> float:
        self.times += 1
        return self.value

    def __gt__(self, other: float) -> bool:
        return float(self) > other


def test_a_trial_is_read_once_and_the_last_one_takes_no_more_steps_than_the_first_ones() -> None:
    values: list[Read] = []
    steps: list[int] = []

    def counting(run: Run) -> Run:
        values.append(Read(run.scored.value))
        return changed(run, value=values[-1])

    def step(_frame: object, event: str, _called: object) -> None:
        steps[-1] += event in ("call", "c_call")

    campaign = with_runs(simulate([NATIVE, HALF], blocks=40, noise=gaussian(0.05), samples=1), counting)
    estimates = LiveEstimates(campaign.plan)
    for number, record in enumerate(campaign.trials):
        before = [one.times for one in values]
        steps.append(0)
        profile = sys.getprofile()
        sys.setprofile(step)
        estimates.add(record)
        sys.setprofile(profile)
        assert [index for index, one in enumerate(values) if one.times > before[index]] == [number]
    assert max(steps[-10:]) <= 1.2 * max(steps[:10])


@pytest.mark.parametrize("apart", [(), ("half",), ("native", "half")])
def test_long_windows_have_a_value_and_no_ratio(apart: tuple[str, ...]) -> None:
    """Whose baseline's slices are no counterpart of theirs; the slices of others are compared as ever."""
    made = with_runs(
        simulate([NATIVE, HALF, Place("box")]),
        lambda run: in_rounds(run, [1e9] * 10, [[4e9] * 12], count=run.placement.environment in apart),
    )
    cells = after(made).cells
    assert (cells[KEY].ratio is None) is bool(apart)
    assert cells[KEY].value.estimate.value == pytest.approx(4e9 if apart else 1e9, rel=1e-3)
    assert cells[KEY].blocks == 8
    baseline = cells[KEY[0], "native"]
    assert baseline.baseline and baseline.ratio is None
    ratio = cells[KEY[0], "box"].ratio
    assert (ratio is None) is ("native" in apart)
    assert ratio is None or ratio.value == pytest.approx(1.0)
    for finding in analyse(made).findings:
        live = cells[finding.workload, finding.subject]
        assert finding.value.estimate is not None and live.value.estimate.value == pytest.approx(
            finding.value.estimate.value
        )


def test_in_groups_of_guests_the_baseline_is_that_of_the_group() -> None:
    places = [NATIVE, HALF, Place("other", efficiency={"": 0.8})]
    campaign = in_groups(simulate(places, noise=gaussian(0.02), control=True), [("half",), ("other",)], (1.0, 3.0))
    found = after(campaign).cells
    for name in ("half", "other"):
        finding = next(one for one in analyse(campaign).findings if one.subject == name)
        assert same(found[KEY[0], name].ratio, finding.ratio.estimate)
    assert {one.blocks for one in found.values()} == {8}
