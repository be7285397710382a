"""Which processors guests get, and where the laboratory is meanwhile."""

from __future__ import annotations

import os

import pytest

from tests.runner.fixtures import MakePlan, resolved
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.native import NativeSettings
from virtometer.environments.kinds.qemu.kind import QemuSettings
from virtometer.environments.parts.container import ContainerSettings
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.processors import allowed, tasks
from virtometer.model import GuestKey, Limits, Placement, Trial
from virtometer.runner.execution.executor import Executor
from virtometer.runner.guests.processors import (
    ALL,
    Placed,
    Share,
    chosen,
    in_turn,
    laboratory_aside,
    place_guest,
    shares,
)
from virtometer.runner.guests.running import RunningGuest

EIGHT = frozenset(range(8))
HERE = frozenset(os.sched_getaffinity(0))
LAST = max(HERE)
several = pytest.mark.skipif(len(HERE) < 2, reason="there is one processor")


def test_guests_have_processors_in_turn_whatever_the_order_of_their_starts() -> None:
    one, two, three = (GuestKey("box", number) for number in (1, 2, 3))
    for started in ([one, two, three], [three, one, two]):
        assert [in_turn(started, started, block) for block in range(4)] == [
            [one, two, three], [two, three, one], [three, one, two], [one, two, three],
        ]  # fmt: skip
    # What loads or serves comes after what is measured, and does not change its processors.
    assert in_turn([one], [one, three, two], 1) == [one, three, two]


def test_auto_takes_the_highest_numbers() -> None:
    auto = NativeSettings()
    assert chosen(auto, Share(1, 1), EIGHT) == {7}
    assert chosen(auto, Share(3, 3), EIGHT) == {5, 6, 7}
    assert (
        chosen(auto, Share(8, 8), EIGHT)
        == chosen(auto, Share(9, 9), EIGHT)
        == chosen(auto, Share(None, None), EIGHT)
        == EIGHT
    )
    assert chosen(auto, Share(1, 1), {2, 5}) == {5}


def test_what_the_plan_asks_for_is_kept() -> None:
    assert chosen(NativeSettings(processors="all"), Share(1, 1), EIGHT) == EIGHT
    assert chosen(NativeSettings(processors=(2, 0)), Share(4, 4), EIGHT) == {0, 2}
    assert chosen(ContainerSettings(cpuset=(1, 2)), Share(4, 4), EIGHT) == {1, 2}
    assert chosen(ContainerSettings(cpus=1.5), Share(1, 1), EIGHT) == {6, 7}
    assert chosen(ContainerSettings(cpus=0.5), Share(1, 1), EIGHT) == {7}
    assert chosen(QemuSettings(cpus=4), Share(1, 1), EIGHT) == {4, 5, 6, 7}
    assert chosen(QemuSettings(cpus=1), Share(2, 2), EIGHT) == {6, 7}


def test_the_condition_names_the_processors() -> None:
    assert Placed(frozenset({7}), EIGHT).conditions == {"guest_processors": "7"}
    assert Placed(frozenset({1, 2, 3}), EIGHT).conditions == {"guest_processors": "1-3"}
    assert Placed(EIGHT, EIGHT).conditions == {"guest_processors": ALL}
    assert Placed(EIGHT, EIGHT, "it says no").conditions == {
        "guest_processors": ALL, "guest_processors_reason": "it says no"
    }  # fmt: skip


def test_a_guest_that_cannot_be_bound_works_all_the_same(lab: LabContext) -> None:
    guest = KINDS["native"](lab).start(NativeSettings(), "unbound")
    try:
        found = place_guest(guest, NativeSettings(processors=(4000,)), Share(1, 1), HERE)
    finally:
        guest.stop()
    assert found.processors == HERE
    assert "processor 4000" in found.reason


@several
def test_the_laboratory_leaves_processors_to_guests_and_comes_back(lab: LabContext, make_plan: MakePlan) -> None:
    native = {"name": "native", "kind": "native"}
    seen: list[set[frozenset[int]]] = []
    for settings, threads in (({}, 1), ({"processors": "all"}, 1), ({}, len(HERE)), ({"processors": sorted(HERE)}, 1)):
        work = {"name": "w", "workload": "linpack", "op": "classic", "threads": threads}
        with laboratory_aside(resolved(make_plan([{**native, "settings": settings}], [work])), lab):
            seen.append({allowed(task) for task in tasks([os.getpid()])})
        assert {allowed(task) for task in tasks([os.getpid()])} == {HERE}
    assert seen == [{HERE - {LAST}}, {HERE}, {HERE}, {HERE}]


@several
def test_the_laboratory_comes_back_after_a_failure(lab: LabContext, make_plan: MakePlan) -> None:
    with (
        pytest.raises(EnvironmentFailed),
        laboratory_aside(resolved(make_plan([{"name": "a", "kind": "native"}])), lab),
    ):
        raise EnvironmentFailed("in the middle")
    assert allowed(os.getpid()) == HERE


@several
@pytest.mark.parametrize(
    ("settings", "threads", "where", "processors"),
    [
        ({}, 1, str(LAST), None),
        ({}, len(HERE), ALL, None),
        ({}, len(HERE) + 1, ALL, f"{len(HERE)} for {len(HERE) + 1} threads"),
        ({"processors": "all"}, 1, ALL, None),
        ({"processors": [min(HERE)]}, 2, str(min(HERE)), "1 for 2 threads"),
    ],
)
def test_a_run_tells_where_its_guest_worked(
    lab: LabContext, make_plan: MakePlan, settings: dict[str, object], threads: int, where: str, processors: str | None
) -> None:
    work = {"name": "w", "workload": "linpack", "op": "classic", "parameters": {"size": 50}, "threads": threads}
    plan = make_plan([{"name": "native", "kind": "native", "settings": settings}], [work])
    kind = KINDS["native"](lab)
    parsed = kind.settings_type.model_validate(settings)
    with laboratory_aside(resolved(plan), lab):
        one = RunningGuest.start(kind, plan.environments[0], parsed, "placed", Limits())
        try:
            trial = Trial(0, 0, 0, 0, (Placement("native", "w"),))
            (record,) = Executor(resolved(plan), lab).run([trial], {GuestKey("native"): one})
        finally:
            one.stop()
    assert record.reason == ""
    assert record.runs[0].conditions["guest_processors"] == where
    assert record.runs[0].conditions.get("processors") == processors


def test_guests_apart_have_the_next_processors_and_shared_the_same() -> None:
    apart, shared = NativeSettings(processors="apart"), NativeSettings(processors="shared")
    three = shares([(1, 1), (2, 1), (1, 1)])
    assert three == [Share(4, 1, 0), Share(4, 2, 1), Share(4, 1, 3)]
    assert [chosen(apart, one, EIGHT) for one in three] == [{7}, {6, 5}, {4}]
    assert [chosen(apart, one, {0, 1}) for one in three] == [{1}, {0, 1}, {0}]
    assert [chosen(shared, one, EIGHT) for one in three] == [{7}, {6, 7}, {7}]
    assert [chosen(NativeSettings(), one, EIGHT) for one in three] == [{4, 5, 6, 7}] * 3
    unknown = shares([(1, 1), (None, 1), (1, 1)])
    assert unknown == [Share(None, 1, 0), Share(None, None, 1), Share(None, 1, None)]
    assert [chosen(apart, one, EIGHT) for one in unknown] == [{7}, EIGHT, EIGHT]
    assert [chosen(shared, one, EIGHT) for one in unknown] == [{7}, EIGHT, {7}]


def test_guests_apart_do_not_overlap_though_their_kind_needs_more_than_their_work() -> None:
    machine, process = QemuSettings(processors="apart", cpus=2), NativeSettings(processors="apart")
    mixed = shares([(1, machine.fewest_processors), (1, process.fewest_processors), (2, machine.fewest_processors)])
    assert mixed == [Share(4, 1, 0), Share(4, 1, 2), Share(4, 2, 3)]
    found = [chosen(kind, one, EIGHT) for kind, one in zip((machine, process, machine), mixed, strict=True)]
    assert found == [{7, 6}, {5}, {4, 3}]
