"""Removes what the journals of dead laboratories list, and never anything of a laboratory that lives."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from virtometer.environments.registry import KINDS
from virtometer.environments.tuning.host import COMMAND, SYSCTL, SYSFS, left_words
from virtometer.errors import VirtometerError
from virtometer.host.cpu.accounting import CGROUP
from virtometer.host.network.lan import DRAFT, NAMESPACE
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal, JournalFile, Owner, Resource, boot_id
from virtometer.host.owned.processes import MARKED, PROCESS_GROUP, marker_of
from virtometer.processes import stat_of
from virtometer.programs import Programs

_OF_ALL_KINDS = (PROCESS_GROUP, MARKED, CGROUP, DRAFT, NAMESPACE, DIRECTORY, SYSCTL, SYSFS, COMMAND)


def resources() -> dict[str, Resource]:
    """Everything that a guest may leave, by its name in the journal, in the order in which it is removed.

    Resources of one kind go first: a runtime ends what runs. Then processes go, then what they held. Of one name the
    last made goes first, as `undo` does it: a setting that was set twice gets its first value back.
    """
    of_kinds = [resource for kind in KINDS.values() for resource in kind.resources]
    return {resource.name: resource for resource in (*of_kinds, *_OF_ALL_KINDS)}


def remove_leftovers(journal: Journal, programs: Programs) -> list[str]:
    """Remove every guest whose laboratory is dead; one sentence for each. A fault of one does not stop the others."""
    if not os.path.lexists(journal.directory):
        return []
    journal.refuse_foreign_directory()
    sentences = []
    with _alone(journal.directory):
        for path in sorted(journal.directory.glob("*.json"), reverse=True):
            entry = journal.read(path)
            if entry is None:
                sentences += _move_away(path)
            elif entry.owner.alive():
                continue
            elif {resource["resource"] for resource in entry.resources} <= resources().keys():
                sentences.append(remove_guest(path, entry, programs))
            else:
                sentences += _move_away(path)
        for draft in journal.directory.glob("*.draft"):
            pid = draft.name.split(".")[-2]
            if not (pid.isdigit() and stat_of(int(pid))):
                draft.unlink(missing_ok=True)
    return sentences


def tunings_left(journal: Journal) -> dict[str, str]:
    """Tunings of the host, by their names in the journal, that could not be undone: in words, what was there before.

    Also those of this process, where none is in force.
    """
    left = {}
    for path in sorted(journal.directory.glob("*.json")):
        entry = journal.read(path)
        if entry is None or (entry.owner.alive() and entry.owner != Owner.this()):
            continue
        if words := left_words(entry):
            left[entry.guest_id] = words
    return left


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Two laboratories that start at once must not remove the same thing twice."""
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _move_away(path: Path) -> list[str]:
    if not path.exists():  # its owner forgot it just now
        return []
    aside = path.with_suffix(".unreadable")
    try:
        path.replace(aside)
    except OSError as cause:
        return [f"The journal {path} cannot be read, nor moved aside: {cause.strerror}."]
    return [f"The journal {path} cannot be read and was moved to {aside}; what it recorded may still exist."]


def remove_guest(path: Path, entry: JournalFile, programs: Programs) -> str:
    """Remove one guest, whoever owns it; returns a sentence with what was removed, or what could not be."""
    removed, faults = [], []
    known = resources()
    order = list(known)
    same_boot = entry.owner.boot == boot_id()
    marked: list[dict[str, Any]] = [{"resource": MARKED.name, "marker": marker_of(entry.guest_id, entry.owner)}]
    for fields in sorted([*marked, *reversed(entry.resources)], key=lambda one: order.index(one["resource"])):
        resource = known[fields["resource"]]
        if resource.ends_at_boot and not same_boot:
            continue
        try:
            if done := resource.remove(fields, programs):
                removed.append(done)
        except (VirtometerError, OSError, KeyError, TypeError, ValueError) as cause:
            faults.append(str(cause))
    who = f"The guest {entry.guest_id} of a laboratory that no longer runs (pid {entry.owner.pid})"
    if faults:
        return f"{who} could not be removed completely and stays in the journal: {'; '.join(dict.fromkeys(faults))}."
    path.unlink(missing_ok=True)
    return f"{who} was removed: {', '.join(removed) if removed else 'nothing of it was left'}."
