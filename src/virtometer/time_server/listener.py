"""Accepts TCP connections for asyncio: a few in a turn, and no more than there are descriptors for.

asyncio's own server accepts until none is left and prints a traceback for each that it cannot, a thousand in a second.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path

_BACKLOG = 1024
_IN_A_TURN = 16
_SPARE = 8  # descriptors that are left for what is not a connection
_AGAIN_S = 1.0

Welcome = Callable[[socket.socket], None]


class Listener:
    """Listens on every address of a name from `open` until `close`."""

    def __init__(self, welcome: Welcome, present: Callable[[], int], most: int, tell: Callable[[str], None]) -> None:
        """`welcome` takes a connection over, `present` counts those that are; `tell` is told once that it was full."""
        self._welcome = welcome
        self._present = present
        self._wanted = self._most = most
        self._tell = tell
        self._told = False
        self._sockets: list[socket.socket] = []
        self._again: dict[socket.socket, asyncio.TimerHandle] = {}

    async def open(self, address: str, port: int) -> int:
        """Listen, and return the port. Raises OSError."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, (host, _, *scope) in found:
            one = socket.create_server((host, port, *scope), family=family, backlog=_BACKLOG)
            self._sockets.append(one)
            port = one.getsockname()[1]  # the same one on every address
            one.setblocking(False)
            loop.add_reader(one, self._accept, one)
        self._most = min(self._wanted, _descriptors() - _SPARE)
        if self._most < 1:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return port

    def close(self) -> None:
        """Stop listening. Idempotent."""
        for one in self._sockets:
            if one in self._again:
                self._again.pop(one).cancel()
            asyncio.get_running_loop().remove_reader(one)
            one.close()
        self._sockets.clear()

    def _accept(self, one: socket.socket) -> None:
        for _ in range(_IN_A_TURN):
            try:
                connection, _ = one.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as cause:  # the system has no more, whatever this process may open
                self._full(cause.strerror or str(cause))
                asyncio.get_running_loop().remove_reader(one)
                self._again[one] = asyncio.get_running_loop().call_later(_AGAIN_S, self._listen_again, one)
                return
            if self._present() >= self._most:
                connection.close()
                self._full("that is the most" if self._most == self._wanted else "the limit on open files (ulimit -n)")
            else:
                connection.setblocking(False)
                self._welcome(connection)

    def _listen_again(self, one: socket.socket) -> None:
        del self._again[one]
        asyncio.get_running_loop().add_reader(one, self._accept, one)

    def _full(self, reason: str) -> None:
        if not self._told:
            self._told = True
            self._tell(f"{self._present()} clients are served, more cannot be: {reason}")


def _descriptors() -> int:
    """How many more this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 1 << 30
    return soft - len(list(Path("/proc/self/fd").iterdir()))
