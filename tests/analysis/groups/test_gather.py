"""From records to trials of groups of guests: who, what, on which processors, in which stretch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import changed, with_runs
from tests.report.group_campaigns import CPUS, group_campaign
from virtometer.analysis.groups.gather import failed, gather, types_of
from virtometer.analysis.groups.members import GroupTrial
from virtometer.model import Campaign, GuestUse, Mark, MarkKind, ServiceAccount


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return group_campaign(blocks=2)


def of(campaign: Campaign, scenario: str, members: int) -> GroupTrial:
    return next(one for one in gather(campaign) if one.scenario == scenario and len(one.members) == members)


def test_guests_are_named_and_numbered(campaign: Campaign) -> None:
    three = of(campaign, "growing", 3)
    assert [one.guest for one in three.members] == ["native", "native #2", "native #3"]
    assert (three.type, three.cpus, three.guests) == ("together", CPUS, 3)
    assert [one.order for one in three.members] == [0, 1, 2]


def test_guests_keep_their_numbers_whatever_the_order_of_their_starts() -> None:
    orders = {"growing": set[tuple[int, ...]](), "copies": set[tuple[int, ...]]()}
    for one in gather(group_campaign(blocks=8, first=1.0)):
        if one.scenario in orders and len(one.members) > 1:
            assert [member.guest for member in one.members] == sorted(member.guest for member in one.members)
            assert sorted(member.order for member in one.members) == list(range(len(one.members)))
            orders[one.scenario].add(tuple(member.order for member in one.members))
    assert {(0, 1), (1, 0)} <= orders["growing"] & orders["copies"]


def test_copies_in_one_guest_have_names_and_share_its_time(campaign: Campaign) -> None:
    two = of(campaign, "copies", 2)
    assert [one.guest for one in two.members] == ["native copy 1", "native copy 2"]
    assert {one.whose for one in two.members} == {"native"} and two.members[0].vcpus == CPUS


def test_loads_and_services(campaign: Campaign) -> None:
    loaded = of(campaign, "under load", 3)
    assert [one.role for one in loaded.members] == ["measured", "load", "load"]
    pair = next(one for one in gather(campaign) if one.scenario == "guest to guest" and one.services)
    assert pair.services == (("runc", "runc #2"),) and len(pair.members) == 1 and not pair.single


def test_the_stretch_is_what_all_measured_members_share(campaign: Campaign) -> None:
    shifted = with_runs(
        campaign,
        lambda run: changed(
            run,
            window_start_host_ns=run.scored.window_start_host_ns + 100_000_000 * run.placement.ordinal,
        ),
    )
    assert of(shifted, "growing", 3).window_s == pytest.approx(0.8)
    assert of(shifted, "growing", 3).overlap_s == pytest.approx(0.8)


@pytest.mark.parametrize("shared_s", [0.6, None])
def test_of_windows_in_turn_accounts_are_longer_than_the_stretch(campaign: Campaign, shared_s: float | None) -> None:
    """Versions that did not record the stretch leave it unknown."""
    in_windows = with_runs(
        campaign, lambda run: replace(run, samples=tuple(replace(one, slice=0) for one in run.samples))
    )
    trials = tuple(
        replace(record, host=record.host and replace(record.host, wall_s=0.9, overlap_s=shared_s))
        for record in in_windows.trials
    )
    three = of(replace(in_windows, trials=trials), "growing", 3)
    assert (three.window_s, three.overlap_s) == (0.9, shared_s)


def test_trials_that_were_repeated_are_known_by_their_mark(campaign: Campaign) -> None:
    mark = Mark(MarkKind.REPEATED, "its guests ran at the same time for 20% of their windows")
    marked = replace(campaign, trials=tuple(replace(record, marks=(mark,)) for record in campaign.trials))
    assert of(marked, "growing", 3).repeated and not of(campaign, "growing", 3).repeated


def test_times_become_rates(campaign: Campaign) -> None:
    (member,) = of(campaign, "switching", 1).members
    assert member.unit == "s" and member.rate_unit == "1/s" and member.value is not None
    assert member.rate == pytest.approx(1 / member.value)


@pytest.mark.parametrize(
    ("said", "found"), [("all", None), ("1", {1}), ("0-2,5", {0, 1, 2, 5}), ("what?", None), ("1-", {1})]
)
def test_processors_of_a_guest(campaign: Campaign, said: str, found: set[int] | None) -> None:
    bound = with_runs(campaign, lambda run: replace(run, conditions={"guest_processors": said}))
    assert of(bound, "growing", 1).members[0].on == found


def test_a_quota_is_the_guests_number_of_processors(campaign: Campaign) -> None:
    limited = replace(
        campaign,
        guests=tuple(replace(one, effective={**one.effective, "cpus": 0.3}) for one in campaign.guests),
    )
    assert of(limited, "growing", 2).members[0].processors == pytest.approx(0.3)
    silent = replace(campaign, guests=())
    assert of(silent, "growing", 2).members[0].vcpus == 0


def test_what_failed_is_counted_by_its_shape(campaign: Campaign) -> None:
    assert sum(failed(campaign).values()) == 1
    assert len(gather(campaign)) == len(campaign.trials) - 1
    ((scenario, shape),) = failed(campaign)
    assert any(one.scenario == scenario and one.shape == shape for one in gather(campaign))


def test_a_plan_without_scenarios_has_guests_alone(campaign: Campaign) -> None:
    assert types_of(campaign.plan)["growing"] == "together" and types_of(campaign.plan)[""] == "alone"


def test_the_ideal_counts_the_processors_that_guests_may_use(campaign: Campaign) -> None:
    bound = replace(campaign, host={**campaign.host, "cpus": 64, "cpus_allowed": 1})
    three = of(bound, "growing", 3)
    assert three.offered == 1 and three.portion(three.members[0]) == pytest.approx(1 / 3)


def test_a_guest_that_serves_has_its_account(campaign: Campaign) -> None:
    record = next(
        one for one in campaign.trials if one.trial.scenario == "guest to guest" and one.runs[0].placement.uses
    )
    serving = replace(record.runs[0], placement=record.trial.placements[1], score=None, report=None)
    use = GuestUse(0.25, 0.0, 0.0, 0.05, 0.2)
    for account, seconds in ((ServiceAccount(0.25, use), [0.25]), (None, [])):
        runs = (*record.runs, replace(serving, account=account))
        (made,) = gather(replace(campaign, trials=(replace(record, runs=runs),)))
        assert [one.host_cpu_s for one in made.servers] == seconds
        assert [(one.whose, one.role, one.use) for one in made.servers] == [("runc #2", "service", use)] * len(seconds)
