"""Environments are compared by guests alone: trials of groups change no finding."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, gaussian, simulate
from tests.report.group_campaigns import group_campaign
from virtometer.analysis import analyse
from virtometer.analysis.live import LiveEstimates
from virtometer.analysis.score.alone import alone_in, compared_in
from virtometer.model import Campaign, Trial

ALONE = {"name": "alone", "type": "alone", "workloads": ["memory triad 64 MB"]}
TOGETHER = {
    "name": "both",
    "type": "together",
    "environment": "box",
    "workloads": ["memory triad 64 MB"],
    "guests": [2],
}


def beside(campaign: Campaign) -> Campaign:
    """The campaign with trials of two guests in each block, whose rates are a tenth."""
    scenarios = [ALONE, TOGETHER]
    plan = type(campaign.plan).model_validate(campaign.plan.model_dump() | {"scenarios": scenarios})
    records = [replace(one, trial=replace(one.trial, scenario="alone")) for one in campaign.trials]
    for record in list(records):
        (run,) = record.runs
        if run.placement.environment == "box":
            places = tuple(replace(run.placement, guest=number, ordinal=number - 1) for number in (1, 2))
            trial = Trial(len(records), record.trial.block, 9, 0, places, scenario="both")
            score = replace(run.scored, value=run.scored.value / 10)
            runs = tuple(replace(run, placement=place, score=score) for place in places)
            records.append(replace(record, trial=trial, runs=runs))
    return replace(campaign, plan=plan, trials=tuple(records), planned=tuple(record.trial for record in records))


def test_findings_measures_and_controls_are_those_of_guests_alone() -> None:
    campaign = simulate([Place("native"), Place("box", efficiency={"": 0.8})], noise=gaussian(0.02), control=True)
    mixed = analyse(beside(campaign))
    assert mixed.findings == analyse(campaign).findings
    assert mixed.controls == analyse(campaign).controls and mixed.measures == analyse(campaign).measures
    assert len(mixed.alone) == len(campaign.trials) < len(mixed.campaign.trials)
    (group,) = mixed.group_results.groups
    assert group.guests == 2 and group.against_one is not None
    assert abs(group.against_one.value - 0.2) < 1e-9


def test_live_estimates_too() -> None:
    campaign = beside(simulate([Place("native"), Place("box", efficiency={"": 0.8})]))
    live = LiveEstimates(campaign.plan)
    for record in campaign.trials:
        live.add(record)
    cell = live.cells["memory triad 64 MB", "box"]
    assert cell.ratio is not None and abs(cell.ratio.value - 0.8) < 1e-9


def test_a_campaign_of_several_guests_only_has_no_finding() -> None:
    campaign = group_campaign(blocks=1)
    assert analyse(campaign).findings == () and analyse(campaign).controls == ()
    assert not any(map(alone_in(campaign.plan), campaign.planned))


def test_what_is_compared() -> None:
    campaign = simulate([Place("native"), Place("box")])
    assert compared_in(campaign.plan)("anything", "box")
    plan = beside(campaign).plan
    asked = compared_in(plan)
    assert asked("memory triad 64 MB", "box") and asked("memory triad 64 MB", "native")
    only = plan.model_copy(update={"scenarios": [plan.scenarios[1]]})
    assert not compared_in(only)("memory triad 64 MB", "box")
    boxed = plan.scenarios[0].model_copy(update={"environment": "box"})
    assert compared_in(plan.model_copy(update={"scenarios": [boxed]}))("memory triad 64 MB", "native")
