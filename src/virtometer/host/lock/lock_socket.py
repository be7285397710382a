"""The socket of a lock: its holder listens, and knows by it who measures beside it.

Whoever is allowed beside the holder keeps a connection to it and sends one byte; who was refused sends nothing. Nothing
else that comes over the socket is read, and no number of connections keeps the holder for long.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import struct

_ADMITTED = b"+"
_KEPT = 64  # connections
_QUEUE = 1024  # those that come during one trial, also to be refused
_READS = 2  # the byte, and the end
_CREDENTIALS = struct.Struct("iII")  # ucred: pid, uid, gid


class Listener:
    """The holder's end."""

    def __init__(self, own: socket.socket, *, user: int | None = None) -> None:
        """`own` listens. user: the only user id whose laboratories count; without it, all do."""
        self._own = own
        self._user = user
        self._neighbours: list[_Neighbour] = []
        self._left = False

    def beside(self) -> bool:
        """Whether another laboratory measured since the last call."""
        with contextlib.suppress(OSError):  # none is left in the queue, or no descriptor is free
            for _ in range(_QUEUE):
                connection, _ = self._own.accept()
                if self._user is not None and _credentials(connection)[1] != self._user:
                    connection.close()
                    continue
                connection.setblocking(False)
                self._neighbours.append(_Neighbour(connection))
                if len(self._neighbours) > 2 * _KEPT:
                    self._look()
        self._look()
        beside = any(one.admitted for one in self._neighbours) or self._left
        self._left = False
        return beside

    def close(self) -> None:
        """End it, with all connections. Idempotent."""
        for one in (self._own, *(neighbour.connection for neighbour in self._neighbours)):
            one.close()
        self._neighbours = []

    def _look(self) -> None:
        """Who is there, who was and has left. Those beyond what may be kept connect again where they measure."""
        there = []
        for one in self._neighbours:
            lives = one.look()
            self._left |= one.admitted and not lives
            if lives:
                there.append(one)
            else:
                one.connection.close()
        there.sort(key=lambda one: not one.admitted)
        for one in there[_KEPT:]:
            self._left |= one.admitted
            one.connection.close()
        self._neighbours = there[:_KEPT]


class _Neighbour:
    """A connection to the holder. One that was refused ends without a byte, and counts for nothing."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.admitted = False

    def look(self) -> bool:
        """Whether it is still there; also learns whether it was admitted."""
        try:
            for _ in range(_READS):
                if not self.connection.recv(16):
                    return False
                self.admitted = True
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True


class Holder:
    """A connection to the process that holds a lock: `pid` (0 in another pid namespace) and `user`, its user id."""

    def __init__(self, connection: socket.socket) -> None:
        """`connection` is connected, and does not block."""
        self._connection = connection
        self._announced = False
        self.pid, self.user = _credentials(connection)

    @property
    def words(self) -> str:
        """The process and its user."""
        return f"process {self.pid} of user {self.user}" if self.pid else f"a process of user {self.user}"

    def announce(self) -> None:
        """Let the holder know that this laboratory measures beside it. Idempotent."""
        if not self._announced:
            with contextlib.suppress(OSError):  # the holder has just ended
                self._announced = self._connection.send(_ADMITTED) == len(_ADMITTED)

    def lives(self) -> bool:
        """Whether the holder still has the lock."""
        try:
            return self._connection.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Leave it. Idempotent."""
        self._connection.close()


def listening(address: str) -> socket.socket | None:
    """A socket that listens at an address, or None where another one does. Raises OSError."""
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


def connected(address: str) -> Holder | None:
    """A connection to the holder; None where it has gone or does not answer. Raises OSError without a descriptor."""
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.setblocking(False)
    try:
        other.connect(address)
        return Holder(other)
    except OSError:
        other.close()
        return None


def _credentials(connection: socket.socket) -> tuple[int, int]:
    """Process id and user id of the other end, as the kernel noted them when it listened or connected."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(found)
    return pid, user
