"""One laboratory a host: the second is refused, or both know of each other."""

from __future__ import annotations

import multiprocessing
import os
import resource
import socket
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.ordinary_user import MakeUser
from tests.runner.other_laboratories import measure, name, other, public, who
from tests.sentences import Said
from virtometer.errors import HostBusy
from virtometer.host.lock.host_lock import BESIDE, NAME_VARIABLE, HostLock
from virtometer.host.owned.journal import state_directory

pytestmark = pytest.mark.usefixtures("own_lock")

FORK = multiprocessing.get_context("fork")


def test_a_second_laboratory_is_refused_until_the_first_has_ended_however_it_ends(said: Said) -> None:
    first = other()
    with pytest.raises(HostBusy, match=rf"^another laboratory \({who(first.pid)}\) measures on this host") as refused:
        HostLock(beside=False)
    assert "--beside" in refused.value.advice
    said(refused.value.sentence, holder=who(first.pid))
    said(refused.value.advice)
    first.kill()
    first.communicate()
    with HostLock(beside=False) as lock:
        assert lock.mark() is None
    HostLock(beside=False, tunes=False).release()
    assert [path.name for path in state_directory().iterdir() if path.name.startswith(name())] == []


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
        flood = [socket.socket(socket.AF_UNIX) for _ in range(100)]
        try:
            for one in flood:
                one.connect(public())
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


def test_a_check_of_the_host_tells_of_the_other_laboratory_and_counts_as_beside_it(said: Said) -> None:
    """The other one is told by its mark, this one's user by a sentence."""
    with HostLock(beside=False) as lock:
        assert lock.mark() is None
        outcome = virtometer("doctor", "native", "--json")
        assert outcome.status == 0
        line, *_ = outcome.err.splitlines()
        assert line.startswith(f"another laboratory ({who(os.getpid())}) measures")
        said(line, holder=who(os.getpid()))
        assert lock.mark() == BESIDE
    assert "another laboratory" not in virtometer("doctor", "native", "--json").err


def test_the_copy_of_a_fork_is_no_lock() -> None:
    def child(pipe: Connection, lock: HostLock) -> None:
        pipe.send("is there")
        pipe.recv()
        lock.release()

    ours, theirs = FORK.Pipe()
    lock = HostLock(beside=False, tunes=True)
    process = FORK.Process(target=child, args=(theirs, lock))
    process.start()
    try:
        assert ours.recv() == "is there"
        with pytest.raises(HostBusy):
            HostLock(beside=False)
        lock.release()
        with HostLock(beside=False, tunes=True) as another:
            ours.send("release")
            process.join()
            with pytest.raises(HostBusy):
                HostLock(beside=False)
            assert another.mark() is None
    finally:
        process.kill()
        process.join()


def test_a_laboratory_beside_another_goes_on_without_a_descriptor() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    first = other()
    with HostLock(beside=True) as lock:
        first.communicate("")
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
            assert lock.mark() == BESIDE
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert [lock.mark(), lock.mark()] == [BESIDE, None]


def test_its_name_is_the_hosts_unless_a_variable_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME_VARIABLE, f"x{os.getpid()}")
    with HostLock(beside=False):
        monkeypatch.setenv(NAME_VARIABLE, f"y{os.getpid()}")
        HostLock(beside=False).release()


# --- tuning of the host -------------------------------------------------------------------------------------------


def test_one_that_tunes_the_host_is_refused_where_another_measures(said: Said) -> None:
    first = other("beside")
    second = other("beside")
    for beside in (False, True):
        with pytest.raises(HostBusy, match=rf"^this plan tunes the host, on which another .*{first.pid}") as refused:
            HostLock(beside=beside, tunes=True)
    assert "--beside is not possible" in refused.value.advice
    said(refused.value.advice)
    first.communicate("")
    with pytest.raises(HostBusy, match=r"^this plan tunes the host"):
        HostLock(beside=True, tunes=True)
    second.kill()
    second.communicate()
    HostLock(beside=False, tunes=True).release()


def test_no_other_measures_while_one_tunes_the_host(said: Said) -> None:
    first = other("tunes")
    for tunes in (False, True):
        with pytest.raises(HostBusy, match="tune"):
            HostLock(beside=True, tunes=tunes)
    with pytest.raises(HostBusy, match=rf"^another laboratory \({who(first.pid)}\) tunes this host") as refused:
        HostLock(beside=True, tunes=False)
    assert "--beside is not possible" in refused.value.advice
    said(refused.value.advice)
    with HostLock(beside=True) as check:
        assert check.holder.startswith("another laboratory"), "what measures nothing is not refused"
    first.kill()
    first.communicate()
    HostLock(beside=False, tunes=False).release()


def test_who_was_refused_because_of_tuning_marks_nothing_and_holds_nothing() -> None:
    with HostLock(beside=False, tunes=True) as lock:
        with pytest.raises(HostBusy):
            HostLock(beside=True, tunes=False)
        assert lock.mark() is None
    with HostLock(beside=False, tunes=False) as lock:
        with pytest.raises(HostBusy):
            HostLock(beside=True, tunes=True)
        assert lock.mark() is None
        HostLock(beside=True, tunes=False).release()


def test_tuning_excludes_laboratories_of_an_ordinary_user_too(make_user: MakeUser) -> None:
    user = make_user()

    def tune() -> None:
        HostLock(beside=True, tunes=True).release()

    with user.doing(measure) as (first, pid):
        assert first.recv() == []
        with pytest.raises(HostBusy, match=rf"another laboratory \(process {pid} of user {user.uid}\) measures"):
            user.call(tune)
    user.call(tune)
