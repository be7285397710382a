"""All methods of a campaign with groups of guests, joined."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, simulate
from tests.report.group_campaigns import SCENARIOS, group_campaign
from tests.sentences import Said
from virtometer.analysis.groups.scenarios import GroupResults, group_results


@pytest.fixture(scope="module")
def found() -> GroupResults:
    return group_results(group_campaign())


def test_every_scenario_of_several_guests_is_there(found: GroupResults) -> None:
    groups = {group.scenario for group in found.groups}
    matrices = {matrix.scenario for matrix in found.matrices}
    assert groups == {str(one["name"]) for one in SCENARIOS} - {"network matrix"}
    assert matrices == {"under load", "guest to guest", "network matrix"}


def test_the_third_guest_of_three_gets_less_in_every_environment(found: GroupResults) -> None:
    three = [one for one in found.groups if one.scenario == "growing" and one.guests == 3]
    assert len(three) == 3
    for group in three:
        assert [rank.label for rank in group.ranks if rank.gets_less] == [f"{group.environment} #3"]
        assert group.fairness is not None and group.fairness.max_over_min is not None
        assert group.fairness.max_over_min.estimate.value == pytest.approx(1.25, rel=0.05)


def test_the_sum_stops_rising_at_two_guests(found: GroupResults) -> None:
    scaling = next(one for one in found.scalings if one.environment == "runc" and one.scenario == "growing")
    assert scaling.saturation is not None
    assert (scaling.saturation.low, scaling.saturation.at, scaling.saturation.high) == (2, 2, 2)
    largest = next(one for one in found.groups if one.scenario == "growing" and one.guests == 4)
    assert any(note.startswith("from 2 on") for note in largest.notes)


def test_victims_lose_what_the_processors_do_not_have(found: GroupResults) -> None:
    loaded = next(one for one in found.matrices if one.type == "loaded")
    slow = 1 / (2 / 3 * 0.98**2)
    for row in loaded.cells:
        for cell in row:
            assert cell is not None and cell.low is not None and cell.high is not None
            assert cell.low <= slow * 1.03 and cell.high >= slow / 1.03
    assert loaded.columns == ("2 × linpack (66 % of the host's CPU)",)


def test_single_guests_of_loaded_scenarios_are_only_compared_with(found: GroupResults) -> None:
    assert all(group.guests > 1 for group in found.groups if group.type in ("loaded", "pair"))


def test_efficiencies_are_those_of_the_environment(found: GroupResults) -> None:
    two = {one.environment: one for one in found.groups if one.scenario == "growing" and one.guests == 2}
    for environment, efficiency in (("runc", 0.97), ("gVisor", 0.6)):
        against = two[environment].against_baseline
        assert against is not None and math.isclose(against.value, efficiency, rel_tol=0.03)


def test_a_plan_without_scenarios_has_none() -> None:
    assert group_results(simulate([Place("native"), Place("box")])) == GroupResults((), (), (), ())


def test_accounts_of_a_matrix_that_cannot_be_right_are_noted() -> None:
    campaign = group_campaign(blocks=3)
    assert not any("CPU time" in note for one in group_results(campaign).matrices for note in one.notes)
    wrong = tuple(
        replace(record, runs=tuple(replace(run, score=replace(run.scored, guest_cpu_s=9.0)) for run in record.runs))
        if record.trial.scenario == "network matrix"
        else record
        for record in campaign.trials
    )
    (matrix,) = [one for one in group_results(replace(campaign, trials=wrong)).matrices if one.type == "matrix"]
    (note,) = [note for note in matrix.notes if "CPU time" in note]
    assert note.startswith("CPU time cannot be right: trial ") and "more of 36 trials" in note


def test_a_ceiling_that_is_unknown_is_reported_of_the_largest_group(said: Said, found: GroupResults) -> None:
    told = {
        (one.scenario, one.environment, one.guests): note
        for one in found.groups
        for note in one.notes
        if "ceiling of this host is unknown" in note
    }
    # The baseline was measured with linpack on all processors, and with nothing else.
    assert told.keys() == {("switching", "runc", 3), ("disk and net", "runc", 3)}
    (note,) = set(told.values())
    said(note)


def test_the_first_to_start_gets_more_and_no_guest_is_accused() -> None:
    scenarios = [{"name": "two", "type": "together", "environment": "runc", "workloads": ["linpack"], "guests": [1, 2]}]
    (two,) = [
        one for one in group_results(group_campaign(24, scenarios=scenarios, first=1.25)).groups if one.guests == 2
    ]
    assert not any(rank.gets_less for rank in two.ranks)
    (said,) = [note for note in two.notes if note.startswith("by place in the order of starts")]
    assert "always the same gets less: 2 (" in said
    (fair,) = [
        one for one in group_results(group_campaign(24, scenarios=scenarios, first=1.0)).groups if one.guests == 2
    ]
    assert not any("order of starts" in note for note in fair.notes)
