"""Disk files begin alike for all guests: in the host's page cache, or not in it where they would not stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from virtometer.runner.campaign import execute as campaigns
from virtometer.runner.campaign import page_cache
from virtometer.runner.campaign.page_cache import alike, held, memory_bytes, stays

SIZE = 8 << 20


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file on the medium that is not in the page cache."""
    path = tmp_path / "disk.img"
    path.write_bytes(os.urandom(SIZE))
    _drop(path)
    if held(path) != "cold":
        pytest.skip("this file system keeps its files in memory")
    return path


def _drop(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def test_a_file_that_fits_is_read_once(file: Path) -> None:
    told: list[str] = []
    assert alike([file, file], keep=True, tell=told.append) == {file: "warm"}
    assert held(file) == "warm"
    assert told == ["reading 8 MiB of disk file into the page cache"]
    assert alike([file], keep=True, tell=told.append) == {file: "warm"}
    assert len(told) == 1, "what is there already is not read again"


def test_a_file_of_which_a_part_is_there_is_read_whole(file: Path) -> None:
    with file.open("rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(opened.fileno(), SIZE // 2, 0)
    assert held(file) == "in part"
    assert alike([file], keep=True, tell=list[str]().append) == {file: "warm"}


def test_files_that_would_not_stay_are_dropped(file: Path) -> None:
    told: list[str] = []
    assert alike([file], keep=True, tell=told.append) == {file: "warm"}
    told.clear()
    other = file.with_name("other.img")
    other.write_bytes(os.urandom(SIZE))  # not on the medium yet
    assert alike([file, other], keep=False, tell=told.append) == {file: "cold", other: "cold"}
    assert not told


def test_files_stay_up_to_a_quarter_of_the_memory() -> None:
    assert stays(SIZE, 4 * SIZE)
    assert not stays(SIZE + 1, 4 * SIZE)


def test_a_file_that_cannot_be_read_is_unknown_and_an_empty_one_is_there(tmp_path: Path) -> None:
    empty, missing = tmp_path / "empty", tmp_path / "missing"
    empty.touch()
    assert alike([empty, missing], keep=True, tell=list[str]().append) == {empty: "warm", missing: "unknown"}


def test_the_memory_of_the_host_is_at_least_that_of_this_process() -> None:
    assert memory_bytes() > 64 << 20


@pytest.mark.parametrize(("memory", "begins"), [(1 << 30, "warm"), (1 << 20, "cold")])
def test_each_run_on_the_disk_says_how_it_began(
    file: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch, memory: int, begins: str
) -> None:
    monkeypatch.setattr(page_cache, "memory_bytes", lambda: memory)
    workloads: list[Document] = [
        {"name": "disk", "workload": "disk", "op": "random-read", "scheduling": "interleaved"},
        {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 100}},
    ]
    environments: list[Document] = [{"name": "native", "kind": "native"}, {"name": "box", "kind": "native"}]
    plan = make_plan(environments, workloads, blocks=2, fresh="block", disk_span=1 << 20)
    found = campaigns.begin(resolved(plan), "text", file.parent / "c", 7, watcher)
    said = [
        (run.placement.workload, run.conditions.get("host_cache_begins"))
        for record in found.trials
        for run in record.runs
    ]
    assert {begin for workload, begin in said if workload == "disk"} == {begins}
    assert {begin for workload, begin in said if workload == "cpu"} == {None}


def test_one_guest_begins_as_many_guests_of_the_same_plan_do(
    file: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file would stay in the page cache, and two would not."""
    monkeypatch.setattr(page_cache, "memory_bytes", lambda: 6 << 20)
    plan = make_plan(
        [{"name": "native", "kind": "native"}],
        [{"name": "disk", "workload": "disk", "op": "random-read"}],
        scenarios=[{"name": "growing", "type": "together", "workloads": ["disk"], "guests": [1, 2]}],
        blocks=2,
        fresh="block",
        disk_span=1 << 20,
    )
    found = campaigns.begin(resolved(plan), "text", file.parent / "c", 7, watcher)
    said = {
        (len(record.runs), run.conditions.get("host_cache_begins")) for record in found.trials for run in record.runs
    }
    assert said == {(1, "cold"), (2, "cold")}
