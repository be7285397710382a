import os
import socket
import time
from collections.abc import Iterator

import pytest

from virtometer.errors import LinkClosed, LinkError, LinkTimeout
from virtometer.link.channel import MAX_LINE, Channel, Stream

Ends = tuple[Channel, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    fd = ours.detach()
    channel = Channel(Stream(fd, fd))
    yield channel, theirs
    channel.close()
    theirs.close()


def test_lines_arrive_whole_however_they_are_cut(ends: Ends) -> None:
    channel, theirs = ends
    for piece in (b'{"a"', b":1}\n{", b'"b":2}\r\n{"c":3}\n'):
        theirs.sendall(piece)
    lines = [channel.receive(1) for _ in range(3)]
    assert [line and line.data for line in lines] == [b'{"a":1}', b'{"b":2}', b'{"c":3}']
    assert channel.receive(0) is None


def test_the_end_of_the_stream_is_reported_even_after_half_a_line(ends: Ends) -> None:
    channel, theirs = ends
    theirs.sendall(b"half")
    theirs.close()
    with pytest.raises(LinkClosed):
        channel.receive(1)


@pytest.mark.parametrize("ended", [b"", b"\n"])
def test_a_line_that_is_too_long_ends_the_channel(ends: Ends, ended: bytes) -> None:
    channel, theirs = ends
    theirs.setblocking(False)
    data = b"x" * MAX_LINE + ended
    sent = 0
    with pytest.raises(LinkError, match="65536"):
        while True:
            if sent < len(data):
                sent += theirs.send(data[sent : sent + 10_000])
            channel.receive(0)


def test_the_longest_line_that_is_allowed_arrives(ends: Ends) -> None:
    channel, theirs = ends
    line = b"y" * (MAX_LINE - 1)
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MAX_LINE)
    theirs.sendall(line + b"\n")
    received = channel.receive(5)
    assert received is not None and received.data == line


def test_sending_to_one_who_does_not_read_times_out(ends: Ends) -> None:
    channel, _ = ends
    with pytest.raises(LinkTimeout):
        for _ in range(1000):
            channel.send(b"z" * 60_000, 0.05)


def test_sending_more_than_a_line_may_hold_is_refused(ends: Ends) -> None:
    channel, _ = ends
    with pytest.raises(LinkError, match="longer than"):
        channel.send(b"z" * (MAX_LINE + 1), 1)


def test_sending_to_one_who_is_gone(ends: Ends) -> None:
    channel, theirs = ends
    theirs.close()
    with pytest.raises(LinkClosed):
        for _ in range(3):
            channel.send(b"{}\n", 1)


def test_closing_twice_closes_once() -> None:
    read, write = os.pipe()
    channel = Channel(Stream(read, write))
    channel.close()
    channel.close()
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(read)


def test_a_line_that_is_long_is_sent_in_parts_where_the_other_side_needs_that(ends: Ends) -> None:
    channel, theirs = ends
    channel.stream.at_once = 1000
    line = bytes(range(32, 120)) * 40 + b"\n"
    begun = time.monotonic()
    channel.send(line, 1)
    assert time.monotonic() - begun >= 3 * 0.005
    assert theirs.recv(10_000) == line
    begun = time.monotonic()
    channel.send(b"short\n", 1)
    assert time.monotonic() - begun < 0.005
