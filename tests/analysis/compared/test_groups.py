"""Groups of guests in two campaigns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import changed, with_runs
from tests.report.group_campaigns import SCENARIOS, group_campaign
from tests.sentences import Said
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.analysis.compared.comparison import Where
from virtometer.analysis.compared.groups import words
from virtometer.analysis.compared.worse import Outcome
from virtometer.model import Campaign, Run

ONE = group_campaign(seed=7)


def slowed(of: Campaign, environment: str, share: float) -> Campaign:
    """With this share of the rate in one environment, where guests are several."""
    several = {run.guest_id for record in of.trials if len(record.trial.placements) > 1 for run in record.runs}

    def change(run: Run) -> Run:
        if run.guest_id not in several or run.placement.environment != environment:
            return run
        return changed(run, value=run.scored.value * (share if run.better == "higher" else 1 / share))

    return with_runs(of, change)


def test_a_campaign_against_itself_is_equivalent_in_every_group_and_cell() -> None:
    found = compare_campaigns(ONE, ONE, 0.05)
    assert {one.where.scenario for one in found.compared} == {one["name"] for one in SCENARIOS}
    assert found.outcome is Outcome.NOT_WORSE and found.lost == ()
    assert all(one.tested.outcome is Outcome.NOT_WORSE for one in found.compared)
    assert Where("linpack", "runc", "growing", 3) in {one.where for one in found.compared}


@pytest.mark.parametrize("name", ["growing", "copies", "under load", "disk and net", "guest to guest", "switching"])
def test_a_loss_of_a_fifth_is_worse_and_the_same_twice_is_not(name: str) -> None:
    other = group_campaign(seed=8)
    same = compare_campaigns(ONE, other, 0.2)
    environment = "native" if name == "copies" else "runc"
    lost = compare_campaigns(ONE, slowed(other, environment, 0.6), 0.2)
    mine = {one.where: one for one in lost.compared if one.where.scenario == name}
    several = [one for where, one in mine.items() if where.environment == environment and where.guests > 1]
    assert several and all(one.tested.outcome is Outcome.WORSE for one in several)
    assert all(one.tested.outcome is not Outcome.WORSE for one in same.compared)


def test_how_sums_are_divided_is_said() -> None:
    found = {one.where: one for one in compare_campaigns(ONE, group_campaign(seed=8), 0.05).compared}
    said = {
        Where("linpack", "runc", "growing", 3): "divided by as many guests of the baseline",
        Where("linpack", "native", "copies", 2): "divided by one guest of the baseline alone",
        Where("switch", "runc", "switching", 3): "divided by one of its guests alone",
    }
    for where, words_ in said.items():
        assert words_ in found[where].finding.notes and found[where].after.reference in words_
    assert any("values are compared" in note for of in found.values() for note in of.finding.notes)
    absolute = compare_campaigns(ONE, ONE, 0.05, absolute=True)
    assert all(one.after.reference == "" for one in absolute.compared)
    assert Where("linpack", "native", "growing", 1) in {one.where for one in absolute.compared}


def test_a_group_that_b_has_lost_is_lost(said: Said) -> None:
    less = replace(ONE, trials=tuple(one for one in ONE.trials if one.trial.scenario != "copies"))
    found = compare_campaigns(ONE, less, 0.05)
    (lost,) = [one for one in found.lost if one.startswith("linpack in native, 2 guests of copies ")]
    said(lost)
    assert found.outcome is Outcome.OPEN
    assert words(Where("net", "a \N{RIGHTWARDS ARROW} b", "matrix")) == "net in a \N{RIGHTWARDS ARROW} b, matrix"
