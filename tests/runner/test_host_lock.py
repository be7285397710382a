"""One laboratory a host: the second is refused, or both know of each other."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.runner.fixtures import MakePlan, Watcher
from virtometer.errors import HostBusy
from virtometer.runner.campaign import begin, resume
from virtometer.runner.host_lock import BESIDE, NAME_VARIABLE, HostLock

HOLDS = """
import sys
from virtometer.runner.host_lock import HostLock
with HostLock(beside=len(sys.argv) > 1):
    print("holds", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def a_lock_of_its_own(monkeypatch: pytest.MonkeyPatch, new_id: Callable[[], str]) -> None:
    monkeypatch.setenv(NAME_VARIABLE, new_id())


def other(*words: str) -> subprocess.Popen[str]:
    """Another laboratory, in a process of its own, that has the lock or stands beside its holder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    return process


def test_a_second_laboratory_is_refused_until_the_first_has_ended_however_it_ends() -> None:
    first = other()
    with pytest.raises(HostBusy, match=rf"another laboratory \(process {first.pid}\) measures on this host") as refused:
        HostLock(beside=False)
    assert refused.value.advice == "wait for its end, or add --beside: trials are marked while the other one measures"
    first.kill()
    first.communicate()
    with HostLock(beside=False) as lock:
        assert lock.mark() is None
    HostLock(beside=False).release()


def test_both_know_of_each_other() -> None:
    with HostLock(beside=False) as lock:
        assert lock.mark() is None
        second = other("beside")
        assert lock.mark() == BESIDE
        assert lock.mark() == BESIDE
        second.communicate("")
        assert lock.mark() == BESIDE, "it was there for a part of the time"
        assert lock.mark() is None
    first = other()
    with HostLock(beside=True) as lock:
        assert lock.mark() == BESIDE
    first.communicate("")


def test_who_was_refused_marks_nothing() -> None:
    with HostLock(beside=False) as lock:
        with pytest.raises(HostBusy):
            HostLock(beside=False)
        assert lock.mark() is None


def test_one_that_came_and_ended_during_a_trial_marks_it() -> None:
    with HostLock(beside=False) as lock:
        HostLock(beside=True).release()
        for _ in range(3):
            with pytest.raises(HostBusy):
                HostLock(beside=False)
        assert [lock.mark(), lock.mark()] == [BESIDE, None]


def test_who_was_beside_takes_the_lock_when_its_holder_ends() -> None:
    first = other()
    with HostLock(beside=True) as second, HostLock(beside=True) as third:
        first.communicate("")
        assert second.mark() == BESIDE
        with pytest.raises(HostBusy, match=rf"process {os.getpid()}"):
            HostLock(beside=False)
        assert third.mark() == BESIDE
        assert second.mark() == BESIDE
        third.release()
        assert [second.mark(), second.mark()] == [BESIDE, None]


def descriptors() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def test_a_flood_of_connections_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as one process may have descriptors for, and more than the holder keeps."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with HostLock(beside=False) as lock:
        address = "\0virtometer-" + os.environ[NAME_VARIABLE]
        flood = [socket.socket(socket.AF_UNIX) for _ in range(100)]
        try:
            for one in flood:
                one.connect(address)
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors() + 3, hard))
            assert lock.mark() is None
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            before = descriptors()
            assert lock.mark() is None
            assert descriptors() < before + 70
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for one in flood:
                one.close()


def test_a_check_of_the_host_tells_of_the_other_laboratory_and_counts_as_beside_it() -> None:
    """The other one is told by its mark, this one's user by a sentence."""
    with HostLock(beside=False) as lock:
        assert lock.mark() is None
        outcome = virtometer("doctor", "native", "--json")
        assert outcome.status == 0
        said = f"another laboratory (process {os.getpid()}) measures on this host; these checks start guests beside it"
        assert outcome.err.startswith(said)
        assert lock.mark() == BESIDE
    assert "another laboratory" not in virtometer("doctor", "native", "--json").err


def test_campaigns_are_refused_and_marked(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    plan = make_plan([{"name": "native", "kind": "native"}])
    first = other()
    with pytest.raises(HostBusy):
        begin(plan, "", tmp_path / "a", 1, watcher)
    assert not (tmp_path / "a").exists()
    (record,) = begin(plan, "", tmp_path / "b", 1, watcher, beside=True).trials
    assert BESIDE in record.marks
    with pytest.raises(HostBusy):
        resume(tmp_path / "b", watcher)
    first.communicate("")
    resume(tmp_path / "b", watcher)


def test_its_name_is_the_hosts_unless_a_variable_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME_VARIABLE, f"x{os.getpid()}")
    with HostLock(beside=False):
        monkeypatch.setenv(NAME_VARIABLE, f"y{os.getpid()}")
        HostLock(beside=False).release()
