"""What one more block takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, simulate
from virtometer.analysis.stopping.block_costs import block_costs

NAME = "memory triad 64 MB"
NATIVE = Place("native")


def test_a_block_takes_its_trials_and_what_lies_beside_them() -> None:
    campaign = simulate([NATIVE, Place("runc"), Place("box")], blocks=5)
    costs = block_costs(campaign)
    assert costs is not None
    wall_s = campaign.trials[0].wall_s
    assert costs.own == {(NAME, "runc"): pytest.approx(wall_s), (NAME, "box"): pytest.approx(wall_s)}
    assert costs.baseline == {NAME: pytest.approx(wall_s)}
    assert costs.starts == dict.fromkeys(("native", "runc", "box"), pytest.approx(6.0 - 3 * wall_s))
    assert costs.of((NAME, "runc")) == pytest.approx(6.0 - wall_s)
    assert costs.elapsed == pytest.approx(5 * 6.0)


def test_a_pause_is_left_out() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=5)
    late = tuple(
        replace(one, started_at=one.started_at.replace("03:", "09:", 1)) if one.trial.block >= 3 else one
        for one in campaign.trials
    )
    costs = block_costs(replace(campaign, trials=late))
    assert costs is not None
    assert costs.elapsed == pytest.approx(5 * 4.0)


def test_of_one_block_it_is_what_trials_and_starts_took() -> None:
    campaign = simulate([NATIVE, Place("runc", provision_s=0.5)], blocks=1)
    nameless = tuple(replace(one, started_at="when?") for one in campaign.trials)
    for one in (campaign, replace(campaign, trials=nameless)):
        costs = block_costs(one)
        assert costs is not None
        assert costs.elapsed == pytest.approx(2 * 1.25 + 0.05 + 0.5)
        assert costs.starts == {"native": pytest.approx(0.1), "runc": pytest.approx(0.05 + 0.5)}


def test_a_block_without_the_slowest_guest_starts_sooner() -> None:
    places = [NATIVE, Place("runc", provision_s=0.5), Place("machine", provision_s=4.0)]
    costs = block_costs(simulate(places, blocks=5))
    assert costs is not None
    assert costs.starts["machine"] > costs.starts["runc"] + 1.5
    assert costs.starts["runc"] - costs.starts["native"] == pytest.approx(0.45)


def test_both_guests_of_the_baseline_are_a_part_of_it() -> None:
    campaign = simulate([NATIVE], blocks=1, control=True)
    costs = block_costs(campaign)
    assert costs is not None
    assert costs.baseline == {NAME: pytest.approx(2 * campaign.trials[0].wall_s)}


def test_of_groups_with_the_baseline_in_each_a_comparison_takes_one() -> None:
    whole = simulate([NATIVE, Place("runc"), Place("box")], blocks=5, control=True)
    once = block_costs(whole)
    again = [one for one in whole.trials if one.trial.placements[0].environment == "native"]
    grouped = block_costs(replace(whole, trials=(*whole.trials, *again)))
    assert once is not None
    assert grouped is not None
    assert grouped.baseline == once.baseline == {NAME: pytest.approx(2 * whole.trials[0].wall_s)}
    assert grouped.of((NAME, "runc")) < once.of((NAME, "runc"))


def test_before_any_trial_nobody_knows() -> None:
    assert block_costs(replace(simulate([NATIVE]), trials=())) is None
