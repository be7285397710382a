"""A plan resolved: typed settings and parameters, and what kinds and workloads know of them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.design.reading import parsed, resolved
from virtometer.design.plan.resolved import resolve
from virtometer.environments.kinds.qemu.kind import QemuSettings
from virtometer.environments.registry import KINDS
from virtometer.model import Demand, PlanWorkload, Room
from virtometer.workloads.base import Work
from virtometer.workloads.memory import MemoryParameters

PLAN = """
virtometer: 1
name: files
environments: [{name: native, kind: native}, {name: machine, kind: qemu, settings: {memory: 1G}}]
seconds: 2.5
workloads:
  - {name: read, workload: disk, op: random-read}
"""
WRITING = """\
  - {name: write, workload: disk, op: write, threads: 2, parameters: {span: 8M}}
  - {name: names, workload: disk, op: create-random, parameters: {files: 500}, seconds: 0.5}
"""


def work(
    workload: str, op: str, parameters: dict[str, Any] | None = None, seconds: float = 1, threads: int = 1
) -> Work:
    one = PlanWorkload(
        name="w", workload=workload, op=op, parameters=parameters or {}, seconds=seconds, threads=threads
    )
    return resolve(parsed(PLAN).model_copy(update={"workloads": [one]}), KINDS).works["w"]


def test_settings_and_parameters_are_types() -> None:
    found = resolved(PLAN)
    machine = found.settings["machine"]
    assert isinstance(machine, QemuSettings) and machine.guest_memory == 1 << 30
    assert found.settings["native"].guest_memory is None
    assert found.kind(found.plan.environments[1]) is KINDS["qemu"]
    assert resolve(found.plan, KINDS) == found, "a ledger has the plan alone"
    triad = work("memory", "triad", {"size": "64M"})
    assert triad.parameters == MemoryParameters(size=64 << 20)
    assert (triad.name, triad.demand.memory, triad.operation.unit) == ("memory triad", 3 * 64 << 20, "B/s")
    assert work("fio", "random-read", threads=4).demand == Demand(threads=1)


def test_what_is_not_right_is_not_resolved() -> None:
    with pytest.raises(ValidationError):
        work("memory", "triad", {"colour": "red"})
    with pytest.raises(KeyError):
        work("juggling", "triad")


def test_each_workload_has_its_own_window_or_that_of_the_plan() -> None:
    found = resolved(PLAN + WRITING).works
    assert [one.seconds for one in found.values()] == [2.5, 2.5, 0.5]
    assert found["read"].window_s == 2.5


@pytest.mark.parametrize(("workload", "op", "parameters", "seconds", "window"), [
    ("linpack", "classic", {"size": 500}, 0.4, 0.4),
    ("linpack", "classic", {"size": 8000}, 5, None),
    ("linpack", "classic", {"size": 8000, "convention": "published"}, 1800, 1800),
    ("memory", "triad", {"size": "64M"}, 0.4, 0.4),
    ("memory", "triad", {"size": "8G"}, 5, 5),
    ("pde", "jacobi", {"interlines": 100}, 1, 1),
    ("pde", "jacobi", {"interlines": 100, "iterations": 8000}, 30, None),
    ("pde", "jacobi", {"interlines": 100, "precision": 4}, 30, None),
    ("pde", "jacobi", {"interlines": 10000}, 5, None),
    ("disk", "random-read", {}, 1, 1),
    ("disk", "char-write", {"span": "64M"}, 0.5, None),
    ("disk", "create-random", {"files": 1024}, 0.5, None),
    ("fio", "random-read", {"seconds": 7}, 1, 7),
    ("ab", "get", {}, 1, None),
    ("net", "stream", {}, 1, 1),
    ("os", "fork", {}, 1, 1),
    ("clock", "watch", {}, 1, 1),
])  # fmt: skip
def test_which_work_ends_with_its_window(
    workload: str, op: str, parameters: dict[str, Any], seconds: float, window: float | None
) -> None:
    found = work(workload, op, parameters, seconds)
    assert (found.window_s, found.ends_early) == (window, False)


def test_runs_may_end_before_the_window() -> None:
    assert work("linpack", "classic", {"runs": 10}).ends_early


def test_work_is_made_for_as_many_processors_as_it_has_threads() -> None:
    assert work("os", "system-call").processors == 1
    assert work("os", "system-call", threads=3).processors == 3
    assert work("os", "system-call", {"pin": "one"}, threads=2).processors == 2
    assert work("os", "pipe", {"pin": "apart"}).processors is None
    assert work("os", "pipe", {"pin": "none"}).processors is None
    assert work("fio", "random-read").processors == 1


def test_the_disk_file_is_that_of_workloads_that_need_a_disk() -> None:
    assert resolved(PLAN + WRITING).on_disk == {"read", "write", "names"}
    assert resolved(PLAN.replace("disk, op: random-read", "os, op: fork")).on_disk == set()


def test_the_room_for_files_is_that_of_the_largest_or_of_all_that_run_at_once() -> None:
    assert resolved(PLAN).file_room is None
    assert resolved(PLAN + WRITING).file_room == Room(16 << 20, 500)
    at_once = "scenarios: [{name: m, type: mixed, environment: native, workloads: [write, names], guests: [1]}]\n"
    assert resolved(PLAN + WRITING + at_once).file_room == Room(16 << 20, 502)
