"""What /proc says of processes, whom they belong to, and how they are ended."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer import processes
from virtometer.errors import EnvironmentFailed
from virtometer.processes import MARKER, kill_all, process_stats, started_by, stat_of, tree_of

FAMILY = "setsid sleep 600 & env -i setsid sleep 600 & sh -c 'sleep 600; true' & wait"


@pytest.fixture
def family() -> Iterator[subprocess.Popen[bytes]]:
    mark = f"family-{os.getpid()}"
    process = subprocess.Popen(["sh", "-c", FAMILY], process_group=0, env={**os.environ, MARKER: mark})
    try:
        wait_until(lambda: len(tree_of(process.pid)) == 5)
        yield process
    finally:
        kill_all(lambda: started_by(process.pid, mark))
        process.wait()


def test_what_cannot_be_killed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "KILL_LIMIT_S", 0.05)
    with pytest.raises(EnvironmentFailed, match="4194304 do not end"):
        kill_all(lambda: [4_194_304])


def test_what_is_no_longer_listed_once_it_was_killed_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        looks = iter([[process.pid], [], []])
        one = stat_of(process.pid)
        running = iter([one, one, one, None])
        monkeypatch.setattr(processes, "stat_of", lambda pid: next(running))
        kill_all(lambda: next(looks))
        assert next(running, "none") == "none"  # looked at until it had ended


def test_a_process_is_described_as_the_system_does(family: subprocess.Popen[bytes]) -> None:
    one = stat_of(family.pid)
    assert one is not None
    assert (one.parent, one.group, one.session) == (os.getpid(), family.pid, os.getsid(0))
    assert stat_of(4_194_304) is None


def test_all_of_a_program_is_found_also_what_left_its_group_and_what_lost_its_parent(
    family: subprocess.Popen[bytes],
) -> None:
    mark = f"family-{os.getpid()}"
    tree = set(tree_of(family.pid))
    assert set(started_by(family.pid, mark)) == tree
    family.kill()
    wait_until(lambda: (one := stat_of(family.pid)) is not None and one.state == "Z")
    [lost] = [one.pid for one in process_stats() if one.pid in tree and one.session == one.pid and not _marked(one.pid)]
    assert set(started_by(family.pid, mark)) == tree - {family.pid, lost}
    kill_all(lambda: [lost] if (one := stat_of(lost)) and one.state not in "ZX" else [])


def _marked(pid: int) -> bool:
    return pid in processes.marked_processes(f"family-{os.getpid()}")


def test_a_process_that_executes_programs_all_the_time_is_found_each_time() -> None:
    mark = f"executes-{os.getpid()}"
    again = 'exec sh -c "$1" sh "$1"'
    words = ["timeout", "60", "sh", "-c", again, "sh", again]
    process = subprocess.Popen(words, process_group=0, env={**os.environ, MARKER: mark})
    try:
        wait_until(lambda: len(processes.marked_processes(mark)) == 2)
        assert {len(processes.marked_processes(mark)) for _ in range(100)} == {2}
    finally:
        kill_all(lambda: processes.marked_processes(mark))
        process.wait()


def test_a_process_without_an_environment_has_no_mark_and_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "60"], env={}) as process:
        try:
            wait_until(lambda: b"sleep" in Path(f"/proc/{process.pid}/cmdline").read_bytes())
            monkeypatch.setattr(processes, "process_stats", lambda: [stat_of(process.pid)])
            monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("waited"))
            assert processes.marked_processes("any") == []
        finally:
            process.kill()
