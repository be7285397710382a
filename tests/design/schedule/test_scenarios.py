"""What each scenario consists of."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer.design.schedule.scenarios import (
    Placements,
    alone,
    environments_of,
    groups,
    guests_of,
    members_of,
    work_alone,
    work_in_turns,
)
from virtometer.model import GuestKey, Placement, Plan


def plan(**scenario: Any) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "environments": [{"name": name, "kind": "k"} for name in ("native", "box", "machine")],
            "workloads": [{"name": name, "workload": "w", "op": "o"} for name in ("cpu", "disk", "net")],
            "scenarios": [{"name": "s", **scenario}],
        }
    )


def made(available: tuple[str, ...] = ("native", "box", "machine"), **scenario: Any) -> list[list[Placements]]:
    of = plan(**scenario)
    return groups(of, of.scenarios[0], available)


def shown(trial: Placements) -> list[str]:
    """`box2 cpu load`, with what differs from one measured placement of the first agent."""
    found = []
    for one in trial:
        words = [f"{one.environment}{one.guest}", one.workload]
        words += [one.role] if one.role != "measured" else []
        words += [f"->{service}" for service in one.uses]
        words += [f"agent {one.instance}"] if one.instance != 1 else []
        found.append(" ".join(words))
    assert [one.ordinal for one in trial] == list(range(len(trial)))
    return found


def test_together_is_every_number_of_guests_of_each_environment() -> None:
    (group,) = made(type="together", environment="box", workloads=["cpu"], guests=[1, 3])
    assert [shown(trial) for trial in group] == [["box1 cpu"], ["box1 cpu", "box2 cpu", "box3 cpu"]]
    all_of_them = made(type="together", workloads=["cpu", "disk"], guests=[2])
    assert [[shown(trial) for trial in group] for group in all_of_them] == [
        [[f"{name}1 {work}", f"{name}2 {work}"] for work in ("cpu", "disk")] for name in ("native", "box", "machine")
    ]
    assert len(made(("native",), type="together", workloads=["cpu"], guests=[2])) == 1


def interleaved(seconds: float = 1.0, fresh: str = "block", **scenario: Any) -> list[list[Placements]]:
    """As `made`, with cpu work that can pause."""
    of = plan(type="together", environment="box", **scenario)
    work = [one.model_copy(update={"scheduling": "interleaved"} if one.name == "cpu" else {}) for one in of.workloads]
    of = of.model_copy(update={"workloads": work, "seconds": seconds, "fresh": fresh})
    return groups(of, of.scenarios[0], ("native", "box", "machine"))


def test_where_windows_are_interleaved_each_guest_is_measured_by_itself() -> None:
    rounds, others = interleaved(workloads=["cpu", "disk"], guests=[1, 3])
    assert [shown(trial) for trial in rounds] == [
        ["box1 cpu"],
        ["box2 cpu"],
        ["box3 cpu"],
        ["box1 cpu", "box2 cpu", "box3 cpu"],
    ]
    assert [shown(trial) for trial in others] == [["box1 disk"], ["box1 disk", "box2 disk", "box3 disk"]]


def test_guests_by_themselves_have_two_windows_each_at_least() -> None:
    (rounds,) = interleaved(seconds=0.25, workloads=["cpu"], guests=[1, 3])  # four windows of 60 ms
    assert [shown(trial) for trial in rounds][:2] == [["box1 cpu"], ["box2 cpu"]] and len(rounds) == 3
    (rounds,) = interleaved(seconds=0.05, workloads=["cpu"], guests=[1, 3])
    assert len(rounds) == 2


def test_fresh_guests_for_every_trial_have_a_window_of_their_own() -> None:
    (group,) = interleaved(fresh="trial", workloads=["cpu"], guests=[1, 3])
    assert [len(trial) for trial in group] == [1, 3]


def test_a_loaded_guest_is_measured_without_the_load_too() -> None:
    load = {"workload": "cpu", "guests": 2}
    (group,) = made(type="loaded", environment="box", workloads=["disk"], load=load)
    assert [shown(trial) for trial in group] == [["box1 disk"], ["box1 disk", "box2 cpu load", "box3 cpu load"]]
    beside = {**load, "environment": "machine"}
    (group,) = made(type="loaded", environment="box", workloads=["disk"], load=beside)
    assert shown(group[1]) == ["box1 disk", "machine1 cpu load", "machine2 cpu load"]
    assert made(("native", "box"), type="loaded", environment="box", workloads=["disk"], load=beside) == []


def test_a_mixture_is_measured_apart_too() -> None:
    (group,) = made(type="mixed", environment="box", workloads=["disk", "net"], guests=[1, 2])
    assert [shown(trial) for trial in group] == [
        ["box1 disk"],
        ["box1 net"],
        ["box1 disk", "box1 net"],
        ["box1 disk", "box1 net", "box2 disk", "box2 net"],
    ]


def test_instances_are_agents_of_one_guest() -> None:
    (group,) = made(type="instances", environment="native", workloads=["cpu"], count=[1, 2])
    assert [shown(trial) for trial in group] == [["native1 cpu"], ["native1 cpu", "native1 cpu agent 2"]]
    assert guests_of(group) == [GuestKey("native")]


def test_a_pair_goes_both_ways_and_to_the_laboratory() -> None:
    (group,) = made(type="pair", environment="box", workloads=["net"])
    assert [shown(trial) for trial in group] == [
        ["box1 net ->1", "box2 net service"],
        ["box2 net ->1", "box1 net service"],
        ["box1 net"],
    ]


def test_a_matrix_has_every_source_and_every_target_and_the_laboratory() -> None:
    (group,) = made(type="matrix", members=["native", "box", "box"], workloads=["net"])
    members = [GuestKey("native"), GuestKey("box"), GuestKey("box", 2)]
    assert members_of(plan(type="matrix", members=["native", "box", "box"]).scenarios[0]) == members
    between = {(trial[0].guest_key, trial[1].guest_key) for trial in group if len(trial) == 2}
    assert between == {(source, target) for source in members for target in members}
    assert [trial[0].guest_key for trial in group if len(trial) == 1] == members
    assert len(group) == 12
    assert made(("native",), type="matrix", members=["native", "box"], workloads=["net"]) == []


def test_alone_has_no_groups() -> None:
    assert made(type="alone", workloads=["cpu"]) == []


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        ({"type": "together", "workloads": ["cpu"], "guests": [1, 4]}, ["native", "box", "machine"]),
        ({"type": "matrix", "workloads": ["net"], "members": ["machine", "box", "box"]}, ["box", "machine"]),
        ({"type": "alone", "environment": "box", "workloads": ["cpu"]}, ["box"]),
        ({"type": "instances", "environment": "box", "workloads": ["cpu"], "count": [8]}, ["box"]),
    ],
)
def test_where_a_scenario_measures(scenario: dict[str, Any], expected: list[str]) -> None:
    of = plan(**scenario)
    assert environments_of(of, of.scenarios[0]) == expected


def test_placements_know_their_guests() -> None:
    assert guests_of([(Placement("box", "cpu"), Placement("box", "cpu", guest=2, ordinal=1))]) == [
        GuestKey("box"),
        GuestKey("box", 2),
    ]


def test_guests_take_turns_where_each_runs_alone_and_nowhere_else() -> None:
    of = plan(type="together", workloads=["cpu"], guests=[2])
    turning = [one.model_copy(update={"scheduling": "interleaved"}) for one in of.workloads[:2]]
    of = of.model_copy(update={"workloads": [*turning, of.workloads[2]]})
    assert (alone(of), work_alone(of), work_in_turns(of)) == ([], [], [])
    without = of.model_copy(update={"scenarios": []})
    assert [one.workloads for one in alone(without)] == [["cpu", "disk", "net"]]
    assert [one.name for one in work_alone(without)] == ["cpu", "disk", "net"]
    assert [one.name for one in work_in_turns(without)] == ["cpu", "disk"]
    some = plan(type="alone", workloads=["net", "disk"]).scenarios
    both = of.model_copy(update={"scenarios": [*of.scenarios, *some]})
    assert alone(both) == some
    assert [one.name for one in work_alone(both)] == ["disk", "net"]
    assert [one.name for one in work_in_turns(both)] == ["disk"]
