"""Removes what dead laboratories left on the host, as their journals tell, and never touches a living one's things."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from virtometer.environments.accounting import (
    kill_all,
    marked_processes,
    marker_of,
    process_stats,
    remove_cgroup,
    stat_of,
)
from virtometer.environments.journal import Entry, Journal, boot_id
from virtometer.environments.network import NAMESPACES, delete_namespace, detach_mount
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.programs import Programs


def sweep(journal: Journal, programs: Programs) -> list[str]:
    """Sweep every guest whose laboratory is dead; one sentence for each. A fault of one does not stop the others."""
    if not os.path.lexists(journal.directory):
        return []
    journal.refuse_foreign_directory()
    said = []
    with _alone(journal.directory):
        for path in sorted(journal.directory.glob("*.json")):
            entry = journal.read(path)
            if entry is None:
                said += _set_aside(path)
            elif not entry.owner.alive():
                said.append(sweep_guest(journal, path, entry, programs))
        for draft in journal.directory.glob("*.draft"):
            pid = draft.name.split(".")[-2]
            if not (pid.isdigit() and stat_of(int(pid))):
                draft.unlink(missing_ok=True)
    return said


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Two laboratories that start at once must not undo the same thing twice."""
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _set_aside(path: Path) -> list[str]:
    if not path.exists():  # its owner forgot it just now
        return []
    aside = path.with_suffix(".unreadable")
    try:
        path.replace(aside)
    except OSError as cause:
        return [f"The journal {path} cannot be read, nor moved aside: {cause.strerror}."]
    return [f"The journal {path} cannot be read and was moved to {aside}; what it recorded may still exist."]


def sweep_guest(journal: Journal, path: Path, entry: Entry, programs: Programs) -> str:
    """Remove one guest, whoever owns it; says what was removed and what could not be."""
    removed, faults = [], []
    same_boot = entry.owner.boot == boot_id()
    marked: list[dict[str, Any]] = [{"resource": "marked", "marker": marker_of(entry.guest_id, entry.owner)}]
    for resource in sorted([*marked, *entry.resources], key=lambda one: _ORDER.index(one["resource"])):
        try:
            if done := _remove(resource, programs, same_boot):
                removed.append(done)
        except (VirtometerError, OSError, KeyError, TypeError, ValueError) as cause:
            faults.append(str(cause))
    who = f"The guest {entry.guest_id} of a laboratory that no longer runs (pid {entry.owner.pid})"
    if faults:
        return f"{who} could not be removed completely and stays in the journal: {'; '.join(faults)}."
    path.unlink(missing_ok=True)
    return f"{who} was removed: {', '.join(removed) if removed else 'nothing of it was left'}."


# What is running goes first, then what it held.
_ORDER = ("runc", "runsc", "process-group", "marked", "cgroup", "namespace", "directory")


def _remove(resource: dict[str, Any], programs: Programs, same_boot: bool) -> str:
    """Remove one resource; says what was removed, or nothing when it was gone already."""
    match resource["resource"]:
        case "process-group":
            leader = int(resource["leader"])
            return _kill_group(leader, int(resource["start"])) if same_boot else ""
        case "marked":
            return _kill_marked(str(resource["marker"])) if same_boot else ""
        case "cgroup":
            directory = Path(resource["path"])
            if not directory.is_dir() or not directory.name.startswith("virtometer-"):
                return ""
            remove_cgroup(directory)
            return f"cgroup {directory}"
        case "runc" | "runsc":
            return _delete_container(resource, programs)
        case "namespace":
            name = str(resource["name"])
            if "/" in name or not (NAMESPACES / name).exists():
                return ""
            delete_namespace(name, programs)
            return f"network namespace {name}"
        case _:
            return remove_directory(Path(resource["path"]))


def _kill_group(leader: int, start: int) -> str:
    """Kill a process group whose leader is the very process that was recorded; a recycled pid is left alone."""
    one = stat_of(leader)
    if one is None or one.start != start:
        return ""
    members = [p.pid for p in process_stats() if p.session == leader and p.state not in "ZX"]
    if not members:
        return ""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
    kill_all(lambda: [p.pid for p in process_stats() if p.session == leader and p.state not in "ZX"])
    return _count(len(members))


def _kill_marked(marker: str) -> str:
    """Kill the guest's processes that left its process group, by the mark in their environment."""
    strays = marked_processes(marker)
    kill_all(lambda: marked_processes(marker))
    return _count(len(strays))


def _count(processes: int) -> str:
    return f"{processes} process{'es' if processes > 1 else ''}" if processes else ""


def _delete_container(resource: dict[str, Any], programs: Programs) -> str:
    root, container = Path(resource["root"]), str(resource["container"])
    if not (root.is_dir() and any(root.iterdir())):
        return ""
    programs.run(
        [str(resource["program"]), "--root", root, "delete", "--force", container],
        purpose=f"remove the left container {container}",
        limit_s=10,
        check=False,
    )
    return f"container {container}"


def remove_directory(path: Path) -> str:
    """Remove a directory with all that is in it, but never through a mount; returns what was removed."""
    if not path.is_absolute() or len(path.parts) < 3 or not os.path.lexists(path):
        return ""
    for mount in sorted(_mounts_in(path), reverse=True):
        detach_mount(Path(mount))
    if _mounts_in(path):
        raise EnvironmentFailed(f"something is still mounted in {path}")
    shutil.rmtree(path)
    return f"directory {path}"


def _mounts_in(directory: Path) -> list[str]:
    """Mount points at or below a directory (blanks stand as \\040 in the mount table)."""
    table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    points = [re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), line.split()[4]) for line in table]
    return [point for point in points if f"{point}/".startswith(f"{directory}/")]
