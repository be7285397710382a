"""One laboratory a host: two that measure at once measure each other.

The lock is a listening socket in the abstract namespace (unix(7)): it belongs to the host's network namespace, not to a
user, needs no file that somebody could plant, and ends with the process. Whoever is allowed beside the holder keeps a
connection to it and sends one byte, so that both know of each other; who was refused sends nothing. When the holder
ends, one that was beside it takes the lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
from types import TracebackType
from typing import Self

from virtometer.errors import HostBusy
from virtometer.model import Mark, MarkKind

NAME_VARIABLE = "VIRTOMETER_HOST_LOCK"
"""Another name for the lock: tests of the laboratory run beside campaigns, and measure nothing that counts."""

BESIDE = Mark(MarkKind.BESIDE, "another laboratory measured on this host at the same time")

_ADMITTED = b"+"
_KEPT = 64  # connections
_QUEUE = 1024  # those that come during one trial, also to be refused


class HostLock:
    """Held while a campaign measures. A context manager."""

    def __init__(self, *, beside: bool) -> None:
        """Take the lock. Where another laboratory has it: HostBusy, or with `beside` go on next to it."""
        self._address = "\0virtometer-" + os.environ.get(NAME_VARIABLE, "laboratory")
        self._other: socket.socket | None = None
        self._guests: list[_Guest] = []
        self._left = False
        self.holder = ""
        """Who had the lock when this one came, in words; empty where nobody had it."""
        self._own = _bound(self._address)
        if self._own is None:
            self._other, pid = _connected(self._address)
            self.holder = f"another laboratory{f' (process {pid})' if pid else ''}"
            if not beside:
                self.release()
                raise HostBusy(
                    f"{self.holder} measures on this host, and two at once would measure each other",
                    advice="wait for its end, or add --beside: trials are marked while the other one measures",
                )
            self._announce()

    def mark(self) -> Mark | None:
        """Why the trial that has just ended is marked; None where no other laboratory measured since the last one."""
        if self._own is None:
            self._take_over()
            return BESIDE
        with contextlib.suppress(OSError):  # none is left in the queue, or no descriptor is free
            while True:
                connection, _ = self._own.accept()
                connection.setblocking(False)
                self._guests.append(_Guest(connection))
                if len(self._guests) > 2 * _KEPT:
                    self._look()
        self._look()
        beside = any(guest.admitted for guest in self._guests) or self._left
        self._left = False
        return BESIDE if beside else None

    def release(self) -> None:
        """Let others measure. Idempotent."""
        for one in (self._own, self._other, *(guest.connection for guest in self._guests)):
            if one is not None:
                one.close()
        self._own, self._other, self._guests = None, None, []

    def _take_over(self) -> None:
        """Take the lock where its holder has ended, so that a third laboratory is refused; else know the holder."""
        if self._other is not None and _lives(self._other):
            return
        if self._other is not None:
            self._other.close()
            self._other = None
        self._own = _bound(self._address)
        if self._own is None:
            self._other, _ = _connected(self._address)
            self._announce()

    def _announce(self) -> None:
        if self._other is not None:
            with contextlib.suppress(OSError):  # the holder has just ended
                self._other.send(_ADMITTED)

    def _look(self) -> None:
        """Who is there, who was and has left. Those beyond what may be kept connect again where they measure."""
        there = []
        for guest in self._guests:
            lives = guest.look()
            self._left |= guest.admitted and not lives
            if lives:
                there.append(guest)
            else:
                guest.connection.close()
        there.sort(key=lambda guest: not guest.admitted)
        for guest in there[_KEPT:]:
            self._left |= guest.admitted
            guest.connection.close()
        self._guests = there[:_KEPT]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class _Guest:
    """A connection to the holder. One that was refused ends without a byte, and counts for nothing."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.admitted = False

    def look(self) -> bool:
        """Whether it is still there; also learns whether it was admitted."""
        try:
            while said := self.connection.recv(16):
                self.admitted |= bool(said)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False


def _bound(address: str) -> socket.socket | None:
    """The lock, or None where another laboratory has it."""
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        own.bind(address)
        own.listen(_QUEUE)
        own.setblocking(False)
    except OSError as cause:
        own.close()
        if cause.errno != errno.EADDRINUSE:
            raise
        return None
    return own


def _connected(address: str) -> tuple[socket.socket | None, int]:
    """A connection to the holder, and its pid; None and 0 where it has gone or does not answer."""
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.setblocking(False)
    try:
        other.connect(address)
        pid, _, _ = struct.unpack("3i", other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    except OSError:
        other.close()
        return None, 0
    return other, pid


def _lives(guest: socket.socket) -> bool:
    try:
        return guest.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
