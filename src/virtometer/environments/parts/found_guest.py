"""A guest whose processes a daemon has started: they are no children of the laboratory, and are found.

They are those below the first one, and those of its cgroup, which the daemon has made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from virtometer.deferred_signals import deferred_signals
from virtometer.environments.base import LabContext, Settings
from virtometer.environments.parts.limits import enforced
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import Account, CgroupAccount, CgroupMount, TreeAccount, cgroup_mounts
from virtometer.host.cpu.weight import CONDITION, OF_DAEMON
from virtometer.host.owned.processes import PROCESS_GROUP
from virtometer.processes import ProcessStat, kill_all, stat_of

_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")


class FoundAccount(Account):
    """The tree of processes below one that was found, and the cgroup that its daemon has created."""

    def __init__(self, lab: LabContext, guest_id: str, root: ProcessStat, name: str, *, owned: bool) -> None:
        """name: what the daemon calls the guest in the name of its cgroup. owned: it is ours, and may be killed."""
        self._tree = TreeAccount(guest_id)
        self._tree.opened_for(root.pid)
        self._owned = owned
        self._cgroup: CgroupAccount | None = None
        for mount in cgroup_mounts():
            directory = cgroup_named(mount, root.pid, name)
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


def cgroup_named(mount: CgroupMount, pid: int, name: str) -> Path | None:
    """The cgroup of a process or the one above it that has a name in its own; None where there is none."""
    try:
        directory = mount.cgroup_of(pid)
    except OSError:
        return None
    while directory is not None and directory != mount.path and directory != directory.parent:
        if name in unescaped(directory.name):
            return directory
        directory = directory.parent
    return None


def unescaped(directory: str) -> str:
    """The name of a unit of systemd's without its escapes, such as \\x2d for a hyphen."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), directory)


class FoundGuest(ProcessGuest):
    """A guest of a daemon. `owned`: it is the laboratory's, and ends with the guest."""

    def __init__(self, lab: LabContext, guest_id: str, settings: Settings | None = None) -> None:
        """Use `starting`."""
        super().__init__(lab, guest_id, settings)
        self.owned = True
        self._root: ProcessStat | None = None

    def follow(self, pid: int, name: str) -> None:
        """Its processes are those below this one, and those of the cgroup that has `name` in its own."""
        root = self.watch(pid, name)
        self._account = FoundAccount(self.lab, self.guest_id, root, name, owned=self.owned)
        self._effective |= {"cpu_accounting": self._account.method, CONDITION: OF_DAEMON}
        if (inner := self._account.inner) is not None:
            self.read_back(lambda: enforced(str(inner)))

    def watch(self, pid: int, name: str) -> ProcessStat:
        """It lives as long as this process. Raises EnvironmentFailed where that has ended."""
        root = stat_of(pid)
        if root is None:
            raise EnvironmentFailed(f"{name} ended while it was started")
        self._root = root
        return root

    def enter(self, argv: Sequence[str | Path], purpose: str, pass_fds: Sequence[int] = ()) -> None:
        """Reach the agent by a program of this host, whose pipes are the channel, and which is no part of the guest."""
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

    def entering(self) -> bool:
        """Whether the program runs that reaches the agent, where there is one."""
        return self.process is None or super().alive()

    def alive(self) -> bool:
        """Whether its first process runs."""
        self._listen()
        if self._stopped or self._root is None or not self.entering():
            return False
        now = stat_of(self._root.pid)
        return now is not None and now.start == self._root.start and now.runs
