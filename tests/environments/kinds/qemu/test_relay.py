"""The network of a machine through a socket: frames arrive, the relay is counted with the guest and ends with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environments.booted import (
    assert_seen_dead,
    greet,
    has_ended,
    hide_program,
    lab,
    measure,
    processes_by_name,
    require,
)
from tests.sentences import Said
from virtometer.environments.kinds.qemu.kind import Qemu, QemuSettings
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.model import Limits
from virtometer.processes import stat_of
from virtometer.runner.execution.services import Peer

SOCKET = QemuSettings(network_backend="socket", memory=128 << 20, cpus=1)
needs_relay = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("socat") is None, reason="a relay needs root and the Debian package socat"
)


@pytest.fixture
def qemu(tmp_path: Path) -> Iterator[Qemu]:
    with lab(tmp_path, disk=False) as one:
        environment = Qemu(one)
        require(environment.check())
        yield environment


@needs_relay
def test_frames_go_through_a_relay_that_is_counted_and_ends_with_its_guest(qemu: Qemu) -> None:
    qemu.prepare(SOCKET)
    guest = qemu.start(SOCKET, f"relay-{os.getpid()}")
    try:
        session = greet(guest)
        assert guest.network is not None
        session.request("configure-network", guest.network.configuration(), 30)
        pids = processes_by_name(guest)
        assert pids.keys() == {"socat", "qemu-system-x86"}
        relay = stat_of(pids["socat"])
        assert relay is not None
        peer = Peer(qemu.lab, f"relay-peer-{os.getpid()}", guest.network, Limits())
        try:
            done = measure(session, "net", "stream", {"peer": peer.endpoints()[0].address, "size": 65536}, seconds=0.3)
        finally:
            peer.stop()
        assert done.check.passed
        worked = stat_of(pids["socat"])
        assert worked is not None
        assert worked.own_ns > relay.own_ns, "all that the guest sent went through it"
        assert_seen_dead(guest, session, pids["qemu-system-x86"])
    finally:
        guest.stop()
    assert has_ended(pids["socat"])


def test_a_host_without_a_relay_or_a_bridge_says_so(qemu: Qemu, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    with monkeypatch.context() as patch:
        hide_program(patch, qemu.lab.programs, "socat")
        with pytest.raises((MissingProgram, EnvironmentFailed), match=r"socat|network_backend socket cannot be had"):
            qemu.prepare(SOCKET)
    monkeypatch.setattr(type(qemu.lab.lan), "unavailable", lambda self: "it needs root")
    with pytest.raises(EnvironmentFailed, match=r"network_backend socket .*: it needs root") as refused:
        qemu.prepare(SOCKET)
    said(refused.value.sentence)
