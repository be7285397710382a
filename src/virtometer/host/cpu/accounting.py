"""What a guest costs its host: the CPU time of all processes that are the guest, ended ones included.

Where this user may make a cgroup the kernel counts exactly (v1: cpuacct.usage, ns; v2: usage_usec of cpu.stat, us);
elsewhere /proc is read, where a process that ended between two readings without a parent to inherit its time is lost.
Sources: Documentation/admin-guide/cgroup-v1/cpuacct.rst, cgroup-v2.rst, proc(5).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.journal import Journal, Owner, Resource
from virtometer.host.owned.processes import marker_of
from virtometer.processes import (
    KILL_LIMIT_S,
    MARKER,
    TICK_NS,
    ProcessStat,
    kill_all,
    marked_processes,
    process_stats,
    stat_of,
)
from virtometer.programs import Programs

LABORATORY = "lab-{}"
"""What stands for a guest's name in the group of a laboratory, with its pid."""

_PREFIX = "virtometer-"
_PR_SET_CHILD_SUBREAPER = 36


class Account(ABC):
    """The CPU time of one guest's processes. The launcher enters it before exec; what it starts is in it too."""

    method: str  # cgroup-v1, cgroup-v2 or process-tree: recorded with the guest

    @abstractmethod
    def enter(self) -> None:
        """Put the calling process in. Runs between fork and exec: no locks, no allocation to speak of."""

    @property
    def variables(self) -> Mapping[str, str]:
        """Environment variables that the launcher needs for the account."""
        return {}

    def opened_for(self, pid: int) -> None:
        """The launcher was started with this pid."""
        return

    @abstractmethod
    def cpu_ns(self) -> int:
        """CPU time used so far, user and system, ended processes included, in ns. Never decreases."""

    @abstractmethod
    def modes_ns(self) -> tuple[int, int] | None:
        """What of it the processors spent in user and in kernel mode, in ns; None where that is unknown."""

    @abstractmethod
    def processes(self) -> list[int]:
        """Pids that run in it now (zombies do not run)."""

    @abstractmethod
    def remove(self) -> None:
        """Kill what is left inside and remove what the account made. Idempotent."""


def open_account(guest_id: str, journal: Journal) -> Account:
    """Open the most exact account that this user can have on this host; journals what it makes."""
    for mount in cgroup_mounts():
        for base in mount.places():
            directory = base / f"{_PREFIX}{guest_id}"
            if not _may_move_into(base, mount):
                continue
            journal.record(guest_id, CGROUP, path=str(directory))
            try:
                directory.mkdir()
                (directory / "launcher").mkdir()
            except OSError:
                with contextlib.suppress(OSError):
                    directory.rmdir()
                continue
            return CgroupAccount(guest_id, journal, mount, directory)
    return TreeAccount(guest_id)


# --- cgroups --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CgroupMount:
    """A mounted hierarchy: v1 with its controllers, or v2 (`controllers` empty)."""

    version: int
    path: Path
    root: str
    controllers: tuple[str, ...]

    def places(self) -> list[Path]:
        """Where a guest's cgroup may be made: the top of the mount, else below the cgroup where this process began.

        A laboratory may be in a group of its own by now. Its guests' groups lie beside this one, not in it.
        """
        own = self.cgroup_of("self")
        if own is None:
            return [self.path]
        of_laboratory = _PREFIX + LABORATORY.format("")
        own = next((one.parent for one in own.parents if one.name.startswith(of_laboratory)), own)
        return [self.path] if own == self.path else [self.path, own]

    def cgroup_of(self, pid: int | str) -> Path | None:
        """The cgroup of a process in this hierarchy; None where it cannot be reached here. OSError without it."""
        for line in Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            _, controllers, path = line.split(":", 2)
            if tuple(filter(None, controllers.split(","))) != self.controllers:
                continue
            inner = os.path.relpath(path, self.root)
            own = self.path / inner
            return None if inner.startswith("..") or not own.is_dir() else own
        return None


def all_cgroup_mounts() -> list[CgroupMount]:
    """Every cgroup hierarchy mounted here, in the order of the mount table."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        left, _, right = line.partition(" - ")
        fields, (fstype, _, options) = left.split(), right.split(" ", 2)
        if fstype == "cgroup":
            named = [word for word in options.split(",") if word not in {"rw", "ro", "xattr", "clone_children"}]
            controllers = tuple(w for w in named if not w.startswith("release_agent="))
            found.append(CgroupMount(1, Path(fields[4]), fields[3], controllers))
        elif fstype == "cgroup2":
            found.append(CgroupMount(2, Path(fields[4]), fields[3], ()))
    return found


def cgroup_mounts() -> list[CgroupMount]:
    """The hierarchies that count CPU time, the most exact first."""
    found = [one for one in all_cgroup_mounts() if one.version == 2 or "cpuacct" in one.controllers]
    return sorted(found, key=lambda one: one.version)


def bare_unified() -> list[Path]:
    """Where cgroup2 is mounted beside controllers of v1: without any controller, and programs take it for v2."""
    mounts = all_cgroup_mounts()
    by_v1 = any(not name.startswith("name=") for one in mounts for name in one.controllers)
    return [one.path for one in mounts if one.version == 2] if by_v1 else []


def _may_move_into(base: Path, mount: CgroupMount) -> bool:
    """In v2 a process may only be moved by who may write the common ancestor's cgroup.procs."""
    if not os.access(base, os.W_OK | os.X_OK):
        return False
    return mount.version == 1 or os.geteuid() == 0 or os.access(base / "cgroup.procs", os.W_OK)


class CgroupAccount(Account):
    """A cgroup virtometer-GUEST with the launcher in launcher/; a container runtime may make its own beside that."""

    def __init__(self, guest_id: str, journal: Journal, mount: CgroupMount, directory: Path) -> None:
        """`directory` and its launcher/ exist."""
        self.guest_id = guest_id
        self.directory = directory
        self.method = f"cgroup-v{mount.version}"
        self._mount = mount
        self._journal = journal
        self._entered = [str(directory / "launcher" / "cgroup.procs").encode()]
        self._others: list[Path] = []
        self._files: dict[str, int] = {}
        self._last = 0

    def enter(self) -> None:
        """Move the calling process into launcher/, and into what was joined beside it."""
        for procs in self._entered:
            fd = os.open(procs, os.O_WRONLY)
            try:
                os.write(fd, b"0")
            finally:
                os.close(fd)

    @property
    def inner(self) -> Path:
        """The account's directory, relative to the mount of every hierarchy."""
        return self.directory.relative_to(self._mount.path)

    def container_path(self) -> str:
        """A `cgroupsPath` for an OCI runtime that lies inside this account, in every hierarchy; journals them all."""
        for mount in all_cgroup_mounts():
            self._journaled_in(mount)
        return f"/{self.inner}/guest"

    def join(self, controller: str) -> tuple[Path, int]:
        """Have the launcher in a cgroup of a controller too; returns its directory and generation.

        Raises EnvironmentFailed where no hierarchy of this host offers the controller to this user.
        """
        for mount in all_cgroup_mounts():
            if controller in mount.controllers:
                return self._joined(mount), 1
        if self._mount.version == 2:
            with contextlib.suppress(OSError):
                (self.directory.parent / "cgroup.subtree_control").write_text(f"+{controller}")
                return self.directory, 2
        raise EnvironmentFailed(
            f"the cgroups of this host offer no controller {controller} here",
            advice=f"switch the controller on for {self.directory.parent}, or run as root",
        )

    def join_all(self) -> None:
        """Have the launcher in a cgroup of every hierarchy, where what it makes below its own is found and removed."""
        for mount in all_cgroup_mounts():
            self._joined(mount)

    def _joined(self, mount: CgroupMount) -> Path:
        directory = self._journaled_in(mount)
        procs = str(directory / "cgroup.procs").encode()
        if directory != self.directory and procs not in self._entered:
            try:
                directory.mkdir(parents=True, exist_ok=True)
            except OSError as cause:
                raise EnvironmentFailed(f"the cgroup {directory} cannot be made: {cause.strerror}") from cause
            self._entered.append(procs)
        return directory

    def _journaled_in(self, mount: CgroupMount) -> Path:
        """The account's directory in a hierarchy. A cpuset is made, because an empty one takes no process."""
        other = mount.path / self.inner
        if other != self.directory and other not in self._others:
            self._journal.record(self.guest_id, CGROUP, path=str(other))
            self._others.append(other)
            if "cpuset" in mount.controllers:
                _make_cpuset(other)
        return other

    def cpu_ns(self) -> int:
        """Read the kernel's counter."""
        with contextlib.suppress(OSError):
            if self.method == "cgroup-v1":
                self._last = int(self._read("cpuacct.usage"))
            else:
                stat = self._read("cpu.stat").split()
                self._last = int(stat[stat.index(b"usage_usec") + 1]) * 1000
        return self._last

    def _read(self, name: str) -> bytes:
        """A file of the cgroup. It stays open, because it is read in every slice."""
        if name not in self._files:
            self._files[name] = os.open(self.directory / name, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(self._files[name], 4096, 0)

    def modes_ns(self) -> tuple[int, int] | None:
        """Of v1 in clock ticks, made to add up to the exact time by the kernel; of v2 in us."""
        try:
            if self.method == "cgroup-v1":
                _, user, _, system = self._read("cpuacct.stat").split()
                return int(user) * TICK_NS, int(system) * TICK_NS
            stat = self._read("cpu.stat").split()
            user, system = (stat[stat.index(mode) + 1] for mode in (b"user_usec", b"system_usec"))
            return int(user) * 1000, int(system) * 1000
        except (OSError, ValueError):
            return None

    def processes(self) -> list[int]:
        """Pids in the cgroup and below."""
        return cgroup_processes(self.directory)

    def close(self) -> None:
        """Read the counter for the last time. Idempotent."""
        self.cpu_ns()
        while self._files:
            os.close(self._files.popitem()[1])

    def remove(self) -> None:
        """Kill, read the counter for the last time, remove."""
        kill_all(self.processes)
        self.close()
        for directory in (*self._others, self.directory):
            remove_cgroup(directory)


def _make_cpuset(directory: Path) -> None:
    """Make a cgroup of v1's cpuset with all that its parent has: it begins empty, and runtimes may fill only theirs."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("cpuset.cpus", "cpuset.mems"):
        (directory / name).write_text((directory.parent / name).read_text())


def cgroup_processes(directory: Path) -> list[int]:
    """Pids in a cgroup and those below it; empty when it does not exist."""
    pids: list[int] = []
    for below, _, _ in os.walk(directory):
        with contextlib.suppress(OSError):
            pids += [int(pid) for pid in Path(below, "cgroup.procs").read_text().split()]
    return [pid for pid in pids if pid > 0]


def remove_cgroup(directory: Path) -> None:
    """Kill everything in a cgroup and remove it with those below it. Raises EnvironmentFailed when it stays."""
    if not directory.is_dir():
        return
    deadline = time.monotonic() + KILL_LIMIT_S
    while True:
        kill_all(lambda: cgroup_processes(directory))  # each time: a runtime that ends may still put one into it
        fault: OSError | None = None
        for below, _, _ in os.walk(directory, topdown=False):
            try:
                Path(below).rmdir()
            except FileNotFoundError:
                continue
            except OSError as cause:  # the kernel releases a cgroup a little after its last process
                fault = cause
        if fault is None:
            return
        if time.monotonic() > deadline:
            raise EnvironmentFailed(f"the cgroup {directory} cannot be removed: {fault.strerror}") from fault
        time.sleep(0.005)


def _remove_left(fields: Mapping[str, Any], programs: Programs) -> str:
    directory = Path(fields["path"])
    if not directory.is_dir() or not directory.name.startswith(_PREFIX):
        return ""
    remove_cgroup(directory)
    return f"cgroup {directory}"


CGROUP = Resource("cgroup", _remove_left)
"""Field: path (a directory; what runs in it or below it is killed)."""


# --- the process tree -----------------------------------------------------------------------------------------


class TreeAccount(Account):
    """The launcher, its descendants and its session, as /proc shows them. Good to a clock tick per ended process."""

    method = "process-tree"

    def __init__(self, guest_id: str) -> None:
        """Nothing is made."""
        self.marker = marker_of(guest_id, Owner.this())
        self._root: ProcessStat | None = None
        self._known: dict[int, int] = {}  # start times of the processes that were ever seen in the tree
        self._libc = ctypes.CDLL(None)
        self._last = 0
        self._lost = 0
        self._modes_ns: tuple[int, int] | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        """The mark, by which strays are found."""
        return {MARKER: self.marker}

    def enter(self) -> None:
        """Let orphans become children of the process."""
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def opened_for(self, pid: int) -> None:
        """The tree's root."""
        self._root = stat_of(pid)

    def cpu_ns(self) -> int:
        """Sum over the tree; time that fell out of it because nobody inherited it is kept."""
        tree = self._tree()
        total = sum(max(one.own_ns, _scheduled_ns(one.pid)) + one.children_ns for one in tree) + self._lost
        # What ended without an heir is lost here: nobody knows its modes.
        self._modes_ns = sum(one.user_ns for one in tree), sum(one.system_ns for one in tree)
        if total < self._last:
            self._lost += self._last - total
            total = self._last
        self._last = total
        return total

    def modes_ns(self) -> tuple[int, int] | None:
        """Of the tree when `cpu_ns` was read, in clock ticks."""
        return self._modes_ns

    def processes(self) -> list[int]:
        """Pids of the tree, and of what left it after it was seen there."""
        found = {one.pid: one for one in self._tree()}
        for pid, start in self._known.items():
            if pid not in found and (one := stat_of(pid)) and one.start == start:
                found[pid] = one
        self._known = {one.pid: one.start for one in found.values()}
        return [one.pid for one in found.values() if one.runs]

    def remove(self) -> None:
        """Kill the tree, and what left it, by its mark."""
        self.cpu_ns()
        kill_all(lambda: sorted({*self.processes(), *marked_processes(self.marker)}))

    def _tree(self) -> list[ProcessStat]:
        if self._root is None:
            return []
        root = stat_of(self._root.pid)
        if root is None or root.start != self._root.start:  # reaped: its pid may be anybody's, only the mark identifies
            return [one for pid in marked_processes(self.marker) if (one := stat_of(pid))]
        everything = list(process_stats())
        inside = {root.pid}
        grew = True
        while grew:
            before = len(inside)
            inside |= {one.pid for one in everything if one.parent in inside or one.session == root.pid}
            grew = len(inside) > before
        found = [one for one in everything if one.pid in inside]
        self._known |= {one.pid: one.start for one in found}
        return found


def _scheduled_ns(pid: int) -> int:
    """CPU time of a process's living threads, exact, in ns; 0 where the kernel does not report it."""
    total = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return total
