"""The directory of a campaign: its files, its lock, and what SQLite's messages mean in plain words.

    DIR/ledger.sqlite   the record (with -wal and -shm beside it while it is open)
    DIR/plan.yaml       the plan as it was given, for people
    DIR/lock            held with flock(2) by the laboratory that works in DIR; it says how much was recorded

`ledger.sqlite` appears by a rename when the campaign's row and all planned trials are on the disk: before that moment
there is no campaign in DIR, after it there is one that can be resumed.

A ledger whose -wal was lost looks like one that has just begun. So the lock's file has two lines: the process, and how
much the ledger held after the last commit. That line is written after the commit and is not synced: a power failure may
leave an older one, which notices less, and never one that is ahead of the ledger.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shlex
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from virtometer.errors import LedgerError, StorageError, VirtometerError
from virtometer.store.names import LEDGER, LOCK, PLAN, UNFINISHED

# What a creation that was interrupted can leave behind.
_LEFTOVERS = {LOCK, PLAN, UNFINISHED, f"{UNFINISHED}-journal", f"{PLAN}.new"}
_UNFINISHED_PLAN = re.compile(rf"\.{re.escape(PLAN)}\.[0-9a-f]{{16}}")
_LOCK_TEXT = re.compile(r"\d+\n(\d{1,15}) entries, (\d{1,15}) trials\n")
_LOCK_BYTES = 100


@dataclass(frozen=True, slots=True)
class Recorded:
    """How much a ledger holds: the number of its last entry, and its trials."""

    entries: int
    trials: int


def resume_command(directory: Path) -> str:
    """What a user types to go on with the campaign in `directory`."""
    return f"virtometer resume {shlex.quote(str(directory))}"


def refuse_foreign(directory: Path) -> None:
    """Raise LedgerError when a campaign may not begin in `directory`: it is a file, or holds something already."""
    with storage(directory):
        if not directory.exists():
            return
        if not directory.is_dir():
            raise LedgerError(f"{directory} is not a directory", advice="choose another one with --out")
        names = {path.name for path in directory.iterdir() if not _UNFINISHED_PLAN.fullmatch(path.name)}
    if LEDGER in names:
        raise LedgerError(
            f"{directory} already holds a campaign",
            advice=f"go on with it: {resume_command(directory)}; or choose another directory with --out",
        )
    if names - _LEFTOVERS:
        example = min(names - _LEFTOVERS)
        raise LedgerError(
            f"{directory} is not empty and holds no campaign ({example} lies there)",
            advice="choose a new or an empty directory with --out",
        )


class Lock:
    """Keeps a second laboratory out of a directory. Ends with the process, however that ends."""

    def __init__(self, directory: Path) -> None:
        """Take the lock. Raises LedgerError when another laboratory has it."""
        self._fd = _open_lock(directory / LOCK)
        try:
            with storage(directory):
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._write(_read(self._fd).partition("\n")[2])  # what was recorded stays known
        except BaseException as cause:
            owner, _, _ = _read(self._fd).partition("\n")
            os.close(self._fd)
            self._fd = -1
            if isinstance(cause.__cause__, BlockingIOError):
                who = f" (process {owner})" if owner.isdecimal() else ""
                raise LedgerError(
                    f"another laboratory{who} works in {directory}", advice="wait for its end, or stop it"
                ) from cause
            raise

    def forget(self) -> None:
        """A new ledger begins: what the file says is of a former one, which was removed."""
        self._write("")

    def note(self, recorded: Recorded) -> None:
        """Write down what the ledger holds, after its commit. A disk that refuses it costs no trial."""
        with contextlib.suppress(OSError):
            self._write(f"{recorded.entries} entries, {recorded.trials} trials\n")

    def _write(self, recorded: str) -> None:
        """Write over the text and cut it there: killed in between, this leaves one that says nothing."""
        text = f"{os.getpid()}\n{recorded}".encode()
        os.pwrite(self._fd, text, 0)
        os.ftruncate(self._fd, len(text))

    def release(self) -> None:
        """Let others in. Idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def recorded(directory: Path) -> Recorded | None:
    """What the ledger held after the last commit that was written down; None where nobody wrote it down.

    To be read before the ledger is, because a laboratory may record meanwhile.
    """
    try:
        fd = os.open(directory / LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = _LOCK_TEXT.fullmatch(_read(fd))
    except OSError:
        return None
    finally:
        os.close(fd)
    return Recorded(int(found[1]), int(found[2])) if found else None


def _read(fd: int) -> str:
    return os.pread(fd, _LOCK_BYTES, 0).decode(errors="replace")


def _open_lock(path: Path) -> int:
    """Open the lock's file, made where it is missing. A link to somebody else's file is refused."""
    try:
        with storage(path.parent):
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except StorageError as cause:
        if not path.is_symlink():
            raise
        raise _foreign_lock(path) from cause
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(fd)
        raise _foreign_lock(path)
    return fd


def _foreign_lock(path: Path) -> LedgerError:
    return LedgerError(f"{path} is a link or a special file, not a lock; it was left as it is", advice=f"remove {path}")


@contextlib.contextmanager
def storage(directory: Path) -> Iterator[None]:
    """Turn what the operating system or SQLite says about `directory` into one sentence."""
    try:
        yield
    except DBAPIError as cause:
        if isinstance(cause.orig, sqlite3.Error):
            raise explain(cause.orig, directory) from cause
        raise
    except sqlite3.Error as cause:
        raise explain(cause, directory) from cause
    except UnicodeDecodeError as cause:  # SQLite quotes damaged text in its messages
        raise _damaged(directory / LEDGER, "its list of tables is not text") from cause
    except PermissionError as cause:
        raise LedgerError(f"no permission to use {directory}", advice="check its owner and mode") from cause
    except OSError as cause:
        if cause.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise full(directory) from cause
        if cause.errno == errno.EROFS:
            raise StorageError(f"{directory} is on a read-only file system") from cause
        if cause.errno in {errno.ENOENT, errno.ENOTDIR}:
            raise LedgerError(f"{directory} cannot be used: {cause.strerror}") from cause
        raise StorageError(f"{directory}: {cause.strerror}") from cause


def full(directory: Path) -> StorageError:
    """The disk is full: what was committed before is safe."""
    if not (directory / LEDGER).exists():
        return StorageError(
            f"there is no space left for {directory}; nothing has begun",
            advice="make space, or choose another directory with --out",
        )
    return StorageError(
        f"there is no space left for {directory}; every trial recorded before is kept",
        advice=f"make space, then go on with: {resume_command(directory)}",
    )


def _no_space(directory: Path) -> bool:
    """SQLite reports a full disk as an input or output error where it makes its shared memory."""
    try:
        state = os.statvfs(directory)
    except OSError:
        return False
    return state.f_bavail * state.f_frsize < 1 << 18


def explain(cause: sqlite3.Error, directory: Path) -> VirtometerError:
    """SQLite's result code in words (https://www.sqlite.org/rescode.html); the low byte is the primary code."""
    ledger = directory / LEDGER
    words = " ".join(str(cause).split())[:200]
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_space(directory)):
        return full(directory)
    if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return _damaged(ledger, words)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return LedgerError(f"another program holds {ledger}", advice="close that program and try again")
    if code == sqlite3.SQLITE_READONLY:
        return StorageError(f"{ledger} cannot be written: it, or its file system, is read-only")
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}:
        return LedgerError(f"{ledger} cannot be opened", advice="check that it exists, and its owner and mode")
    if code == sqlite3.SQLITE_IOERR:
        return StorageError(
            f"input or output error at {ledger}; every trial recorded before is kept",
            advice=f"check the disk and its space, then go on with: {resume_command(directory)}",
        )
    return LedgerError(f"{ledger} does not look as a ledger should ({words})")


def _damaged(ledger: Path, words: str) -> LedgerError:
    return LedgerError(
        f"{ledger} is damaged or not a ledger at all ({words})",
        advice="take a copy of the whole directory, if there is one",
    )


def sync_directory(directory: Path) -> None:
    """Make a rename in `directory` last."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
