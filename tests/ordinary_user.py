"""Ordinary users of this host, who may be hostile: processes under user ids that nobody else has."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pwd
import shutil
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import pytest

LIMIT_S = 60.0
_FORK = multiprocessing.get_context("fork")
_NUMBERS = itertools.count()


class OrdinaryUser:
    """A user without a name, a group or a home."""

    def __init__(self, uid: int) -> None:
        self.uid = uid

    @contextlib.contextmanager
    def doing(self, work: Callable[[Connection], object]) -> Iterator[tuple[Connection, int]]:
        """A process of this user that calls `work` with its end of a pipe; gives the other end, and the pid.

        At the end it is killed.
        """
        ours, theirs = _FORK.Pipe()
        process = _FORK.Process(target=self._become, args=(work, theirs, ours))
        process.start()
        theirs.close()
        assert process.pid is not None
        try:
            yield ours, process.pid
        finally:
            process.kill()
            process.join()
            ours.close()

    def call(self, work: Callable[[], object]) -> Any:
        """What `work` returns or raises in a process of this user's that ends then."""

        def answered(pipe: Connection) -> None:
            try:
                pipe.send((work(), None))
            except Exception as cause:  # noqa: BLE001 - raised again in the test
                pipe.send((None, cause))

        with self.doing(answered) as (pipe, _):
            assert pipe.poll(LIMIT_S), "it does not end"
            found, raised = pipe.recv()
        if raised is not None:
            raise raised
        return found

    def _become(self, work: Callable[[Connection], object], pipe: Connection, other: Connection) -> None:
        other.close()
        os.setgroups([])
        os.setgid(self.uid)
        os.setuid(self.uid)
        os.chdir("/")
        os.environ.pop("XDG_RUNTIME_DIR", None)
        work(pipe)

    def clean_up(self) -> None:
        """Remove what this user has in /tmp."""
        for path in Path("/tmp").iterdir():
            with contextlib.suppress(OSError):
                if os.lstat(path).st_uid == self.uid:
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


class MakeUser(Protocol):
    """Makes a user whom no other test has."""

    def __call__(self) -> OrdinaryUser: ...


@pytest.fixture
def make_user() -> Iterator[MakeUser]:
    """Needs root; what the users have left in /tmp is removed at the end."""
    if os.geteuid() != 0:
        pytest.skip("only root can run a process as another user")
    users: list[OrdinaryUser] = []

    def make() -> OrdinaryUser:
        known = {entry.pw_uid for entry in pwd.getpwall()}
        # The pid keeps tests that run at the same time apart.
        numbers = (20_000 + os.getpid() % 400 * 100 + number for number in _NUMBERS)
        users.append(OrdinaryUser(next(number for number in numbers if number not in known)))
        return users[-1]

    yield make
    for user in users:
        user.clean_up()
