"""What exists on the host because of us, written down before it is made, for the clean-up after a SIGKILL.

One JSON file for each owner of resources in a state directory: a guest, a tuning, a draft of an image, what guests
share, the laboratory itself. It names the laboratory that made them (pid, start time, boot), and the resources in the
order in which they were made; environments/leftovers.py removes them. What makes a resource declares it as a `Resource`
beside the code that makes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.programs import Programs

_TMP = Path("/tmp")
_WRITE, _ALL = 0o022, 0o077  # permissions of others
_GUEST_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")


@dataclass(frozen=True, slots=True)
class Owner:
    """A laboratory process, so named that a recycled pid is not taken for it."""

    pid: int
    start: int
    boot: str
    pid_namespace: str

    @classmethod
    def this(cls) -> Owner:
        """Name the process that runs this."""
        pid = os.getpid()
        start = start_of(pid)
        return cls(pid, start if start is not None else 0, boot_id(), _pid_namespace())

    def alive(self) -> bool:
        """Whether it may still run. An owner in another pid namespace cannot be judged and counts as alive."""
        if self.boot != boot_id():
            return False
        if self.pid_namespace != _pid_namespace():
            return True
        return start_of(self.pid) == self.start


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that may be left on the host: its name in the journal, and how it is removed.

    remove: takes the recorded fields, returns in words what it removed, or nothing where that was gone already.
    ends_at_boot: nothing of it outlives the boot of the host in which it was made.
    """

    name: str
    remove: Callable[[Mapping[str, Any], Programs], str]
    ends_at_boot: bool = False


@dataclass(frozen=True, slots=True)
class JournalFile:
    """The file of one owner."""

    guest_id: str
    owner: Owner
    resources: tuple[dict[str, Any], ...]


def _pid_namespace() -> str:
    return str(Path("/proc/self/ns/pid").readlink())


def boot_id() -> str:
    """Identity of this boot of the host."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def start_of(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot, or None when it does not run (a zombie does not)."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="surrogateescape").rpartition(")")[2].split()
        )
    except (OSError, ValueError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def state_directory() -> Path:
    """This user's state directory, which exists when it is returned and which only this user can open.

    /run/virtometer of root; `virtometer` in $XDG_RUNTIME_DIR, where this names a directory that only this user can
    write; else one in /tmp. Raises StorageError.
    """
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if os.geteuid() == 0:
        directory = Path("/run/virtometer")
    elif runtime.is_absolute() and _is_own(runtime, closed=_WRITE):
        directory = runtime / "virtometer"
    else:
        directory = _in_tmp()
    _make(directory)
    _refuse_foreign(directory)
    if not _is_own(directory, closed=_ALL):
        try:
            directory.chmod(0o700)
        except OSError as cause:
            raise _unmade(directory, cause) from cause
    return directory


def _in_tmp() -> Path:
    """The first of /tmp/virtometer-UID and /tmp/virtometer-UID-* that is this user's alone; a new one without any.

    Anybody can take such a name first: then the new one has a random end.
    """
    first = _TMP / f"virtometer-{os.geteuid()}"
    for path in (first, *sorted(_TMP.glob(f"{first.name}-*"))):
        if _is_own(path, closed=_ALL):
            return path
    try:
        first.mkdir(mode=0o700)
    except FileExistsError:
        if not _is_own(first, closed=_ALL):  # else another laboratory of this user has just made it
            return _random(first)
    except OSError as cause:
        raise _unmade(first, cause) from cause
    return first


def _random(first: Path) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=f"{first.name}-", dir=first.parent))
    except OSError as cause:
        raise _unmade(first, cause) from cause


def _make(directory: Path) -> None:
    """Make a state directory where it is missing. Raises StorageError."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as cause:
        raise _unmade(directory, cause) from cause


def _refuse_foreign(directory: Path) -> None:
    """Raise StorageError unless only this user can write a state directory: the clean-up trusts its content."""
    if not os.path.lexists(directory):
        raise StorageError(f"the state directory {directory} is gone", advice="begin again")
    if not _is_own(directory, closed=_WRITE):
        raise StorageError(
            f"the state directory {directory} is not a directory that only this user can write",
            advice=f"remove {directory}",
        )


def _is_own(directory: Path, *, closed: int) -> bool:
    """Whether it is a directory (no link) of this user's, and nobody else has any of the permissions `closed`."""
    try:
        found = os.lstat(directory)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & closed


def _unmade(directory: Path, cause: OSError) -> StorageError:
    return StorageError(f"the state directory {directory} cannot be made: {cause.strerror}")


class Journal:
    """One file for each owner in a state directory; a file whose laboratory no longer runs is removed."""

    def __init__(self, directory: Path) -> None:
        """`directory` is this user's (see `state_directory`); it is made when the first thing is recorded."""
        self.directory = directory

    def record(self, guest_id: str, resource: Resource, **fields: str | int) -> None:
        """Note a resource that is about to be made.

        Raises EnvironmentFailed when the guest's name belongs to another laboratory, StorageError when it cannot be
        written.
        """
        if not _GUEST_ID.fullmatch(guest_id):
            raise ValueError(f"{resource.name} of {guest_id!r} cannot be recorded")
        _make(self.directory)
        self.refuse_foreign_directory()
        me = Owner.this()
        path = self._path(guest_id)
        entry = self.read(path) if path.exists() else JournalFile(guest_id, me, ())
        if entry is None or entry.owner != me:
            raise EnvironmentFailed(
                f"the guest {guest_id} is already in the journal {path}, of another laboratory",
                advice="the next start of the laboratory removes what dead ones left behind",
            )
        self._write(JournalFile(guest_id, me, (*entry.resources, {"resource": resource.name, **fields})))

    def forget(self, guest_id: str) -> None:
        """The guest's resources are all gone. Idempotent."""
        self._path(guest_id).unlink(missing_ok=True)

    def resources(self, guest_id: str) -> tuple[dict[str, Any], ...]:
        """What is recorded for a guest, in the order in which it was made."""
        entry = self.read(self._path(guest_id))
        return entry.resources if entry else ()

    def read(self, path: Path) -> JournalFile | None:
        """Read a guest's file. None when it is not there or cannot be understood."""
        try:
            content = json.loads(path.read_bytes())
            if content.pop("virtometer") != 1:
                return None
            resources = tuple(dict(one) for one in content["resources"])
            owner = Owner(**content["owner"])
            named = all(isinstance(one["resource"], str) for one in resources)
            typed = isinstance(owner.pid, int) and isinstance(owner.start, int) and isinstance(owner.boot, str)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return JournalFile(str(content.get("guest", path.stem)), owner, resources) if named and typed else None

    def _path(self, guest_id: str) -> Path:
        return self.directory / f"{guest_id}.json"

    def _write(self, entry: JournalFile) -> None:
        path = self._path(entry.guest_id)
        text = json.dumps(
            {"virtometer": 1, "guest": entry.guest_id, "owner": asdict(entry.owner), "resources": entry.resources}
        )
        draft = self.directory / f"{entry.guest_id}.{entry.owner.pid}.draft"
        try:
            draft.write_text(text)
            draft.replace(path)
        except OSError as cause:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise StorageError(f"the journal {path} cannot be written: {cause.strerror}") from cause

    def refuse_foreign_directory(self) -> None:
        """Raise StorageError unless only this user can write the state directory."""
        _refuse_foreign(self.directory)
