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
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from virtometer.deferred_signals import deferred_signals
from virtometer.environments.base import LabContext, Settings
from virtometer.environments.kinds.libvirt.domain_xml import Way
from virtometer.environments.kinds.libvirt.virsh import unescaped
from virtometer.environments.parts.limits import enforced
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import Account, CgroupAccount, CgroupMount, TreeAccount, cgroup_mounts
from virtometer.host.cpu.processors import allowed, place, tasks
from virtometer.host.cpu.weight import CONDITION, OF_DAEMON
from virtometer.host.owned.processes import PROCESS_GROUP
from virtometer.link.channel import Stream
from virtometer.processes import ProcessStat, kill_all, process_stats, stat_of

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


class FoundAccount(Account):
    """The tree of processes below one that was found, and the cgroup that its daemon has created."""

    def __init__(self, lab: LabContext, guest_id: str, root: ProcessStat, domain: str, *, owned: bool) -> None:
        """domain: its name, which is in that of its cgroup. owned: it is ours, and may be killed."""
        self._tree = TreeAccount(guest_id)
        self._tree.opened_for(root.pid)
        self._owned = owned
        self._cgroup: CgroupAccount | None = None
        for mount in cgroup_mounts():
            directory = cgroup_of_domain(mount, root.pid, domain)
            if directory is not None:
                self._cgroup = CgroupAccount(guest_id, lab.journal, mount, directory)
                break
        counted: Account = self._cgroup or self._tree
        self._counted = counted
        self.method = counted.method

    @property
    def inner(self) -> Path | None:
        """Its cgroup relative to the mount of a hierarchy; None where it has none of its own."""
        return None if self._cgroup is None else self._cgroup.inner

    def enter(self) -> None:
        """Nothing of ours enters what a daemon manages."""

    def cpu_ns(self) -> int:
        """By the cgroup where there is one, else by the tree."""
        return self._counted.cpu_ns()

    def modes_ns(self) -> tuple[int, int] | None:
        """As `cpu_ns`."""
        return self._counted.modes_ns()

    def processes(self) -> list[int]:
        """Those of the tree, and of the cgroup."""
        of_cgroup = [] if self._cgroup is None else self._cgroup.processes()
        return [*dict.fromkeys([*self._tree.processes(), *of_cgroup])]

    def remove(self) -> None:
        """Kill what is left of a guest of ours. The daemon removes what it has made."""
        if self._owned:
            kill_all(self.processes)
        if self._cgroup is not None:
            self._cgroup.close()


def cgroup_of_domain(mount: CgroupMount, pid: int, domain: str) -> Path | None:
    """The cgroup of a process or the one above it that has the domain's name in its own; None where there is none."""
    try:
        directory = mount.cgroup_of(pid)
    except OSError:
        return None
    while directory is not None and directory != mount.path and directory != directory.parent:
        if domain in unescaped(directory.name):
            return directory
        directory = directory.parent
    return None


class DomainGuest(ProcessGuest):
    """A domain of libvirt's. `owned`: it is the laboratory's, and ends with the guest."""

    def __init__(self, lab: LabContext, guest_id: str, settings: Settings | None = None) -> None:
        """Use `starting`."""
        super().__init__(lab, guest_id, settings)
        self.owned = True
        self.console: Path | None = None
        self._root: ProcessStat | None = None
        self._runs: Callable[[], bool] = lambda: True
        self._asked: tuple[float, bool] = (0.0, True)
        self._masks: dict[int, frozenset[int]] = {}

    def follow(self, pid: int, domain: str) -> None:
        """Its processes are those below this one."""
        root = stat_of(pid)
        if root is None:
            raise EnvironmentFailed(f"the domain {domain} ended while it was started")
        self._root = root
        self._account = FoundAccount(self.lab, self.guest_id, root, domain, owned=self.owned)
        self._effective |= {"cpu_accounting": self._account.method, CONDITION: OF_DAEMON}
        if (inner := self._account.inner) is not None:
            self.read_back(lambda: enforced(str(inner)))

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

    def enter(self, argv: Sequence[str | Path], purpose: str, pass_fds: Sequence[int] = ()) -> None:
        """Run the agent inside a domain that is not ours by a program of this host, whose pipes are the channel."""
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for end in range(3):  # stdin, stdout, stderr
                read, write = os.pipe()
                ours.append(write if end == 0 else read)
                theirs.append(read if end == 0 else write)
            with deferred_signals():
                self.process = self.lab.programs.spawn(
                    argv, purpose=purpose, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2], pass_fds=pass_fds
                )
            self.stream.write_fd, self.stream.read_fd, self._stderr = ours
            os.set_blocking(self._stderr, False)
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        leader = stat_of(self.process.pid)
        if leader is not None:
            self.lab.journal.record(self.guest_id, PROCESS_GROUP, leader=leader.pid, start=leader.start)

    def cpu_ns(self) -> int:
        """As of every guest. Raises OSError with the reason where nobody knows it, also after the stop."""
        if isinstance(self._account, UnknownAccount):
            return self._account.cpu_ns()
        return super().cpu_ns()

    def alive(self) -> bool:
        """Whether its first process runs, or, where that is not visible, whether the hypervisor says that it does."""
        self._listen()
        if self._stopped or (self.process is not None and not super().alive()):
            return False
        if self._root is not None:
            now = stat_of(self._root.pid)
            return now is not None and now.start == self._root.start and now.state not in "ZX"
        if self._account is None:
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
    return [one.pid for one in process_stats() if one.session == leader and one.state not in "ZX"]


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
