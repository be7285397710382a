"""Every guest and the laboratory compete for processors alike: groups side by side, with the same larger weight.

The kernel divides processors between groups first. Guests in groups of different kinds (the group of a session, a
runtime's nested one) would lose different shares of their time to other programs. See docs/methods/disturbance.md.
Sources: Documentation/scheduler/sched-design-CFS.rst, admin-guide/cgroup-v2.rst (cpu.weight), sched(7) (autogroup).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import (
    LABORATORY,
    Account,
    CgroupAccount,
    CgroupMount,
    all_cgroup_mounts,
    open_account,
    remove_cgroup,
)
from virtometer.host.owned.journal import Journal

TIMES = 8
"""Weight of a group, as a multiple of the usual one.

Enough to lose little to busy programs. With many times more, the kernel's own threads (workers, softirq, journal), and
whoever else is on this host, wait for up to a second while guests compute on all processors.
"""

CONDITION = "scheduling_group"
"""The condition of a run that says in which group its guest competes for processors."""

OF_DAEMON = "of the daemon"
_FILES = {1: ("cpu.shares", 1024), 2: ("cpu.weight", 100)}  # by generation: file, usual value
AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


def weigh(account: Account) -> str:
    """Give a guest that is about to be launched a group with the larger weight. Returns the words of the condition.

    Where this user has no such groups, the session of the guest's launcher is its group.
    """
    if isinstance(account, CgroupAccount):
        with contextlib.suppress(EnvironmentFailed):
            return f"own, weight {_raise(*account.join('cpu')):g} times"
    return _of_session()


def _raise(directory: Path, generation: int) -> float:
    """Set the weight of a group. Returns what it is, as a multiple of the usual one, as the kernel reports it."""
    name, usual = _FILES[generation]
    file = directory / name
    with contextlib.suppress(OSError):  # a part of the host that may not: the weight that is read back says so
        file.write_text(str(usual * TIMES))
    try:
        return int(file.read_text()) / usual
    except (OSError, ValueError) as cause:
        raise EnvironmentFailed(f"the weight of the cgroup {directory} cannot be read: {cause}") from cause


def _of_session() -> str:
    """Each launcher begins a session; with autogroup the kernel makes each session a group."""
    try:
        grouped = AUTOGROUP.read_text().strip() == "1"
    except OSError:
        grouped = False
    return "session" if grouped else "none"


def inner_group(account: Account) -> Path | None:
    """Make a group inside that of a guest, with the usual weight, as runtimes of containers do. None without groups."""
    if not isinstance(account, CgroupAccount):
        return None
    try:
        directory, generation = account.join("cpu")
        if generation == 2:
            (directory / "cgroup.subtree_control").write_text("+cpu")
        inner = directory / "guest"
        inner.mkdir(exist_ok=True)
    except (EnvironmentFailed, OSError):
        return None
    return inner


@contextmanager
def laboratory_group(journal: Journal) -> Iterator[str]:
    """Have this process in a group as guests have, while the context is open. Gives the words of the condition.

    What it starts begins in that group; what is left there at the end goes back with it. After SIGKILL the clean-up of
    the journal removes the group.
    """
    name = LABORATORY.format(os.getpid())
    with contextlib.ExitStack() as ending:
        with deferred_signals():
            homes = _homes()
            account = open_account(name, journal)
            words = weigh(account)
            ending.callback(_leave, account, homes, journal)
            if isinstance(account, CgroupAccount):
                with contextlib.suppress(OSError):
                    account.enter()
        yield words


def _homes() -> dict[CgroupMount, Path]:
    """The cgroup of this process in every hierarchy."""
    found = {}
    for mount in all_cgroup_mounts():
        with contextlib.suppress(OSError):
            home = mount.cgroup_of("self")
            if home is not None:
                found[mount] = home
    return found


def _leave(account: Account, homes: dict[CgroupMount, Path], journal: Journal) -> None:
    """Move all processes back to where this one was, and remove the group. Nothing is killed."""
    with deferred_signals():
        left = []
        groups = _in_hierarchies(account, homes)
        for group, home in groups.items():
            for below, _, _ in os.walk(group, topdown=False):
                _move(Path(below), home)
            if any(_pids(Path(below)) for below, _, _ in os.walk(group)):
                left.append(group)
            else:
                with contextlib.suppress(EnvironmentFailed):
                    remove_cgroup(group)
        if not left:  # else the journal keeps it for the clean-up of the next laboratory
            journal.forget(LABORATORY.format(os.getpid()))


def _in_hierarchies(account: Account, homes: dict[CgroupMount, Path]) -> dict[Path, Path]:
    """The groups of an account, each with the cgroup of the same hierarchy from which this process came."""
    if not isinstance(account, CgroupAccount):
        return {}
    return {mount.path / account.inner: home for mount, home in homes.items()}


def _move(group: Path, home: Path) -> None:
    for pid in _pids(group):
        with contextlib.suppress(OSError):  # it has ended
            (home / "cgroup.procs").write_text(pid)


def _pids(group: Path) -> list[str]:
    try:
        return (group / "cgroup.procs").read_text().split()
    except OSError:
        return []
