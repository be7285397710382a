"""What other laboratories and users of the host can do to a campaign: mark it, and nothing to one of root's."""

from __future__ import annotations

import contextlib
import os
import socket
from contextlib import ExitStack
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.ordinary_user import LIMIT_S, MakeUser
from tests.runner.fixtures import MakePlan, Watcher, resolved
from tests.runner.other_laboratories import measure, name, other, public, who
from tests.sentences import Said
from virtometer.errors import HostBusy
from virtometer.host.lock import host_lock
from virtometer.host.lock.host_lock import BESIDE, HostLock
from virtometer.runner.campaign.execute import begin, resume

pytestmark = pytest.mark.usefixtures("own_lock")


def take_public_lock(pipe: Connection, backlog: int | None) -> None:
    """What anybody can do: bind the name; listen or not; never answer."""
    own = socket.socket(socket.AF_UNIX)
    own.bind(public())
    if backlog is not None:
        own.listen(backlog)
    kept = []
    if backlog == 0:  # the queue has no place left
        with contextlib.suppress(BlockingIOError):
            while True:
                kept.append(socket.socket(socket.AF_UNIX))
                kept[-1].setblocking(False)
                kept[-1].connect(public())
    pipe.send("has it")
    pipe.recv()
    connection, _ = own.accept()
    pipe.send(connection.recv(16))
    pipe.recv()


@pytest.mark.parametrize("backlog", [5, 0, None])
def test_nobody_else_can_refuse_or_mark_a_laboratory_of_root(
    make_user: MakeUser, backlog: int | None, said: Said
) -> None:
    told: list[str] = []
    user = make_user()
    with user.doing(partial(take_public_lock, backlog=backlog)) as (hostile, pid):
        assert hostile.recv() == "has it"
        with HostLock(beside=False, tunes=True, tell=told.append) as lock:
            [sentence] = told
            holder = f"process {pid} of user {user.uid}"
            assert sentence.startswith(holder if backlog == 5 else "a process that does not answer")
            said(sentence, holder=holder)
            assert [lock.mark(), lock.mark()] == [None, None]
            assert told == [sentence]
            if backlog == 5:
                hostile.send("look")
                assert hostile.recv() == b"+", "its trials are to be marked"
            with pytest.raises(HostBusy):
                HostLock(beside=False)


def test_nobody_else_can_open_the_lock_of_root(make_user: MakeUser) -> None:
    def attack(pipe: Connection) -> None:
        kept = []
        for _ in range(100):
            kept.append(socket.socket(socket.AF_UNIX))
            kept[-1].setblocking(False)
            kept[-1].connect(public())
            kept[-1].send(b"+" * 1000)
        refused = 0
        for kind in ("lock", "tuning", "socket"):
            try:
                os.open(f"/run/virtometer/{name()}.{kind}", os.O_RDONLY)
            except PermissionError:
                refused += 1
        try:
            kept.append(socket.socket(socket.AF_UNIX))
            kept[-1].connect(f"/run/virtometer/{name()}.socket")
        except PermissionError:
            refused += 1
        pipe.send(refused)
        pipe.recv()

    with HostLock(beside=False, tunes=True) as lock:
        assert lock.mark() is None
        with make_user().doing(attack) as (hostile, _):
            assert hostile.recv() == 4
            assert [lock.mark(), lock.mark()] == [None, None]
        assert lock.mark() is None


def test_an_ordinary_user_is_refused_or_marked_beside_root(make_user: MakeUser) -> None:
    user = make_user()
    with HostLock(beside=False) as lock:
        with user.doing(partial(measure, beside=False)) as (refused, _):
            cause = refused.recv()
            assert isinstance(cause, HostBusy)
            assert cause.sentence.startswith(f"another laboratory ({who(os.getpid())}) measures on this host")
        with user.doing(measure) as (beside, _):
            assert beside.recv() == []
            for _ in range(3):
                beside.send("trial")
                assert beside.recv() == BESIDE
                assert lock.mark() is None
            lock.release()
            for mark in (BESIDE, None):
                beside.send("trial")
                assert beside.recv() == mark
            with user.doing(partial(measure, beside=False)) as (refused, _):
                assert isinstance(refused.recv(), HostBusy), "the first one has taken the lock"


def test_root_beside_an_ordinary_user_marks_the_other_and_takes_the_public_lock_after_it(make_user: MakeUser) -> None:
    user = make_user()
    told: list[str] = []
    with user.doing(measure) as (first, pid):
        assert first.recv() == []
        first.send("trial")
        assert first.recv() is None
        lock = HostLock(beside=False, tell=told.append)
        assert told[0].startswith(f"process {pid} of user {user.uid} has the public lock of this host")
        for _ in range(2):
            assert lock.mark() is None
            first.send("trial")
            assert first.recv() == BESIDE
    with lock:
        assert lock.mark() is None
        with user.doing(partial(measure, beside=False)) as (refused, _):
            assert isinstance(refused.recv(), HostBusy)


def test_root_beside_root_takes_both_locks_when_the_holder_ends(make_user: MakeUser) -> None:
    first = other()
    with HostLock(beside=True) as second:
        first.kill()
        first.communicate()
        assert [second.mark(), second.mark()] == [BESIDE, None]
        with pytest.raises(HostBusy, match=who(os.getpid())):
            HostLock(beside=False)
        with make_user().doing(partial(measure, beside=False)) as (refused, _):
            assert isinstance(refused.recv(), HostBusy)


def test_root_elsewhere_counts_by_the_public_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A container of root's on the network of the host has another state directory."""
    if os.geteuid() != 0:
        pytest.skip("an ordinary user has the public lock alone")
    with HostLock(beside=False) as lock:
        tmp_path.chmod(0o700)
        monkeypatch.setattr(host_lock, "state_directory", lambda: tmp_path)
        with pytest.raises(HostBusy, match=who(os.getpid())):
            HostLock(beside=False)
        assert lock.mark() is None
        with HostLock(beside=True) as elsewhere:
            assert [elsewhere.mark(), lock.mark()] == [BESIDE, BESIDE]
        assert [lock.mark(), lock.mark()] == [BESIDE, None]


@pytest.mark.parametrize("attacked", ["root", "user"])
def test_a_flood_ends_no_trial_late(make_user: MakeUser, attacked: str) -> None:
    """Connections that come, and bytes that are sent, faster than they are looked at."""

    def flood(pipe: Connection) -> None:
        pipe.send("begins")
        stream = socket.socket(socket.AF_UNIX)
        stream.connect(public())
        stream.setblocking(False)
        while True:
            with contextlib.suppress(OSError):
                stream.send(b"+" * 65536)
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as one:
                one.setblocking(False)
                one.connect(public())
                one.send(b"+")

    victim, hostile = make_user(), make_user()
    with ExitStack() as running:
        if attacked == "root":
            lock = running.enter_context(HostLock(beside=False))
            pipe = None
        else:
            pipe, _ = running.enter_context(victim.doing(measure))
            assert pipe.recv() == []
        for _ in range(2):
            assert running.enter_context(hostile.doing(flood))[0].recv() == "begins"
        for _ in range(20):
            if pipe is None:
                assert lock.mark() is None
            else:
                pipe.send("trial")
                assert pipe.poll(LIMIT_S), "it does not end"
                pipe.recv()


def test_campaigns_are_refused_and_marked(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    plan = resolved(make_plan([{"name": "native", "kind": "native"}]))
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
