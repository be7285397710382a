"""Interfaces of the host and of guests between two moments."""

from __future__ import annotations

import socket

from virtometer.environments.base import NetworkPath
from virtometer.model import Traffic
from virtometer.runner.watch.counts import Counts, passed
from virtometer.runner.watch.network import HOST, LOOPBACK, NetworkWatch, port_of, traffic

OWN = NetworkPath("loopback", "127.0.0.1", "127.0.0.1", None)
VETH = NetworkPath("veth", "10.0.0.1", "10.0.0.1", "away", port="veth2")


def test_the_host_s_own_interfaces_are_read_with_the_loopback_apart() -> None:
    watch = NetworkWatch([OWN, None, VETH])
    first = watch.read()
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to,
    ):
        to.bind(("127.0.0.1", 0))
        for _ in range(20):
            one.sendto(b"x" * 1000, to.getsockname())
    last = watch.read()
    spent = passed([(first, last, 1.0)])
    own, host = traffic(spent, LOOPBACK), traffic(spent, HOST)
    assert own is not None and own.received_bytes >= 20_000
    assert host is not None and host.received_bytes >= 0
    assert traffic(spent, ("away", "veth2")) is None, "the namespace is not there"
    watch.close()
    assert watch.read() == {}, "unknown, and not zero"


def test_only_a_guest_that_is_alone_on_an_interface_has_a_port() -> None:
    assert port_of(VETH) == ("away", "veth2")
    assert port_of(OWN) is port_of(None) is None


def test_what_the_host_receives_the_guest_has_sent() -> None:
    port = ("away", "veth2")
    spent: Counts = {("network", port, at): number for at, number in enumerate((100, 10, 1, 200, 20, 2))}
    assert traffic(spent, port) == Traffic(100, 10, 1, 200, 20, 2)
    assert traffic(spent, port, turned=True) == Traffic(200, 20, 2, 100, 10, 1)
    assert traffic(spent, ("away", "new")) is None
