"""One laboratory a host: two that measure at once measure each other.

The lock is a listening socket in the abstract namespace (unix(7)): it belongs to the host's network namespace, not to a
user, needs no file that somebody could plant, and ends with the process. Whoever is allowed beside the holder keeps a
connection to it, so that both know of each other.
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

NAME_VARIABLE = "VIRTOMETER_HOST_LOCK"
"""Another name for the lock: tests of the laboratory run beside campaigns, and measure nothing that counts."""

BESIDE = "beside: another laboratory measured on this host at the same time"


class HostLock:
    """Held while a campaign measures. A context manager."""

    def __init__(self, *, beside: bool) -> None:
        """Take the lock. Where another laboratory has it: HostBusy, or with `beside` go on next to it."""
        self._own: socket.socket | None = None
        self._other: socket.socket | None = None
        self._guests: list[socket.socket] = []
        address = "\0virtometer-" + os.environ.get(NAME_VARIABLE, "laboratory")
        own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            own.bind(address)
            own.listen(16)
            own.setblocking(False)
        except OSError as cause:
            own.close()
            if cause.errno != errno.EADDRINUSE:
                raise
            self._other, pid = _connected(address)
            if not beside:
                self.release()
                who = f" (process {pid})" if pid else ""
                raise HostBusy(
                    f"another laboratory{who} measures on this host, and two at once would measure each other",
                    advice="wait for its end, or add --beside: every trial is then marked",
                ) from cause
        else:
            self._own = own

    def mark(self) -> str:
        """Why the trial that has just ended is marked; empty where no other laboratory measured."""
        if self._own is None:
            return BESIDE
        with contextlib.suppress(BlockingIOError):
            while True:
                guest, _ = self._own.accept()
                guest.setblocking(False)
                self._guests.append(guest)
        there = [guest for guest in self._guests if _lives(guest)]
        for guest in self._guests:
            if guest not in there:
                guest.close()
        self._guests = there
        return BESIDE if there else ""

    def release(self) -> None:
        """Let others measure. Idempotent."""
        for one in (self._own, self._other, *self._guests):
            if one is not None:
                one.close()
        self._own, self._other, self._guests = None, None, []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


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
