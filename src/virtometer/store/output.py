"""Writes files for people: whole or not at all, and never through a link that somebody else may have made.

A regular file is replaced by a rename: a new file with a random name is written beside it (O_EXCL, O_NOFOLLOW), and is
removed when writing fails. What is no regular file (a device, a pipe, a link that the user named) is written through.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from virtometer.errors import LedgerError, StorageError
from virtometer.store.names import refuse_campaign_file


def write_own(path: Path, text: str) -> None:
    """Write a file with a name of ours in a results directory.

    Raises StorageError where something stands there that is no regular file: whoever owns the directory may have put a
    link there, and the laboratory may have more rights than its owner. Raises OSError as the system does.
    """
    found = _lstat(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise StorageError(f"{path} is {_what(found)}, not a regular file; it was left as it is")
    _replace(path, text, found)


def write_named(path: Path, content: str | bytes) -> None:
    """Write the file that the user named.

    Raises StorageError for a directory, for a file of a campaign, and for what the system refuses; LedgerError where
    the directory that is to hold the file is missing.
    """
    with _explained(path):
        refuse_campaign_file(path)
        found = _lstat(path)
        if found is None or stat.S_ISREG(found.st_mode):
            _replace(path, content, found)
            return
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOCTTY | os.O_CLOEXEC, 0o666)
        with os.fdopen(fd, "wb") as file:
            file.write(_encoded(content))


def _replace(path: Path, content: str | bytes, found: os.stat_result | None) -> None:
    fresh = path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(fd, "wb") as file:
            if found is not None:
                os.fchmod(fd, stat.S_IMODE(found.st_mode))
            file.write(_encoded(content))
            file.flush()
            os.fsync(fd)
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _encoded(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "replace")


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def _what(found: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(found.st_mode), "a special file")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the operating system says into one sentence about `path`."""
    try:
        yield
    except IsADirectoryError as cause:
        raise StorageError(f"{path} is a directory; name a file in it") from cause
    except FileNotFoundError as cause:
        if path.is_symlink():
            raise LedgerError(f"{path} is a link into a directory that does not exist") from cause
        raise LedgerError(f"the directory {path.parent} does not exist") from cause
    except OSError as cause:
        if cause.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise StorageError(f"there is no space left for {path}") from cause
        raise StorageError(f"{path} cannot be written: {cause.strerror}") from cause
