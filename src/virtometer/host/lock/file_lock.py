"""Files that processes of one user lock with flock(2). The kernel releases what a process held, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Self


class FileLock:
    """A lock that this process has, alone or shared with other processes."""

    def __init__(self, path: Path, descriptor: int) -> None:
        """`descriptor` is that of the file, and locked: see `taken`."""
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def taken(cls, path: Path, *, shared: bool = False) -> Self | None:
        """The lock on a file, which is made where it is missing; None where another process has it.

        shared: beside others that share it. The directory must be one that only this user can use. Raises OSError.
        """
        while True:
            lock = cls(path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            try:
                fcntl.flock(lock._descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                if lock._stands():
                    return lock
            except BlockingIOError:
                lock.drop()
                return None
            except BaseException:
                lock.drop()
                raise
            lock.drop()  # whoever had it has removed the file in between

    def release(self) -> None:
        """Let others have it. The last one that has it removes the file. Idempotent."""
        if self._descriptor < 0:
            return
        # A file is removed by whoever has it alone, so that nobody else has a lock on a file that is gone.
        with contextlib.suppress(OSError):
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._stands():
                self._path.unlink()
        self.drop()

    def drop(self) -> None:
        """Close this process's descriptor alone: a copy that a fork made is no lock of the child's. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _stands(self) -> bool:
        """Whether the path still names the file that is locked."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.lstat(self._path))
        except FileNotFoundError:
            return False
