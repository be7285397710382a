"""One laboratory a host: two that measure at once measure each other.

The public lock is a listening socket in the abstract namespace (unix(7)): it belongs to the host's network namespace,
not to a user, and ends with the process. Anybody can take its name first, and connect to it. So root's laboratories
have a lock of their own in root's state directory: a file that the holder locks, and a socket beside it. Root takes the
public lock too where it is free, so that other users know of root's laboratory. What ordinary users do with the public
lock neither refuses a laboratory of root's nor marks its trials.

A laboratory beside the holder keeps a connection to it, so that both know of each other (lock_socket.py). When the
holder ends, one that was beside it takes the lock.

Tuning of the host excludes others, also those beside: two that restore settings restore each other's. A second file
in the state directory is locked by all laboratories of one user that measure, shared, and by one that tunes the host
alone.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from virtometer.errors import HostBusy, StorageError
from virtometer.host.lock.file_lock import FileLock
from virtometer.host.lock.lock_socket import Holder, Listener, connected, listening
from virtometer.host.owned.journal import state_directory
from virtometer.model import Mark, MarkKind

NAME_VARIABLE = "VIRTOMETER_HOST_LOCK"
"""Another name for the lock: tests of the laboratory run beside campaigns, and measure nothing that counts."""

BESIDE = Mark(MarkKind.BESIDE, "another laboratory measured on this host at the same time")

_ROOT = 0
_TRIES = 20  # a holder listens some microseconds after it has taken the lock
_PAUSE_S = 0.01


class HostLock:
    """Held while a campaign measures. A context manager."""

    def __init__(
        self, *, beside: bool, tunes: bool | None = None, tell: Callable[[str], object] = lambda sentence: None
    ) -> None:
        """Take the lock. Where another laboratory has it: HostBusy, or with `beside` go on next to it.

        tunes: whether the host is tuned; None where nothing is measured. Where one of this user's laboratories tunes
        the host and another one measures: HostBusy, also with `beside`. tell: gets a sentence where an ordinary user
        has the public lock beside a laboratory of root's. Raises StorageError where no lock can be made.
        """
        name = os.environ.get(NAME_VARIABLE, "laboratory")
        self._tell = tell
        self._told: set[str] = set()
        self._tuning: FileLock | None = None
        self._public: _Place | None = None
        self.holder = ""
        """Who had the lock when this one came, in words; empty where nobody had it."""
        if os.geteuid() == _ROOT:
            self._own = _Place(_RootsLock(name))
            self._public = _Place(_PublicLock(name), user=_ROOT)
        else:
            self._own = _Place(_PublicLock(name))
        _LOCKS.add(self)
        try:
            if tunes is not None:
                self._exclude(_file(name, "tuning"), tunes=tunes)
            self._enter(beside=beside)
        except OSError as cause:
            self.release()
            raise StorageError(f"the lock of this host cannot be taken: {cause.strerror or cause}") from cause
        except BaseException:
            self.release()
            raise

    def mark(self) -> Mark | None:
        """Why the trial that has just ended is marked; None where no other laboratory measured since the last one."""
        beside = any(place.is_beside for place in self._places)
        with contextlib.suppress(OSError):  # no descriptor is free: tried again after the next trial
            self._settle()
        self._announce()
        for place in self._places:
            beside |= place.listener is not None and place.listener.beside()
        return BESIDE if beside else None

    def release(self) -> None:
        """Let others measure. Idempotent."""
        for place in reversed(self._places):
            place.leave()
        if self._tuning is not None:
            self._tuning.release()

    def drop(self) -> None:
        """Close this process's descriptors alone, in the child of a fork: the lock is its parent's. Idempotent."""
        for place in self._places:
            place.drop()
        if self._tuning is not None:
            self._tuning.drop()

    @property
    def _places(self) -> list[_Place]:
        return [self._own] if self._public is None else [self._own, self._public]

    def _exclude(self, path: Path, *, tunes: bool) -> None:
        """Raise HostBusy unless none of this user's laboratories tunes the host, or this one is the only one."""
        self._tuning = FileLock.taken(path, shared=not tunes)
        if self._tuning is not None:
            return
        other = self._own.holder_of_this_user()
        if tunes:
            raise HostBusy(
                f"this plan tunes the host, on which {other} measures",
                advice="wait for its end: --beside is not possible with a plan that tunes the host",
            )
        raise HostBusy(
            f"{other} tunes this host, on which nothing else can be measured meanwhile",
            advice="wait for its end: --beside is not possible while the host is tuned",
        )

    def _enter(self, *, beside: bool) -> None:
        for _ in range(_TRIES):
            self._settle()
            if self._own.listener is not None or self._own.holder is not None:
                break
            time.sleep(_PAUSE_S)
        others = [place.holder for place in self._places if place.is_beside]
        if others:
            self.holder = f"another laboratory{f' ({others[0].words})' if others[0] is not None else ''}"
            if not beside:
                raise HostBusy(
                    f"{self.holder} measures on this host, and two at once would measure each other",
                    advice="wait for its end, or add --beside: trials are marked while the other one measures",
                )
        self._announce()

    def _settle(self) -> None:
        """Take the lock where its holder has ended, so that a third laboratory is refused; else know the holder.

        Who has root's lock takes the public one too, if that can be had.
        """
        self._own.settle()
        if self._public is None or self._own.listener is None:
            return
        try:
            self._public.settle()
        except OSError:
            return
        if self._public.listener is None and not self._public.is_beside:
            holder = self._public.holder
            words = "a process that does not answer" if holder is None else holder.words
            if words not in self._told:
                self._told.add(words)
                self._tell(f"{words} has the public lock of this host; root goes on, and no trial is marked for this")

    def _announce(self) -> None:
        for place in self._places:
            if place.holder is not None:
                place.holder.announce()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class _Lock(Protocol):
    """What one process has at a time; `address` is where its holder listens."""

    address: str

    def take(self) -> socket.socket | None:
        """The socket on which the new holder listens; None where another process has the lock. Raises OSError."""

    def leave(self) -> None:
        """Let others take it. Idempotent."""

    def drop(self) -> None:
        """Close descriptors alone. Idempotent."""


class _PublicLock:
    """An abstract name, which the first one gets that binds it."""

    def __init__(self, name: str) -> None:
        self.address = f"\0virtometer-{name}"

    def take(self) -> socket.socket | None:
        return listening(self.address)

    def leave(self) -> None:
        """It ends with the socket."""

    def drop(self) -> None:
        """It has no other descriptor than the socket."""


class _RootsLock:
    """A file in root's state directory, which nobody else can open, and a socket that its holder makes beside it."""

    def __init__(self, name: str) -> None:
        self._path = _file(name, "lock")
        self._socket = _file(name, "socket")
        self.address = str(self._socket)
        self._lock: FileLock | None = None

    def take(self) -> socket.socket | None:
        self._lock = FileLock.taken(self._path)
        if self._lock is None:
            return None
        try:
            self._socket.unlink(missing_ok=True)  # of a holder that was killed
            return listening(self.address)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._socket.unlink(missing_ok=True)
            self._lock.release()
            self._lock = None

    def drop(self) -> None:
        if self._lock is not None:
            self._lock.drop()
            self._lock = None


class _Place:
    """A laboratory's place at a lock: that of its holder, who has a listener, or one beside the holder."""

    def __init__(self, lock: _Lock, *, user: int | None = None) -> None:
        """user: the only user id whose laboratories count; without it, all do."""
        self._lock = lock
        self._user = user
        self.listener: Listener | None = None
        self.holder: Holder | None = None

    @property
    def is_beside(self) -> bool:
        """Whether a laboratory that counts has the lock. Who cannot be reached counts where all do."""
        if self.listener is not None:
            return False
        return self._user is None or (self.holder is not None and self.holder.user == self._user)

    def settle(self) -> None:
        """Take the lock where it is free, else connect to its holder; nothing where either stands. Raises OSError."""
        if self.listener is not None or (self.holder is not None and self.holder.lives()):
            return
        if self.holder is not None:
            self.holder.close()
            self.holder = None
        own = self._lock.take()
        if own is not None:
            self.listener = Listener(own, user=self._user)
        else:
            self.holder = connected(self._lock.address)

    def holder_of_this_user(self) -> str:
        """Another laboratory, in words: with its process where that has the lock and belongs to this user."""
        holder = connected(self._lock.address)
        if holder is None:
            return "another laboratory"
        holder.close()
        return f"another laboratory ({holder.words})" if holder.user == os.geteuid() else "another laboratory"

    def leave(self) -> None:
        """Leave the lock, or its holder. Idempotent."""
        self._close()
        self._lock.leave()

    def drop(self) -> None:
        """Close descriptors alone. Idempotent."""
        self._close()
        self._lock.drop()

    def _close(self) -> None:
        for end in (self.listener, self.holder):
            if end is not None:
                end.close()
        self.listener, self.holder = None, None


def _file(name: str, kind: str) -> Path:
    """A file of the lock of this name in this user's state directory."""
    return state_directory() / f"{name.replace('/', '-')}.{kind}"


_LOCKS: weakref.WeakSet[HostLock] = weakref.WeakSet()


def _drop_all() -> None:
    for lock in _LOCKS:
        lock.drop()


os.register_at_fork(after_in_child=_drop_all)
