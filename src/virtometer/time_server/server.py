"""A reference clock for programs that ask one: the published studies' time server, made robust.

The protocol (Lemberger 2010, chapters 2.3 and 3.2.1), each command and each answer ended by a newline:

    start   the server notes its time and answers `start`
    time    microseconds since `start`, as a decimal integer
    quit    `quit`; this client is done

What is not a command is ignored, and so is `time` before `start`. Every client has its own start, and ends only
itself. Times are 64 bits of the host's CLOCK_MONOTONIC. Over UDP a datagram is a command; whatever follows it in the
datagram (`time 17`) is repeated in the answer, so that a client can tell a late answer from the right one. Over TCP
the same holds for the rest of the line.

A turn serves at most `TURN` bytes of each client that has spoken, so that one that floods makes nobody wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from virtometer.errors import LinkError
from virtometer.time_server.listener import Listener

LONGEST = 64  # bytes of a line; the rest of a longer one is thrown away
MOST_CLIENTS = 4096
UNREAD = 64 << 10  # bytes of answers that a client may leave unread
TURN = 1024  # bytes that are taken from one client before the next has its turn

Clock = Callable[[], int]


@dataclass(slots=True)
class Client:
    """One client's clock. `start_ns` is None before `start`."""

    start_ns: int | None = None
    done: bool = False

    def answer(self, line: bytes, now_ns: int) -> bytes | None:
        """The answer to one line without its end, or None where it is ignored."""
        command, _, token = line.strip(b"\r\n \t\0").partition(b" ")
        tail = b" " + token if token else b""
        if command == b"start":
            self.start_ns = now_ns
            return b"start" + tail + b"\n"
        if command == b"time" and self.start_ns is not None:
            return b"%d%b\n" % ((now_ns - self.start_ns) // 1000, tail)
        if command == b"quit":
            self.done = True
            return b"quit" + tail + b"\n"
        return None


class _Stream:
    """One TCP client. It is read in the turns of the loop, and ends when it does not read what it asked for."""

    def __init__(self, server: TimeServer, connection: socket.socket) -> None:
        self._server, self._connection = server, connection
        self._client = Client()
        self._rest = b""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # or one that vanished would stay
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # no answer waits for another's receipt
        asyncio.get_running_loop().add_reader(connection, self._take)

    def _take(self) -> None:
        try:
            data = self._connection.recv(TURN)
            now_ns = self._server.clock()
            ended = not data or not self._answer(data, now_ns)
        except BlockingIOError:  # nothing came after all
            return
        except OSError:
            ended = True
        if ended:
            self.close()

    def _answer(self, data: bytes, now_ns: int) -> bool:
        """Answer all lines that are complete now. False where the client is done, or leaves its answers unread."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[: LONGEST + 1]  # what is too long stays so, whatever follows
        answers = b""
        for line in lines:
            if len(line) <= LONGEST and not self._client.done:
                answers += self._client.answer(line, now_ns) or b""
        try:
            sent = self._connection.send(answers) if answers else 0
        except BlockingIOError:
            sent = -1
        return sent == len(answers) and not self._client.done

    def close(self) -> None:
        """End the connection."""
        self._server.streams.discard(self)
        asyncio.get_running_loop().remove_reader(self._connection)
        self._connection.close()


class TimeServer:
    """Listens from `open` until `close`. `clock` gives ns."""

    def __init__(self, clock: Clock = time.monotonic_ns, tell: Callable[[str], None] = lambda _: None) -> None:
        """Does not listen yet. `tell` is told, once, when there are more clients than can be served."""
        self.clock = clock
        self.streams: set[_Stream] = set()
        self._tcp = Listener(self._welcome, lambda: len(self.streams), MOST_CLIENTS, tell)
        self._udp: socket.socket | None = None
        self._senders: OrderedDict[object, Client] = OrderedDict()

    async def open(self, address: str, tcp: int | None, udp: int | None) -> tuple[int | None, int | None]:
        """Listen on these ports (0 for any, None for not at all) and return them. Raises LinkError."""
        _raise_limit()
        loop = asyncio.get_running_loop()
        try:
            if udp is not None:
                kind = socket.SOCK_DGRAM
                (family, *_, where), *_ = await loop.getaddrinfo(address, udp, type=kind, flags=socket.AI_PASSIVE)
                self._udp = socket.socket(family, kind)
                self._udp.setblocking(False)
                self._udp.bind(where)
                loop.add_reader(self._udp, self._take, self._udp)
                udp = self._udp.getsockname()[1]
            if tcp is not None:
                tcp = await self._tcp.open(address, tcp)
        except (OSError, OverflowError, UnicodeError) as cause:
            self.close()
            words = cause.strerror or str(cause) if isinstance(cause, OSError) else str(cause)
            words = "this is no name of a host" if isinstance(cause, UnicodeError) else words
            raise LinkError(f"the time server cannot listen on {address}: {words}") from cause
        return tcp, udp

    def close(self) -> None:
        """End every connection and stop listening. Idempotent."""
        self._tcp.close()
        if self._udp is not None:
            asyncio.get_running_loop().remove_reader(self._udp)
            self._udp.close()
            self._udp = None
        for stream in list(self.streams):
            stream.close()

    def _welcome(self, connection: socket.socket) -> None:
        self.streams.add(_Stream(self, connection))

    def _take(self, udp: socket.socket) -> None:
        """Answer one datagram. Clients are told apart by their addresses; the one silent for longest makes room."""
        with contextlib.suppress(OSError):  # as datagrams are lost elsewhere
            data, address = udp.recvfrom(LONGEST + 3)
            client = self._senders.pop(address, None) or Client()
            answer = client.answer(data, self.clock()) if len(data) <= LONGEST + 2 else None
            if client.start_ns is not None and not client.done:
                self._senders[address] = client
            if len(self._senders) > MOST_CLIENTS:
                self._senders.popitem(last=False)
            if answer is not None:
                udp.sendto(answer, address)


def _raise_limit() -> None:
    """Thousands of clients need more descriptors than is usual."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CLIENTS + 64 if hard == resource.RLIM_INFINITY else min(hard, MOST_CLIENTS + 64)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
