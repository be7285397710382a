"""What this host has, and what of a right plan is too much for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.runner.fixtures import MakePlan, resolved
from virtometer.runner.campaign.here import host_sizes, not_here
from virtometer.runner.lab.context import ROOM

NATIVE = {"name": "native", "kind": "native"}


def test_sizes_are_those_of_the_kernel(tmp_path: Path) -> None:
    found = host_sizes(tmp_path)
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert found.memory >= physical
    assert len(found.processors) == os.cpu_count() and min(found.processors) >= 0
    assert os.sched_getaffinity(0) <= found.processors
    assert found.free == pytest.approx(max(0, shutil.disk_usage(tmp_path).free - ROOM), abs=64 << 20)


def test_a_directory_that_is_not_there_yet_lies_where_it_will(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = host_sizes(tmp_path)
    deep = host_sizes(tmp_path / "none" / "nor" / "this")
    assert deep.free == pytest.approx(inside.free, abs=64 << 20)
    monkeypatch.chdir(tmp_path)
    assert host_sizes(Path("results")).free == pytest.approx(inside.free, abs=64 << 20)


def test_a_file_in_the_way_does_not_hinder_the_question(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert host_sizes(tmp_path / "file" / "results").free > 0


def test_a_small_plan_fits_and_a_disk_file_beyond_the_disk_does_not(tmp_path: Path, make_plan: MakePlan) -> None:
    disk = {"name": "d", "workload": "disk", "op": "random-read"}
    assert not_here(resolved(make_plan([NATIVE])), tmp_path) == []
    assert not_here(resolved(make_plan([NATIVE], [disk])), tmp_path) == []
    (found,) = not_here(resolved(make_plan([NATIVE], [disk], disk_span="16T")), tmp_path)
    assert found.path == ("disk_span",) and "16T" in found.sentence


def test_memory_that_this_host_does_not_have_is_reported_of_the_environment(
    tmp_path: Path, make_plan: MakePlan
) -> None:
    memory = {"name": "m", "workload": "memory", "op": "read", "parameters": {"size": "64T"}}
    found = not_here(resolved(make_plan([NATIVE], [memory])), tmp_path)
    assert len(found) == 1 and "64T" in found[0].sentence
