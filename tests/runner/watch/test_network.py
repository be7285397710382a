"""Interfaces of the host and of guests between two moments."""

from __future__ import annotations

import socket

from virtometer.environments.base import NetworkPath
from virtometer.model import Traffic
from virtometer.runner.watch.network import NetworkCounts, NetworkWatch, added, between, port_of, traffic

LOOPBACK = NetworkPath("loopback", "127.0.0.1", "127.0.0.1", None)
VETH = NetworkPath("veth", "10.0.0.1", "10.0.0.1", "away", port="veth2")


def test_the_host_s_own_interfaces_are_read_with_the_loopback_apart() -> None:
    watch = NetworkWatch([LOOPBACK, None, VETH])
    first = watch.read()
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to,
    ):
        to.bind(("127.0.0.1", 0))
        for _ in range(20):
            one.sendto(b"x" * 1000, to.getsockname())
    last = watch.read()
    assert first is not None and last is not None
    assert traffic(first.loopback, last.loopback).received_bytes >= 20_000
    assert min(last.host) >= 0
    assert last.ports == {}, "the namespace is not there"
    watch.close()
    assert watch.read() is None, "unknown, and not zero"


def test_only_a_guest_that_is_alone_on_an_interface_has_a_port() -> None:
    assert port_of(VETH) == ("away", "veth2")
    assert port_of(LOOPBACK) is port_of(None) is None


def test_between_two_points_it_is_interpolated() -> None:
    port = ("away", "veth2")
    first = NetworkCounts((0,) * 6, (0,) * 6, {port: (0,) * 6})
    last = NetworkCounts((100, 10, 0, 200, 20, 0), (8,) * 6, {port: (4,) * 6, ("away", "new"): (1,) * 6})
    found = between(first, last, 0.5)
    assert (found.host, found.loopback) == ((50, 5, 0, 100, 10, 0), (4,) * 6)
    assert found.ports == {port: (2,) * 6}


def test_what_several_windows_transferred_is_added() -> None:
    port = ("away", "veth2")

    def counts(number: float) -> NetworkCounts:
        return NetworkCounts((number,) * 6, (2 * number,) * 6, {port: (3 * number,) * 6})

    found = added([(counts(1), counts(3)), (counts(10), counts(15))])
    assert found == NetworkCounts((8,) * 6, (16,) * 6, {port: (24,) * 6})
    assert added([(counts(1), None)]) is added([]) is None


def test_what_the_host_receives_the_guest_has_sent() -> None:
    counts = (100, 10, 1, 200, 20, 2)
    assert traffic((0,) * 6, counts) == Traffic(100, 10, 1, 200, 20, 2)
    assert traffic((0,) * 6, counts, turned=True) == Traffic(200, 20, 2, 100, 10, 1)
