"""Randomised blocks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.trials import MAX_TRIALS, further, schedule, trial_count
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.model import Plan, Trial


def plan(environments: int = 3, workloads: int = 2, **more: Any) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "baseline": "e0",
            "control": False,
            "environments": [{"name": f"e{number}", "kind": "k"} for number in range(environments)],
            "workloads": [{"name": f"w{number}", "workload": "w", "op": "o"} for number in range(workloads)],
            **more,
        }
    )


def names(of: Plan) -> list[str]:
    return [environment.name for environment in of.environments]


def treatment(trial: Trial) -> tuple[str, str]:
    (placement,) = trial.placements
    assert placement.role == "measured"
    return placement.environment, placement.workload


plans = st.builds(
    plan,
    environments=st.integers(1, 6),
    workloads=st.integers(1, 5),
    blocks=st.integers(1, 6),
    fresh=st.sampled_from(["trial", "block"]),
)
seeds = st.integers(0, 2**63 - 1)


@given(plans, seeds)
def test_every_treatment_runs_exactly_once_a_block(of: Plan, seed: int) -> None:
    trials = schedule(of, names(of), seed)
    wanted = set(itertools.product(names(of), [workload.name for workload in of.workloads]))
    assert [trial.index for trial in trials] == list(range(len(wanted) * of.blocks))
    for block in range(of.blocks):
        ours = [trial for trial in trials if trial.block == block]
        assert [trial.position for trial in ours] == list(range(len(wanted)))
        assert {treatment(trial) for trial in ours} == wanted
    assert [trial.block for trial in trials] == sorted(trial.block for trial in trials)


@given(plans, seeds)
def test_the_same_seed_gives_the_same_order_however_the_environments_are_listed(of: Plan, seed: int) -> None:
    assert schedule(of, names(of), seed) == schedule(of, reversed(names(of)), seed)


@given(plans, seeds, st.integers(1, 5))
def test_more_blocks_leave_the_first_ones_as_they_are(of: Plan, seed: int, more: int) -> None:
    longer = of.model_copy(update={"blocks": of.blocks + more})
    short = schedule(of, names(of), seed)
    assert schedule(longer, names(of), seed)[: len(short)] == short


@given(plans, seeds)
def test_who_shares_a_start(of: Plan, seed: int) -> None:
    groups: dict[int, list[Trial]] = {}
    for trial in schedule(of, names(of), seed):
        groups.setdefault(trial.start_group, []).append(trial)
    assert list(groups) == list(range(len(groups)))
    for group in groups.values():
        if of.fresh == "trial":
            assert len(group) == 1
        else:
            assert len({(trial.block, treatment(trial)[0]) for trial in group}) == 1
            assert {treatment(trial)[1] for trial in group} == {workload.name for workload in of.workloads}
            assert [trial.index for trial in group] == list(range(group[0].index, group[0].index + len(group)))


def test_what_is_not_available_is_left_out() -> None:
    of = plan(environments=4, blocks=2)
    assert {treatment(trial)[0] for trial in schedule(of, ["e0", "e2"], 1)} == {"e0", "e2"}


def test_without_its_baseline_there_is_nothing_to_do() -> None:
    with pytest.raises(EnvironmentFailed, match="the baseline 'e0' is not available here"):
        schedule(plan(), ["e1", "e2"], 1)


def test_too_many_trials_are_refused() -> None:
    with pytest.raises(UsageError, match=f"more than the {MAX_TRIALS}"):
        schedule(plan(64, 64, blocks=25), ["e0"], 1)


def test_the_order_of_a_seed_never_changes() -> None:
    def shown(fresh: str, seed: int) -> str:
        of = plan(blocks=2, fresh=fresh)
        return " ".join("/".join(treatment(trial)) for trial in schedule(of, names(of), seed))

    assert shown("trial", 7) == ("e0/w1 e2/w1 e0/w0 e1/w0 e2/w0 e1/w1 e0/w0 e0/w1 e2/w0 e1/w0 e2/w1 e1/w1")
    assert shown("block", 7) == ("e1/w1 e1/w0 e2/w0 e2/w1 e0/w1 e0/w0 e1/w1 e1/w0 e2/w0 e2/w1 e0/w0 e0/w1")


@pytest.mark.parametrize("fresh", ["trial", "block"])
def test_every_treatment_stands_at_every_position_equally_often(fresh: str) -> None:
    of = plan(environments=3, workloads=2, blocks=3000, fresh=fresh)
    trials = schedule(of, names(of), 20)
    for position in range(6):
        counts = Counter(treatment(trial) for trial in trials if trial.position == position)
        assert len(counts) == 6
        assert chisquare(list(counts.values())).pvalue > 0.001


def test_all_orders_of_a_block_occur_about_equally_often() -> None:
    of = plan(environments=2, workloads=2, blocks=4800)
    trials = schedule(of, names(of), 3)
    blocks = Counter(tuple(map(treatment, trials[start : start + 4])) for start in range(0, len(trials), 4))
    assert len(blocks) == 24
    assert chisquare(list(blocks.values())).pvalue > 0.001


def test_all_orders_of_a_block_with_shared_starts_occur_about_equally_often() -> None:
    of = plan(environments=2, workloads=2, blocks=4800, fresh="block")
    trials = schedule(of, names(of), 3)
    blocks = Counter(tuple(map(treatment, trials[start : start + 4])) for start in range(0, len(trials), 4))
    assert len(blocks) == 2 * 2 * 2  # two orders of environments, two of workloads in each
    assert chisquare(list(blocks.values())).pvalue > 0.001


@given(plans, seeds)
def test_the_baseline_is_in_each_block_twice_where_there_is_something_to_compare(of: Plan, seed: int) -> None:
    of = of.model_copy(update={"control": True})
    trials = schedule(of, names(of), seed)
    assert len(trials) == trial_count(of)
    for block in range(of.blocks):
        guests = Counter(trial.guests[0] for trial in trials if trial.block == block)
        assert set(guests.values()) == {len(of.workloads)}
        numbers = {guest.number for guest in guests if guest.environment == "e0"}
        assert numbers == ({1, 2} if len(of.environments) > 1 else {1})
        assert {guest.number for guest in guests if guest.environment != "e0"} <= {1}


def test_the_two_guests_of_the_baseline_take_turns_with_the_others() -> None:
    of = plan(control=True, fresh="block", blocks=1)
    of = of.model_copy(
        update={"workloads": [one.model_copy(update={"scheduling": "interleaved"}) for one in of.workloads]}
    )
    units = Counter(trial.turns for trial in schedule(of, names(of), 1))
    assert sorted(units.values()) == [4, 4]
    assert None not in units


@given(plans, seeds, st.booleans(), st.data())
def test_further_blocks_follow_and_hold_what_goes_on_with_its_baseline(
    of: Plan, seed: int, control: bool, data: st.DataObject
) -> None:
    of = of.model_copy(update={"control": control})
    before = schedule(of, names(of), seed)
    others = [(workload.name, name) for workload in of.workloads for name in names(of) if name != "e0"]
    more = data.draw(st.dictionaries(st.sampled_from(others), st.integers(0, 4))) if others else {}
    trials = further(of, seed, before, more)
    assert [trial.index for trial in trials] == list(range(len(before), len(before) + len(trials)))
    found = Counter((trial.placements[0].workload, treatment(trial)[0]) for trial in trials)
    assert {key: count for key, count in found.items() if key[1] != "e0"} == {key: n for key, n in more.items() if n}
    for workload in of.workloads:
        most = max((count for key, count in more.items() if key[0] == workload.name), default=0)
        assert found[workload.name, "e0"] == most * (2 if control else 1)
    assert [trial.block for trial in trials] == sorted(trial.block for trial in trials)
    assert {trial.block for trial in trials} == set(range(of.blocks, of.blocks + max(more.values(), default=0)))
    groups = [trial.start_group for trial in (*before, *trials)]
    assert groups == sorted(groups)
    assert not {trial.start_group for trial in before} & {trial.start_group for trial in trials}


def test_a_stage_of_too_many_trials_is_refused() -> None:
    of = plan(64, 64, blocks=1)
    with pytest.raises(UsageError, match=f"more than the {MAX_TRIALS}"):
        further(of, 1, schedule(of, names(of), 1), {("w0", "e1"): MAX_TRIALS})


SCENARIOS = [
    {"name": "alone", "type": "alone", "workloads": ["w0", "w1"]},
    {"name": "growing", "type": "together", "workloads": ["w0"], "guests": [1, 2, 3]},
    {"name": "one", "type": "alone", "environment": "e1", "workloads": ["w1"]},
]


@pytest.mark.parametrize("fresh", ["trial", "block"])
def test_a_block_has_every_trial_of_every_scenario_once(fresh: str) -> None:
    of = plan(environments=2, blocks=3, fresh=fresh, scenarios=SCENARIOS, control=True)
    trials = schedule(of, names(of), 7)
    assert len(trials) == trial_count(of) == 3 * (3 * 2 + 2 * 3 + 1)
    for block in range(3):
        ours = [trial for trial in trials if trial.block == block]
        counts = Counter((trial.scenario, trial.placements[0].environment, len(trial.placements)) for trial in ours)
        assert counts == {
            ("alone", "e0", 1): 4,
            ("alone", "e1", 1): 2,
            ("one", "e1", 1): 1,
            **{("growing", name, count): 1 for name in ("e0", "e1") for count in (1, 2, 3)},
        }
        for name in ("e0", "e1"):
            group = [one for one in ours if one.scenario == "growing" and one.placements[0].environment == name]
            starts = {trial.start_group for trial in group}
            assert len(starts) == (1 if fresh == "block" else 3)
            assert not starts & {trial.start_group for trial in ours if trial not in group}
    assert [trial.index for trial in trials] == list(range(len(trials)))
    orders = {
        tuple(len(t.placements) for t in trials if t.block == block and t.scenario == "growing") for block in range(3)
    }
    assert len(orders) > 1, "in random order"


@pytest.mark.parametrize("apart", [False, True])
def test_numbers_of_guests_that_are_interleaved_are_one_unit_of_all_environments(apart: bool) -> None:
    of = plan(environments=2, blocks=2, fresh="block", scenarios=SCENARIOS[1:2])
    work = [one.model_copy(update={"scheduling": "interleaved"}) for one in of.workloads]
    of = of.model_copy(update={"workloads": work})
    trials = schedule(of, names(of), 7, apart=["growing"] if apart else [])
    assert len(trials) == trial_count(of) == 2 * 2 * 5  # three guests alone, two, and three
    units: dict[int | None, list[Trial]] = {}
    for trial in trials:
        units.setdefault(trial.turns, []).append(trial)
    assert None not in units and len(units) == (4 if apart else 2)
    for first, unit in units.items():
        assert [trial.index for trial in unit] == list(range(unit[0].index, unit[0].index + len(unit)))
        assert (first, {trial.start_group for trial in unit}) == (unit[0].index, {unit[0].start_group})
        assert {one.environment for trial in unit for one in trial.placements} == (
            {unit[0].placements[0].environment} if apart else {"e0", "e1"}
        )


def test_one_scenario_in_which_all_run_alone_is_a_plan_without_scenarios() -> None:
    without = plan(environments=3, blocks=2)
    everything = [{"name": "all", "type": "alone", "workloads": ["w0", "w1"]}]
    named = schedule(plan(environments=3, blocks=2, scenarios=everything), names(without), 5)
    assert [replace(trial, scenario="") for trial in named] == list(schedule(without, names(without), 5))
    assert {trial.scenario for trial in named} == {"all"}


def test_further_blocks_are_of_work_that_runs_alone() -> None:
    of = plan(environments=2, blocks=1, scenarios=SCENARIOS[:2])
    before = schedule(of, names(of), 3)
    more = further(of, 3, before, {("w1", "e1"): 2})
    assert {(trial.scenario, *treatment(trial)) for trial in more} == {("alone", "e0", "w1"), ("alone", "e1", "w1")}
    assert [trial.block for trial in more] == [1, 1, 2, 2]


def test_further_blocks_of_scenarios_of_one_environment_each_hold_that_one() -> None:
    each = [{"name": f"only {name}", "type": "alone", "environment": name} for name in ("e0", "e1", "e2")]
    of = plan(environments=3, blocks=1, scenarios=[one | {"workloads": ["w0", "w1"]} for one in each])
    more = further(of, 3, schedule(of, names(of), 3), {("w1", "e1"): 1})
    assert {(trial.scenario, *treatment(trial)) for trial in more} == {("only e0", "e0", "w1"), ("only e1", "e1", "w1")}
    assert len(more) == 2


def test_an_environment_that_does_not_work_has_no_groups() -> None:
    of = plan(environments=2, blocks=1, scenarios=SCENARIOS)
    trials = schedule(of, ["e0"], 3)
    assert {placement.environment for trial in trials for placement in trial.placements} == {"e0"}
    assert {trial.scenario for trial in trials} == {"alone", "growing"}


def taking_turns(environments: int = 5, workloads: int = 3, **more: Any) -> Plan:
    """The last workload is continuous."""
    of = plan(environments, workloads, control=True, fresh="block", **more)
    turning = [one.model_copy(update={"scheduling": "interleaved"}) for one in of.workloads[:-1]]
    return of.model_copy(update={"workloads": [*turning, of.workloads[-1]]})


GROUPS = [["e1", "e3"], ["e2"], ["e4"]]


@given(seeds)
def test_in_groups_each_has_the_baseline_and_its_control_in_every_workload(seed: int) -> None:
    of = taking_turns(blocks=4)
    trials = schedule(of, names(of), seed, GROUPS)
    assert [trial.index for trial in trials] == list(range(len(trials)))
    assert len(trials) == 4 * 3 * (4 + 2 * 3)
    found: dict[int, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.start_group, []).append(trial)
    assert list(found) == list(range(4 * 3))
    for group in found.values():
        assert len({trial.block for trial in group}) == 1
        guests = {trial.guests[0] for trial in group}
        own = sorted({guest.environment for guest in guests} - {"e0"})
        assert own in GROUPS
        assert Counter((trial.guests[0], treatment(trial)[1]) for trial in group) == {
            (guest, f"w{number}"): 1 for guest in guests for number in range(3)
        }
        assert {guest.number for guest in guests if guest.environment == "e0"} == {1, 2}
        turns = Counter(trial.turns for trial in group)
        assert turns.pop(None) == len(guests)
        assert list(turns.values()) == [len(guests)] * 2
    for block in range(4):
        ours = [trial for trial in trials if trial.block == block]
        assert [trial.position for trial in ours] == list(range(len(ours)))


def test_the_groups_of_a_block_are_in_random_order_and_one_group_changes_nothing() -> None:
    of = taking_turns(blocks=300)
    orders: Counter[tuple[str, ...]] = Counter()
    trials = schedule(of, names(of), 3, GROUPS)
    for block in range(300):
        ours = [trial for trial in trials if trial.block == block]
        starts = list(dict.fromkeys(trial.start_group for trial in ours))
        first = {trial.start_group: treatment(trial)[0] for trial in ours if treatment(trial)[0] in ("e1", "e2", "e4")}
        orders[tuple(first[start] for start in starts)] += 1
    assert len(orders) == 6
    assert chisquare(list(orders.values())).pvalue > 0.001
    assert schedule(of, names(of), 3, [["e1", "e2", "e3", "e4"]]) == schedule(of, names(of), 3)


def test_without_turns_there_are_no_groups() -> None:
    of = plan(5, 2, fresh="block")
    assert schedule(of, names(of), 3, GROUPS) == schedule(of, names(of), 3)


def test_further_blocks_have_the_groups_of_the_first_ones() -> None:
    of = taking_turns(blocks=2)
    before = schedule(of, names(of), 5, GROUPS)
    trials = further(of, 5, before, {("w0", "e1"): 2, ("w2", "e1"): 1, ("w0", "e3"): 1, ("w1", "e4"): 1})
    first: dict[int, set[tuple[str, str]]] = {}
    for trial in trials:
        if trial.block == 2:
            first.setdefault(trial.start_group, set()).add(treatment(trial))
    assert sorted(map(sorted, first.values())) == [
        [("e0", "w0"), ("e0", "w2"), ("e1", "w0"), ("e1", "w2"), ("e3", "w0")],
        [("e0", "w1"), ("e4", "w1")],
    ]
    assert {treatment(trial) for trial in trials if trial.block == 3} == {("e0", "w0"), ("e1", "w0")}


def members(trials: Sequence[Trial]) -> dict[int, frozenset[frozenset[str]]]:
    """The environments beside the baseline of each group, by block."""
    found: dict[int, dict[int, set[str]]] = {}
    for trial in trials:
        found.setdefault(trial.block, {}).setdefault(trial.start_group, set()).add(treatment(trial)[0])
    return {block: frozenset(frozenset(group - {"e0"}) for group in groups.values()) for block, groups in found.items()}


def pairs(generator: Generator) -> list[list[str]]:
    """Four environments in two groups of two."""
    order = generator.shuffled(["e1", "e2", "e3", "e4"])
    return [order[:2], order[2:]]


def test_groups_may_be_drawn_anew_in_each_block() -> None:
    of = taking_turns(blocks=300)
    trials = schedule(of, names(of), 3, pairs)
    assert trials == schedule(of, names(of), 3, pairs)
    assert len(trials) == 300 * 3 * (4 + 2 * 2)
    counts = Counter(members(trials).values())
    assert len(counts) == 3 and chisquare(list(counts.values())).pvalue > 0.001


def test_further_blocks_have_the_groups_of_earlier_blocks_by_chance() -> None:
    of = taking_turns(blocks=6)
    before = schedule(of, names(of), 5, pairs)
    everything = {(workload.name, name): 40 for workload in of.workloads for name in names(of)[1:]}
    more = further(of, 5, before, everything)
    earlier, later = set(members(before).values()), Counter(members(more).values())
    assert len(earlier) > 1 and set(later) == earlier
    again = further(of, 5, (*before, *more), {("w0", "e1"): 3})
    assert len(again) == 3 * 3, "and those of blocks with a part of the guests are no groups"


def test_too_many_trials_in_groups_are_refused() -> None:
    of = taking_turns(5, 3, blocks=4000)
    assert trial_count(of) < MAX_TRIALS
    with pytest.raises(UsageError, match="in groups of guests there would be more than"):
        schedule(of, names(of), 1, GROUPS)


def test_with_scenarios_the_groups_are_those_of_guests_that_take_turns() -> None:
    """Work in long windows, guests that work at the same time, and scenarios of one environment are as without."""
    scenarios = [
        {"name": "all", "type": "alone", "workloads": ["w0", "w2"]},
        {"name": "growing", "type": "together", "workloads": ["w0"], "guests": [1, 2]},
        {"name": "long", "type": "alone", "workloads": ["w2"]},
        {"name": "native", "type": "alone", "environment": "e0", "workloads": ["w1"]},
    ]
    of = taking_turns(blocks=2, scenarios=scenarios)
    trials = schedule(of, names(of), 4, GROUPS, apart=["growing"])
    assert len(trials) == trial_count(of) + 2 * 2 * 2 * 2  # two more pairs of the baseline in two workloads
    more = further(of, 4, trials, {("w0", "e1"): 1, ("w2", "e2"): 1})
    starts: dict[str, Counter[tuple[str, ...]]] = {}
    for name in ("all", "growing", "long", "native"):
        ours = [trial for trial in trials if trial.scenario == name]
        found: dict[int, dict[str, None]] = {}
        for trial in ours:
            found.setdefault(trial.start_group, {}).update((guest.environment, None) for guest in trial.guests)
        starts[name] = Counter(tuple(sorted(group)) for group in found.values())
        others = {trial.start_group for trial in trials if trial.scenario != name}
        assert not others & found.keys(), "no guest is shared between scenarios"
    assert starts["all"] == {("e0", "e1", "e3"): 2, ("e0", "e2"): 2, ("e0", "e4"): 2}
    assert starts["growing"] == {(name,): 2 for name in names(of)}
    assert starts["long"] == {(name,): 2 * (2 if name == "e0" else 1) for name in names(of)}
    assert starts["native"] == {("e0",): 2}
    found = {}
    for trial in more:
        if trial.scenario == "all":
            found.setdefault(trial.start_group, {}).update({"/".join(treatment(trial)): None})
    assert sorted(map(sorted, found.values())) == [["e0/w0", "e1/w0"], ["e0/w2", "e2/w2"]]
    assert Counter(treatment(trial) for trial in more if trial.scenario == "long") == {
        ("e0", "w2"): 2,
        ("e2", "w2"): 1,
    }
