"""An outside clock for programs that ask one: the published studies' time server, made robust.

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
from typing import cast

from virtometer.errors import LinkError
from virtometer.link.listener import Listener

LONGEST = 64  # bytes of a line; the rest of a longer one is thrown away
MOST_CLIENTS = 4096
SILENT_S = 3600.0  # a client that says nothing for so long is given up
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


class _Stream(asyncio.BufferedProtocol):
    """One TCP client."""

    def __init__(self, server: TimeServer) -> None:
        self._server = server
        self._client = Client()
        self._buffer = bytearray(TURN)
        self._rest = b""
        self._too_long = False
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=UNREAD)
        if self._client.done:  # the server was closed meanwhile
            transport.abort()
        else:
            self._heard()

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        now_ns = self._server.clock()
        assert self._transport is not None
        self._heard()
        *lines, self._rest = (self._rest + self._buffer[:nbytes]).split(b"\n")
        answers = []
        for line in lines:
            too_long, self._too_long = self._too_long or len(line) > LONGEST, False
            answer = None if too_long else self._client.answer(line, now_ns)
            if answer is not None:
                answers.append(answer)
            if self._client.done:
                break
        if answers:
            self._transport.write(b"".join(answers))  # may end a client that does not read: nothing is written after
        if self._client.done:
            self._transport.close()
        elif len(self._rest) > LONGEST:
            self._rest, self._too_long = b"", True

    def pause_writing(self) -> None:
        """This client does not read what it asked for."""
        if self._transport is not None:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.streams.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def close(self) -> None:
        """End the connection."""
        self._client.done = True
        if self._transport is not None:
            self._transport.abort()

    def _heard(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(SILENT_S, self.close)


class _Datagrams(asyncio.DatagramProtocol):
    """All UDP clients, told apart by their addresses; the one silent for longest makes room."""

    def __init__(self, server: TimeServer) -> None:
        self._server = server
        self._clients: OrderedDict[object, Client] = OrderedDict()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not an instance of it in Python 3.11, though it is one.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        now_ns = self._server.clock()
        if self._transport is None or len(data) > LONGEST + 2:
            return
        client = self._clients.get(addr) or Client()
        answer = client.answer(data, now_ns)
        if answer is None:
            return
        self._transport.sendto(answer, addr)
        if client.done:
            self._clients.pop(addr, None)
            return
        self._clients[addr] = client
        self._clients.move_to_end(addr)
        if len(self._clients) > MOST_CLIENTS:
            self._clients.popitem(last=False)


class TimeServer:
    """Listens from `open` until `close`. `clock` gives ns."""

    def __init__(self, clock: Clock = time.monotonic_ns, tell: Callable[[str], None] = lambda _: None) -> None:
        """Does not listen yet. `tell` is told, once, when there are more clients than can be served."""
        self.clock = clock
        self.streams: set[_Stream] = set()
        self._tcp = Listener(self._welcome, lambda: len(self.streams), MOST_CLIENTS, tell)
        self._udp: asyncio.DatagramTransport | None = None
        self._welcomes: set[asyncio.Task[object]] = set()

    async def open(self, address: str, tcp: int | None, udp: int | None) -> tuple[int | None, int | None]:
        """Listen on these ports (0 for any, None for not at all) and return them. Raises LinkError."""
        _raise_limit()
        loop = asyncio.get_running_loop()
        try:
            if udp is not None:
                self._udp, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(self), local_addr=(address, udp))
                udp = self._udp.get_extra_info("sockname")[1]
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
            self._udp.close()
        for stream in list(self.streams):
            stream.close()

    def _welcome(self, connection: socket.socket) -> None:
        stream = _Stream(self)
        self.streams.add(stream)
        loop = asyncio.get_running_loop()
        task = loop.create_task(loop.connect_accepted_socket(lambda: stream, connection))
        self._welcomes.add(task)
        task.add_done_callback(self._welcomes.discard)


def _raise_limit() -> None:
    """Thousands of clients need more descriptors than is usual."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CLIENTS + 64 if hard == resource.RLIM_INFINITY else min(hard, MOST_CLIENTS + 64)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
