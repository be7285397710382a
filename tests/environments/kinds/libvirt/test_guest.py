"""Guests that somebody else has started: what is known of them, and the ways to their agents."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.base import LabContext, Settings
from virtometer.environments.kinds.libvirt.domain_xml import Way
from virtometer.environments.kinds.libvirt.guest import (
    DomainGuest,
    UnknownAccount,
    connected,
)
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.processors import allowed
from virtometer.processes import stat_of
from virtometer.runner.watch.observer import Observer


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[bytes]]:
    """A process that works, with a child, and that is nobody's guest."""
    words = ["sh", "-c", "sleep 60 & while :; do :; done"]
    process = subprocess.Popen(words, start_new_session=True)
    yield process
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_what_is_found_is_counted(lab: LabContext, busy: subprocess.Popen[bytes]) -> None:
    guest = DomainGuest(lab, "found", Settings())
    guest.follow(busy.pid, "no-such-domain")
    wait_until(lambda: len(guest.processes()) == 2)
    first = guest.cpu_ns()
    wait_until(lambda: guest.cpu_ns() > first + 10_000_000)
    assert guest.effective["cpu_accounting"] == "process-tree"
    assert guest.alive()
    guest.stop()
    assert not guest.alive()
    assert guest.cpu_ns() > first > 0
    assert not any(one and one.state not in "ZX" for one in [stat_of(busy.pid)])


def test_what_is_entered_goes_on_as_it_was(lab: LabContext, busy: subprocess.Popen[bytes]) -> None:
    guest, before = DomainGuest(lab, "entered", Settings()), allowed(busy.pid)
    guest.owned = False
    guest.follow(busy.pid, "no-such-domain")
    guest.place({max(before)})
    assert allowed(busy.pid) == {max(before)}
    guest.grace_s = 0.0
    guest.stop()
    assert busy.poll() is None
    assert allowed(busy.pid) == before


def test_a_process_that_has_ended_is_no_guest(lab: LabContext) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    with pytest.raises(EnvironmentFailed, match="web ended while it was started"):
        DomainGuest(lab, "ended", Settings()).follow(ended.pid, "web")


def test_what_is_not_visible_is_unknown_and_never_0(lab: LabContext) -> None:
    guest, runs = DomainGuest(lab, "far", Settings()), [True]
    reason = "libvirt at esx://far shows no process of web"
    guest.follow_nothing(reason, lambda: runs[0])
    for _ in range(2):
        with pytest.raises(OSError, match=f"unknown: {reason}"):
            guest.cpu_ns()
        assert guest.effective["cpu_accounting"] == f"unknown: {reason}"
        with pytest.raises(EnvironmentFailed, match="its processors are unknown"):
            guest.place({0})
        observer = Observer([guest.cpu_ns], parts=[guest.cpu_parts])
        observer.begin()
        observer.end()
        assert observer.guest_cpu_s(0, 0, time.monotonic_ns()) is None
        guest.stop()
    assert not guest.alive()


def test_of_a_large_console_the_end_is_read(lab: LabContext, tmp_path: Path) -> None:
    guest = DomainGuest(lab, "talks", Settings())
    guest.console = tmp_path / "console"
    assert guest.stderr_tail() == ""
    with guest.console.open("wb") as file:
        file.write(b"first\n")
        file.seek(1 << 40)
        file.write(b"the last words\n")
    assert guest.stderr_tail().endswith("the last words")
    guest.console.write_text("only this\n")
    assert guest.stderr_tail() == "only this"
    guest.stop()


def test_whether_it_runs_is_asked_now_and_then(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    guest, asked = DomainGuest(lab, "far", Settings()), []

    def runs() -> bool:
        asked.append(1)
        return False

    guest.follow_nothing("it is far away", runs)
    assert not guest.alive()
    assert not guest.alive()
    assert asked == [1]


def test_an_unknown_account_has_nothing() -> None:
    account = UnknownAccount("it is far away")
    assert account.processes() == []
    assert account.modes_ns() is None
    account.enter()
    account.remove()


def test_the_ways_to_an_agent(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    unix, tcp = socket.socket(socket.AF_UNIX), socket.socket()
    unix.bind(str(tmp_path / "agent"))
    tcp.bind(("127.0.0.1", 0))
    for one in (unix, tcp):
        one.listen()
        threading.Thread(target=lambda one=one: one.accept()[0].sendall(b"hello\n"), daemon=True).start()
    os.write(master, b"hello\n")
    ways = [
        Way("unix", str(tmp_path / "agent")),
        Way("tcp", f"127.0.0.1:{tcp.getsockname()[1]}"),
        Way("pty", os.ttyname(slave)),
    ]
    for way in ways:
        stream = connected(way)
        assert os.read(stream.read_fd, 100) == b"hello\n"
        stream.close()
    for fd in (master, slave):
        os.close(fd)
    unix.close()
    tcp.close()


@pytest.mark.parametrize("way", [Way("unix", "/nowhere"), Way("tcp", "127.0.0.1:1"), Way("pty", "/dev/null")])
def test_a_way_that_is_closed_is_named(way: Way) -> None:
    with pytest.raises(EnvironmentFailed, match=f"the agent's channel {way.where} cannot be opened"):
        connected(way)
