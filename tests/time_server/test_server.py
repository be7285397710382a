"""The time server against real sockets: the protocol, many clients, and those that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import random
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sentences import Said
from virtometer.errors import LinkError
from virtometer.time_server.server import LONGEST, TURN, Client, TimeServer


class Watch:
    """A clock that stands until it is told to go on; it can go on by `tick_ns` whenever it is read."""

    def __init__(self) -> None:
        self.ns = 10**18
        self.tick_ns = 0
        self.readings = 0

    def __call__(self) -> int:
        self.readings += 1
        self.ns += self.tick_ns
        return self.ns


def served(body: Callable[[TimeServer, Watch, int, int], Awaitable[None]]) -> None:
    """Run `body` beside a server on loopback; afterwards it has no client left."""

    async def both() -> None:
        watch = Watch()
        server = TimeServer(watch)
        tcp, udp = await server.open("127.0.0.1", 0, 0)
        assert tcp and udp
        try:
            await asyncio.wait_for(body(server, watch, tcp, udp), 60)
        finally:
            server.close()
        for _ in range(100):
            if not server.streams:
                return
            await asyncio.sleep(0.02)
        raise AssertionError("clients are left")

    asyncio.run(both())


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: bytes) -> bytes:
    writer.write(line)
    return await asyncio.wait_for(reader.readline(), 10)


def test_start_time_quit() -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", tcp)
        assert await ask(reader, writer, b"start\n") == b"start\n"
        watch.ns += 1_234_567_890
        assert await ask(reader, writer, b"time\n") == b"1234567\n"
        watch.ns += 2**63  # 64 bits and more
        assert await ask(reader, writer, b"time\r\n") == b"%d\n" % ((1_234_567_890 + 2**63) // 1000)
        assert await ask(reader, writer, b"start\n") == b"start\n"
        assert await ask(reader, writer, b"time 17\n") == b"0 17\n"
        assert await ask(reader, writer, b"quit\n") == b"quit\n"
        assert await reader.read() == b""
        writer.close()

    served(body)


def test_commands_may_come_in_pieces_and_together() -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", tcp)
        for number, piece in enumerate((b"st", b"art\nti", b"me\ntime\nqu", b"it\ntime\n"), 1):
            writer.write(piece)
            while watch.readings < number:  # the server has not received it; served() limits the wait
                await asyncio.sleep(0.001)
        assert await reader.read() == b"start\n0\n0\nquit\n"
        writer.close()

    served(body)


def test_over_udp_each_address_has_its_own_clock() -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        loop = asyncio.get_running_loop()
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]

        async def ask_udp(one: socket.socket, line: bytes) -> bytes:
            await loop.sock_sendto(one, line, ("127.0.0.1", udp))
            return await asyncio.wait_for(loop.sock_recv(one, 100), 10)

        with contextlib.ExitStack() as stack:
            for one in sockets:
                stack.enter_context(one)
                one.setblocking(False)
            assert await ask_udp(sockets[0], b"start\n") == b"start\n"
            watch.ns += 5_000_000
            assert await ask_udp(sockets[1], b"start") == b"start\n"
            for junk in (b"", b"\xff" * 2000, b"start" * 1000, b"tim", b"\n\n"):
                await loop.sock_sendto(sockets[0], junk, ("127.0.0.1", udp))
            assert await ask_udp(sockets[0], b"time 9\n") == b"5000 9\n"
            assert await ask_udp(sockets[1], b"time\n") == b"0\n"
            assert await ask_udp(sockets[0], b"quit\n") == b"quit\n"
            await loop.sock_sendto(sockets[0], b"time\n", ("127.0.0.1", udp))  # forgotten: ignored
            assert await ask_udp(sockets[0], b"start 2\n") == b"start 2\n"

    served(body)


def test_a_thousand_connections_at_once() -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        clients = [await asyncio.open_connection("127.0.0.1", tcp) for _ in range(1000)]
        for number, (reader, writer) in enumerate(clients):
            assert await ask(reader, writer, b"start\n") == b"start\n"
            watch.ns += 1000
            assert number < len(server.streams)
        for number, (reader, writer) in enumerate(clients):
            assert await ask(reader, writer, b"time\n") == b"%d\n" % (1000 - number)
        for _, writer in clients:
            writer.close()

    served(body)


def test_a_client_that_floods_has_its_turn_like_the_others() -> None:
    """The clock is read once in a turn, so that answers which tell the same time were given in the same turn."""
    lines = 20_000

    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", tcp)
        assert await ask(reader, writer, b"start\n") == b"start\n"
        watch.tick_ns = 1000
        writer.write(b"time\n" * lines)
        turns = Counter([await asyncio.wait_for(reader.readline(), 10) for _ in range(lines)])
        assert max(turns.values()) <= TURN / len(b"time\n") + 1
        writer.close()

    served(body)


def test_a_client_that_asks_and_never_reads_ends_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        with socket.create_connection(("127.0.0.1", tcp)) as deaf:
            deaf.setblocking(False)
            for _ in range(3000):
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    deaf.send(b"start\n" * 10_000)
                await asyncio.sleep(0.001)
                if not server.streams:
                    break
            assert not server.streams, "it was served for ever"

    served(body)
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


def test_clients_that_misbehave_harm_nobody() -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        good = await asyncio.open_connection("127.0.0.1", tcp)
        assert await ask(*good, b"start\n") == b"start\n"
        rng = random.Random(1)
        half = await asyncio.open_connection("127.0.0.1", tcp)
        half[1].write(b"tim")
        _, gone = await asyncio.open_connection("127.0.0.1", tcp)
        gone.transport.abort()
        for _ in range(20):
            _, noise = await asyncio.open_connection("127.0.0.1", tcp)
            noise.write(rng.randbytes(200_000) + b"\n")
            noise.close()
        long = await asyncio.open_connection("127.0.0.1", tcp)
        long[1].write(b"start" * 10_000 + b"\nstart\n")
        assert await asyncio.wait_for(long[0].readline(), 10) == b"start\n"
        # One that asks and never reads is cut off instead of filling the memory.
        deaf_reader, deaf = await asyncio.open_connection("127.0.0.1", tcp, limit=1024)
        deaf.write(b"start\n")
        until = time.monotonic() + 30
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < until and not deaf_reader.at_eof() and not deaf.transport.is_closing():
                deaf.write(b"time 0123456789012345678901234567890123456789\n" * 1000)
                await asyncio.wait_for(deaf.drain(), 30)
        assert time.monotonic() < until, "it was served for ever"
        watch.ns += 7_000
        assert await ask(*good, b"time\n") == b"7\n"
        for _, writer in (good, half, long):
            writer.close()

    served(body)


def test_without_descriptors_clients_wait_until_there_are_some(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the whole system has none left, which nobody can count beforehand."""
    told: list[str] = []

    async def body() -> None:
        server = TimeServer(tell=told.append)
        tcp, _ = await server.open("127.0.0.1", 0, None)
        assert tcp
        with monkeypatch.context() as context:
            context.setattr(socket.socket, "accept", refuse)
            reader, writer = await asyncio.open_connection("127.0.0.1", tcp)
            writer.write(b"start\n")
            async with asyncio.timeout(10):
                while not told:
                    await asyncio.sleep(0.001)
        assert await asyncio.wait_for(reader.readline(), 10) == b"start\n"
        writer.close()
        server.close()

    def refuse(_: socket.socket) -> None:
        raise OSError(errno.ENFILE, "Too many open files in system")

    asyncio.run(body())
    [line] = told
    assert line.endswith(": Too many open files in system")
    said(line)


@given(st.lists(st.binary(max_size=2 * LONGEST), max_size=8))
def test_whatever_is_said_the_answer_is_one_of_three(lines: list[bytes]) -> None:
    client = Client()
    for number, line in enumerate(lines):
        answer = client.answer(line.replace(b"\n", b""), number * 1000)
        if answer is not None:
            word = answer.rstrip(b"\n").partition(b" ")[0]
            assert word in (b"start", b"quit") or word.isdigit()
            assert answer.endswith(b"\n") and answer.count(b"\n") == 1


def test_a_port_in_use_is_one_sentence() -> None:
    async def body(server: TimeServer, watch: Watch, tcp: int, udp: int) -> None:
        for ports in ((tcp, None), (None, udp)):
            with pytest.raises(LinkError, match=r"cannot listen on 127\.0\.0\.1"):
                await TimeServer().open("127.0.0.1", *ports)
        with pytest.raises(LinkError, match=r"cannot listen on 192\.0\.2\.1"):
            await TimeServer().open("192.0.2.1", 0, None)

    served(body)
