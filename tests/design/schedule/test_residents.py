"""Guests that live at the same time, and their groups where memory is small. The sizes are planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.design.reading import resolved
from tests.sentences import Said
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.residents import Residents, growing_guests, residents
from virtometer.design.schedule.shuffle import Generator

MIB = 1 << 20
MACHINE = "kind: qemu, settings: {memory: %s}"


def plan(environments: dict[str, str], *workloads: str, **more: Any) -> ResolvedPlan:
    lines = ["virtometer: 1", "name: residents", "environments:", "  - {name: native, kind: native}"]
    lines += [f"  - {{name: {name}, {kind}}}" for name, kind in environments.items()]
    lines += ["workloads:", *(f"  - {{name: w{n}, {one}}}" for n, one in enumerate(workloads or (CALL,)))]
    lines += [f"{key}: {value}" for key, value in ({"fresh": "block"} | more).items()]
    return resolved("\n".join(lines))


CALL = "workload: os, op: system-call"
TRIAD = "workload: memory, op: triad, parameters: {size: 64M}"  # three arrays
MACHINES = {"large": MACHINE % "2G", "middle": MACHINE % "1G", "small": MACHINE % "512M", "box": "kind: runc"}
OWN = {"native": 8, "box": 8, "large": 2176, "middle": 1152, "small": 640}


def split(of: ResolvedPlan, room: int) -> Residents:
    return residents(of, [one.name for one in of.plan.environments], room)


def test_what_a_guest_takes() -> None:
    found = split(plan(MACHINES), 100 << 30)
    assert found.needs == {name: size * MIB for name, size in OWN.items()}
    assert (found.baseline_guests, found.extra) == (2, 0)
    with_arrays = split(plan(MACHINES, CALL, TRIAD), 100 << 30)
    assert with_arrays.needs["box"] == with_arrays.needs["native"] == (8 + 192) * MIB
    assert with_arrays.needs["large"] == 2176 * MIB, "the arrays lie in the memory that a machine has anyway"


def test_work_in_long_windows_is_done_by_one_guest_at_a_time() -> None:
    found = split(plan(MACHINES, CALL, f"{TRIAD}, scheduling: continuous"), 100 << 30)
    assert (found.needs["box"], found.extra) == (8 * MIB, 192 * MIB)
    assert found.taken(["box"]) == (3 * 8 + 192) * MIB


@pytest.mark.parametrize(
    ("room", "groups"),
    [
        (3992, [("large", "middle", "small", "box")]),  # 2 x 8 + 2176 + 1152 + 640 + 8
        (3991, [("large", "middle", "small"), ("box",)]),
        (3400, [("large", "middle", "box"), ("small",)]),
        (2192, [("large",), ("middle", "small", "box")]),
        (1808, [("large",), ("middle", "small"), ("box",)]),
        (1, [("large",), ("middle",), ("small",), ("box",)]),
    ],
)
def test_groups_hold_what_fits_beside_the_baseline(room: int, groups: list[tuple[str, ...]]) -> None:
    assert list(split(plan(MACHINES), room * MIB).groups) == groups


def test_all_guests_of_interleaved_numbers_are_counted(said: Said) -> None:
    growing = "[{name: growing, type: together, guests: [1, 3]}]"
    of = plan({"box": "kind: runc", "small": MACHINE % "512M"}, TRIAD, scenarios=growing)
    names = [one.name for one in of.plan.environments]
    (group,) = growing_guests(of, names, 3120 * MIB)  # 3 x (200 + 200 + 640)
    assert (group.needs, group.guests) == ({"native": 200 * MIB, "box": 200 * MIB, "small": 640 * MIB}, 3)
    assert (group.apart, group.sentence) == (False, "")
    (group,) = growing_guests(of, names, 3119 * MIB)
    assert group.apart
    assert "3 x native 200M + 3 x box 200M + 3 x small 640M = 3120M" in group.sentence
    said(group.sentence)
    (group,) = growing_guests(of, ["native"], 1)
    assert not group.apart, "one environment has nobody to wait for"
    assert growing_guests(plan({"box": "kind: runc"}, TRIAD, scenarios=growing, fresh="trial"), names, 1) == []


def test_without_turns_nobody_is_resident_and_there_is_one_group() -> None:
    found = split(plan(MACHINES, f"{CALL}, scheduling: continuous"), 1)
    assert found.groups == (("large", "middle", "small", "box"),)
    assert list(found.sentences()) == []


def test_what_does_not_work_here_is_in_no_group() -> None:
    found = residents(plan(MACHINES), ["native", "small", "box"], 660 * MIB)
    assert found.groups == (("small",), ("box",))


def test_the_groups_are_said_with_their_arithmetic(said: Said) -> None:
    found = split(plan(MACHINES), 2192 * MIB)
    first, *groups = found.sentences()
    assert "3992M" in first and "2192M" in first and "2 groups" in first
    assert groups == [
        "  group 1: 2 x native 8M + large 2176M = 2192M",
        "  group 2: 2 x native 8M + middle 1152M + small 640M + box 8M = 1816M",
    ]
    said(first)
    without = split(plan(MACHINES, CALL, f"{TRIAD}, scheduling: continuous", control="false"), 100 << 30)
    assert list(without.sentences()) == []
    assert without.arithmetic(["box"]) == "native 8M + box 8M + long windows 192M = 208M"


FACTORS = (
    "[{name: processors, environment: small, setting: cpus, levels: [1, 2, 3, 4]}, "
    "{name: chips, environment: small, setting: machine, levels: [pc, q35]}]"
)


def test_where_a_plan_has_factors_the_guests_of_a_group_are_drawn_anew_in_each_block(said: Said) -> None:
    of = plan({"small": MACHINE % "512M"}, factors=FACTORS)
    assert len(of.plan.cells) == 8
    found = split(of, 3848 * MIB)  # 2 x 640 + 8 + 4 x 640: two of the baseline, native, and four others
    generator = Generator(1)
    assert callable(found.of_blocks)
    blocks = [found.of_blocks(generator) for _ in range(20)]
    for groups in blocks:
        assert [sum(name != "native" for name in group) for group in groups] == [4, 3]
        others = {one.name for one in of.plan.environments} - {of.plan.baseline}
        assert sorted(name for group in groups for name in group) == sorted(others)
    assert len({frozenset(groups[0]) for groups in blocks}) > 10
    (first, *_) = found.sentences()
    assert "2 groups" in first and "small processors=1 chips=pc" in first
    said(first)
    assert split(plan(MACHINES), 2192 * MIB).of_blocks == split(plan(MACHINES), 2192 * MIB).groups
    assert split(of, 100 << 30).of_blocks == split(of, 100 << 30).groups


def test_drawn_groups_are_no_more_than_need_be_and_hold_what_fits() -> None:
    sizes = {f"vm{number}": MACHINE % f"{size}M" for number, size in enumerate([2048, 1024, 1024, 512, 512, 512, 512])}
    found = replace(split(plan(sizes), 3100 * MIB), redrawn=True)
    generator = Generator(2)
    for _ in range(50):
        groups = found.drawn(generator)
        assert len(groups) == len(found.groups)
        assert all(found.taken(group) <= found.room for group in groups)


@settings(max_examples=40)
@given(st.lists(st.integers(128, 4096), min_size=1, max_size=8), st.integers(1, 20_000))
def test_each_environment_is_in_one_group_and_no_group_of_several_is_too_large(sizes: list[int], room: int) -> None:
    of = plan({f"vm{number}": MACHINE % f"{size}M" for number, size in enumerate(sizes)})
    found = split(of, room * MIB)
    names = [name for group in found.groups for name in group]
    assert sorted(names) == sorted(f"vm{number}" for number in range(len(sizes)))
    assert all(len(group) == 1 or found.taken(group) <= room * MIB for group in found.groups)
    assert (len(found.groups) == 1) == (len(sizes) == 1 or found.taken(names) <= room * MIB)
