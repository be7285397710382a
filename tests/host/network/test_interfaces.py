"""Network interfaces of the host and of other namespaces."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from virtometer.environments.base import LabContext
from virtometer.host.network.interfaces import InterfaceTable, parse

TEXT = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       2    0    0    0     0          0         0      100       2    0    0    0     0       0          0
eth0.5: 5000000      40    1    7    0     0          0         0     3000      30    0    9    0     0       0          0
"""  # noqa: E501 - as the kernel prints it


def test_the_table_of_the_kernel_is_read_by_its_columns() -> None:
    assert parse(TEXT) == {"lo": (100, 2, 0, 100, 2, 0), "eth0.5": (5_000_000, 40, 7, 3_000, 30, 9)}


def test_what_goes_through_the_loopback_is_counted() -> None:
    table = InterfaceTable()
    before = table.read()["lo"]
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to,
    ):
        to.bind(("127.0.0.1", 0))
        for _ in range(50):
            one.sendto(b"x" * 1000, to.getsockname())
    after = table.read()["lo"]
    assert after[0] - before[0] >= 50_000
    assert after[1] - before[1] >= 50
    table.close()
    table.close()


def test_a_namespace_is_read_from_outside(lab: LabContext, new_id: Callable[[], str]) -> None:
    if reason := lab.lan.unavailable():
        pytest.skip(reason)
    guest_id, own = new_id(), Path("/proc/self/ns/net").readlink()
    threads = threading.active_count()
    name = f"virtometer-{guest_id}"
    lab.lan.add_namespace(guest_id, name)
    try:
        path = lab.lan.attach_veth(guest_id, name)
        inside, bridge = InterfaceTable(name), InterfaceTable(path.namespace)
        assert set(inside.read()) == {"lo", "eth0"}
        assert {path.port, "br0", "lo"} <= set(bridge.read())
        sent = inside.read()["eth0"][3:5]
        assert bridge.read()[path.port][:2] == sent, "what one end has sent the other one has received"
        inside.close()
        bridge.close()
        lab.lan.detach(guest_id)
    finally:
        lab.lan.delete_namespace(name)
        lab.journal.forget(guest_id)
    assert Path("/proc/self/ns/net").readlink() == own
    assert threading.active_count() == threads


def test_a_namespace_that_is_not_there_is_an_error() -> None:
    assert not Path("/run/netns/virtometer-nobody").exists()
    with pytest.raises(OSError, match="No such file"):
        InterfaceTable("virtometer-nobody")
