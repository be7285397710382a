"""One laboratory a host: the second is refused, or both know of each other."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
def a_lock_of_its_own(monkeypatch, new_id):
    monkeypatch.setenv(NAME_VARIABLE, new_id())


def other(*words):
    """Another laboratory, in a process of its own, that has the lock or stands beside its holder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "holds\n"
    return process


def test_a_second_laboratory_is_refused_until_the_first_has_ended_however_it_ends():
    first = other()
    with pytest.raises(HostBusy, match=rf"another laboratory \(process {first.pid}\) measures on this host"):
        HostLock(beside=False)
    first.kill()
    first.communicate()
    with HostLock(beside=False) as lock:
        assert lock.mark() == ""
    HostLock(beside=False).release()


def test_both_know_of_each_other():
    with HostLock(beside=False) as lock:
        assert lock.mark() == ""
        second = other("beside")
        assert lock.mark() == BESIDE
        assert lock.mark() == BESIDE
        second.communicate("")
        assert lock.mark() == ""
    first = other()
    with HostLock(beside=True) as lock:
        assert lock.mark() == BESIDE
    first.communicate("")


def test_who_was_refused_marks_nothing():
    with HostLock(beside=False) as lock:
        with pytest.raises(HostBusy):
            HostLock(beside=False)
        assert lock.mark() == ""


def test_campaigns_are_refused_and_marked(tmp_path, watcher, make_plan):
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


def test_its_name_is_the_hosts_unless_a_variable_says_otherwise(monkeypatch):
    monkeypatch.setenv(NAME_VARIABLE, f"x{os.getpid()}")
    with HostLock(beside=False):
        monkeypatch.setenv(NAME_VARIABLE, f"y{os.getpid()}")
        HostLock(beside=False).release()
