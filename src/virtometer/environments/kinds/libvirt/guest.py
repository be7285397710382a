"""A guest that a daemon has started: its processes are no children of the laboratory, and may be on another host.

What the host of the laboratory can see of it is counted exactly. What it cannot see is unknown, with the reason, and
never 0.
"""

from __future__ import annotations

import contextlib
import os
import socket
import termios
import time
import tty
from collections.abc import Callable, Collection
from pathlib import Path

from virtometer.environments.base import LabContext, Settings
from virtometer.environments.kinds.libvirt.domain_xml import Way
from virtometer.environments.parts.found_guest import FoundGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import Account
from virtometer.host.cpu.processors import allowed, place, tasks
from virtometer.host.cpu.weight import CONDITION, OF_DAEMON
from virtometer.link.channel import Stream
from virtometer.processes import kill_all, process_stats

_CONNECT_S = 10.0
_CONSOLE_BYTES = 8_000  # of its end: it has all that the guest ever printed
_STATE_S = 1.0  # between two questions to a hypervisor whether a domain still runs


class UnknownAccount(Account):
    """Of a guest whose processes this host does not show."""

    method = "unknown"

    def __init__(self, reason: str) -> None:
        """`reason`: why nobody knows."""
        self.method = f"unknown: {reason}"
        self._reason = reason

    def enter(self) -> None:
        """Nothing can enter it."""

    def cpu_ns(self) -> int:
        """Raise OSError with the reason: what is unknown is not 0."""
        raise OSError(f"its CPU time is unknown: {self._reason}")

    def modes_ns(self) -> tuple[int, int] | None:
        """Unknown."""
        return None

    def processes(self) -> list[int]:
        """None that this host shows."""
        return []

    def remove(self) -> None:
        """Nothing was made."""


class DomainGuest(FoundGuest):
    """A domain of libvirt's. `owned`: it is the laboratory's, and ends with the guest."""

    def __init__(self, lab: LabContext, guest_id: str, settings: Settings | None = None) -> None:
        """Use `starting`."""
        super().__init__(lab, guest_id, settings)
        self.console: Path | None = None
        self._runs: Callable[[], bool] = lambda: True
        self._asked: tuple[float, bool] = (0.0, True)
        self._masks: dict[int, frozenset[int]] = {}

    def follow_nothing(self, reason: str, runs: Callable[[], bool], *, on_this_host: bool = False) -> None:
        """Its processes are not on this host, or not visible. runs: asks the hypervisor whether it runs.

        on_this_host: it works here all the same, so that its work cannot be told from that of other programs.
        """
        self._account = UnknownAccount(reason)
        self._effective |= {"cpu_accounting": self._account.method, "processors": f"unknown: {reason}"}
        self._effective[CONDITION] = OF_DAEMON
        self.on_this_host = on_this_host
        if on_this_host:
            self._effective["foreign_load"] = f"unknown: {reason}"
        self._runs = runs

    def cpu_ns(self) -> int:
        """As of every guest. Raises OSError with the reason where nobody knows it, also after the stop."""
        if isinstance(self._account, UnknownAccount):
            return self._account.cpu_ns()
        return super().cpu_ns()

    def alive(self) -> bool:
        """Whether its first process runs, or, where that is not visible, whether the hypervisor says that it does."""
        if not isinstance(self._account, UnknownAccount):
            return super().alive()
        self._listen()
        if self._stopped or not self.entering():
            return False
        moment, runs = self._asked
        if time.monotonic() - moment > _STATE_S:
            runs = self._runs()
            self._asked = time.monotonic(), runs
        return runs

    def place(self, processors: Collection[int]) -> None:
        """Bind the threads of its processes. A domain that is not ours gets its own processors back at the stop."""
        if isinstance(self.account, UnknownAccount):
            raise EnvironmentFailed(f"its processors are {self._effective['processors']}")
        if not self.owned:
            for task in tasks(self.account.processes()):
                if task not in self._masks and (mask := allowed(task)):
                    self._masks[task] = mask
        place(self.account.processes, processors)

    def stderr_tail(self) -> str:
        """The end of its console, where that is a file here, else what the program that entered it printed."""
        if self.console is not None:
            with contextlib.suppress(OSError), self.console.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - _CONSOLE_BYTES, 0))
                self._tail = file.read(_CONSOLE_BYTES)
        return super().stderr_tail()

    def _kill(self) -> None:
        if self.owned:
            super()._kill()
            return
        if self.process is not None and self.process.returncode is None:
            leader = self.process.pid
            kill_all(lambda: _session(leader))
        for task, mask in self._masks.items():
            with contextlib.suppress(OSError):
                os.sched_setaffinity(task, mask)


def _session(leader: int) -> list[int]:
    return [one.pid for one in process_stats() if one.session == leader and one.runs]


# --- the channel ----------------------------------------------------------------------------------------------


def connected(way: Way) -> Stream:
    """Open the way to an agent. Raises EnvironmentFailed where nobody takes the connection."""
    try:
        match way.kind:
            case "unix":
                return _stream(_unix(way.where))
            case "tcp":
                host, _, port = way.where.rpartition(":")
                one = socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S)
                one.settimeout(None)
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return _stream(one)
            case "pty":
                fd = os.open(way.where, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
                tty.setraw(fd, termios.TCSANOW)
                return Stream(fd, fd)
    except (OSError, ValueError, termios.error) as cause:
        raise EnvironmentFailed(f"the agent's channel {way.where} cannot be opened: {cause}") from cause


def _unix(path: str) -> socket.socket:
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        one.connect(path)
    except BaseException:
        one.close()
        raise
    return one


def _stream(one: socket.socket) -> Stream:
    fd = one.detach()
    return Stream(fd, fd)
