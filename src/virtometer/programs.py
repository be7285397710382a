"""Every program that the laboratory runs goes through here, so that the report can list every command line."""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.model import CommandLine

Descriptor = int | IO[Any] | None


def now() -> str:
    """Current time, UTC, ISO 8601 with milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


class _Child:
    """What a child does between fork and exec: order its own end with ours, then `more`."""

    def __init__(self, more: Callable[[], None] | None = None) -> None:
        self._parent = os.getpid()
        self._more = more

    def __call__(self) -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != self._parent:  # the laboratory ended before the signal was ordered
            os._exit(1)
        if self._more is not None:
            self._more()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill and reap a process whose `communicate` was cut. Not by `wait`, whose lock that may have left locked."""
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    with contextlib.suppress(ChildProcessError):  # reaped already
        os.waitpid(process.pid, 0)
    process.returncode = -signal.SIGKILL


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
        pass_fds: Sequence[int] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """Run to the end. Raises EnvironmentFailed with the end of its stderr when it fails or takes too long."""
        words = tuple(str(word) for word in argv)
        process: subprocess.Popen[bytes] | None = None
        try:
            with deferred_signals():
                # A process group of its own: a Ctrl-C at the terminal is for the laboratory, which ends what it runs.
                process = self._start(
                    words,
                    process_group=0,
                    stdin=subprocess.DEVNULL if input_bytes is None else subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    preexec_fn=_Child(),
                    cwd=cwd,
                    pass_fds=pass_fds,
                )
            stdout, stderr = process.communicate(input_bytes, limit_s)
        except BaseException as cause:
            if process is not None:
                _end(process)
            if isinstance(cause, subprocess.TimeoutExpired):
                self._record.append(CommandLine(now(), purpose, words, None))
                raise EnvironmentFailed(f"{words[0]} ({purpose}) did not end within {limit_s:g} s") from cause
            raise
        result = subprocess.CompletedProcess(words, process.returncode, stdout, stderr)
        with deferred_signals():  # what is raised in a `__del__` Python prints, and loses
            del process
        self._record.append(CommandLine(now(), purpose, words, result.returncode))
        if check and result.returncode != 0:
            tail = (result.stderr or result.stdout).decode(errors="replace").strip().splitlines()
            last = ", ".join(tail[-2:]) or "without a word"
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
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program in a session of its own (its process group id is its pid) and return at once.

        Call it with `deferred_signals`, so that a Ctrl-C comes when the caller knows the process.
        """
        words = tuple(str(word) for word in argv)
        process = self._start(
            words,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            start_new_session=True,
            preexec_fn=_Child(preexec),
            cwd=cwd,
            env=env,
        )
        self._record.append(CommandLine(now(), purpose, words, None))
        return process

    def _start(self, words: tuple[str, ...], **how: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - what Popen takes
        """Fork: what is raised in the middle of that Python prints, and loses."""
        try:
            with deferred_signals():
                return subprocess.Popen(words, **how)
        except FileNotFoundError as cause:
            raise MissingProgram(f"the program {words[0]} is not installed") from cause

    def drain(self) -> list[CommandLine]:
        """Return the command lines since the last call and forget them."""
        record, self._record = self._record, []
        return record
