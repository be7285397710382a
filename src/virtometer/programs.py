"""Every program that the laboratory runs goes through here, so that the report can list every command line."""

from __future__ import annotations

import ctypes
import datetime
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.model import CommandLine

Descriptor = int | IO[Any] | None


def now() -> str:
    """Current time, UTC, ISO 8601 with milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


class _DieWithParent:
    """Between fork and exec: have the kernel end the program when the laboratory ends."""

    def __init__(self) -> None:
        self._parent = os.getpid()

    def __call__(self) -> None:
        die_with_parent(self._parent)


def die_with_parent(parent: int) -> None:
    """Have the calling process killed when `parent`, which has just forked it, ends. See prctl(2)."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the signal was ordered
        os._exit(1)


class Programs:
    """Runs programs and remembers their command lines until `drain` hands them to the ledger."""

    def __init__(self) -> None:
        """Start with an empty record."""
        self._record: list[CommandLine] = []

    def find(self, name: str, package: str) -> Path:
        """Return the path of a program, or raise MissingProgram naming the Debian package that has it."""
        found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
        if found is None:
            raise MissingProgram(f"the program {name} is not installed", advice=f"install the Debian package {package}")
        return Path(found)

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        purpose: str,
        limit_s: float = 30.0,
        check: bool = True,
        input_bytes: bytes | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run to the end. Raises EnvironmentFailed with the program's last words when it fails or takes too long."""
        words = tuple(str(word) for word in argv)
        try:
            result = subprocess.run(
                words,
                process_group=0,  # a Ctrl-C at the terminal is for the laboratory, which ends what it runs in order
                preexec_fn=_DieWithParent(),
                input=input_bytes,
                capture_output=True,
                timeout=limit_s,
                check=False,
                cwd=cwd,
                stdin=subprocess.DEVNULL if input_bytes is None else None,
            )
        except FileNotFoundError as cause:
            raise MissingProgram(f"the program {words[0]} is not installed") from cause
        except subprocess.TimeoutExpired as cause:
            self._record.append(CommandLine(now(), purpose, words, None))
            raise EnvironmentFailed(f"{words[0]} ({purpose}) did not end within {limit_s:g} s") from cause
        self._record.append(CommandLine(now(), purpose, words, result.returncode))
        if check and result.returncode != 0:
            said = (result.stderr or result.stdout).decode(errors="replace").strip().splitlines()
            last = ", ".join(said[-2:]) or "without a word"
            raise EnvironmentFailed(f"{words[0]} ({purpose}) failed with status {result.returncode}: {last}")
        return result

    def spawn(
        self,
        argv: Sequence[str | Path],
        *,
        purpose: str,
        stdin: Descriptor = subprocess.DEVNULL,
        stdout: Descriptor = subprocess.DEVNULL,
        stderr: Descriptor = subprocess.DEVNULL,
        pass_fds: Sequence[int] = (),
        preexec: Callable[[], None] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program in a session of its own (its process group id is its pid) and return at once."""
        words = tuple(str(word) for word in argv)
        try:
            process = subprocess.Popen(
                words,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=pass_fds,
                start_new_session=True,
                preexec_fn=preexec,
                cwd=cwd,
            )
        except FileNotFoundError as cause:
            raise MissingProgram(f"the program {words[0]} is not installed") from cause
        self._record.append(CommandLine(now(), purpose, words, None))
        return process

    def drain(self) -> list[CommandLine]:
        """Return the command lines since the last call and forget them."""
        record, self._record = self._record, []
        return record
