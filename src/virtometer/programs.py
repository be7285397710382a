"""Every program that the laboratory runs goes through here, so that the report can list every command line."""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import os
import select
import selectors
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.model import CommandLine
from virtometer.processes import MARKER, kill_all, started_by

Descriptor = int | IO[Any] | None

Words = list[str | Path]
"""A command line, or a part of one."""

MOST_OUTPUT = 4 << 20
"""Bytes of a program's stdout that are kept: more than the longest answer that is read, which is of a hypervisor."""

MOST_ERRORS = 256 << 10
"""Bytes of a program's stderr that are kept."""

_BLOCK = 64 << 10  # what a pipe holds
_QUOTED = 4_096  # of what a program printed, to find its last lines


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


class _TooMuch(Exception):
    """A program printed more than is kept, and its caller needs all of it."""


class _Tail:
    """The last `most` bytes of what a program prints. `whole`: raises _TooMuch where there are more."""

    def __init__(self, most: int, *, whole: bool = False) -> None:
        self._kept = bytearray()
        self._most = most
        self._whole = whole

    def take(self, block: bytes) -> None:
        self._kept += block
        if self._whole and len(self._kept) > self._most:
            raise _TooMuch
        if len(self._kept) > 2 * self._most:  # seldom: each time what is kept is moved
            del self._kept[: -self._most]

    def content(self) -> bytes:
        return bytes(self._kept[-self._most :])


def _converse(
    process: subprocess.Popen[bytes], input_bytes: bytes | None, limit_s: float, *, whole: bool
) -> tuple[bytes, bytes]:
    """As `communicate`, but with bounded memory: returns the ends of stdout and stderr when the program has ended.

    Raises TimeoutExpired, and _TooMuch where `whole` of stdout is needed and does not fit.
    """
    assert process.stderr is not None
    deadline = time.monotonic() + limit_s
    rest = memoryview(input_bytes or b"")
    out, err = _Tail(MOST_OUTPUT, whole=whole), _Tail(MOST_ERRORS)
    with selectors.DefaultSelector() as pipes:
        if process.stdout is not None:
            pipes.register(process.stdout, selectors.EVENT_READ, out)
        pipes.register(process.stderr, selectors.EVENT_READ, err)
        if process.stdin is not None:
            pipes.register(process.stdin, selectors.EVENT_WRITE)
        while pipes.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(process.args, limit_s)
            for key, _ in pipes.select(left):
                if isinstance(key.data, _Tail):
                    block = os.read(key.fd, _BLOCK)
                    key.data.take(block)
                    finished = not block
                else:
                    rest = _given(key.fd, rest)
                    finished = not rest
                if finished:
                    pipes.unregister(key.fileobj)
                    if process.stdin is not None and key.fileobj is process.stdin:
                        process.stdin.close()
    process.wait(max(deadline - time.monotonic(), 0.0))
    return out.content(), err.content()


def _given(fd: int, rest: memoryview) -> memoryview:
    """Write what a pipe that is ready takes at once; returns what is still to be written."""
    try:
        return rest[os.write(fd, rest[: select.PIPE_BUF]) :]
    except BrokenPipeError:  # the program reads no further
        return rest[:0]


def _end(process: subprocess.Popen[bytes], mark: str) -> str:
    """Kill a program with all that it started, and reap it; returns what does not end, as the end of a sentence.

    Not by `wait` or `communicate`: where they were cut they may have left a lock locked, and whoever holds the pipes
    would be waited for.
    """

    def left() -> list[int]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGSTOP)  # so that none of them starts others meanwhile
        found = started_by(process.pid, mark)  # before they end: what loses its parent is a descendant no longer
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        return found

    fault = ""
    with deferred_signals():
        _close(process)
        try:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            try:
                kill_all(left)
            except EnvironmentFailed as cause:
                fault = f", and {cause.sentence}"
            os.waitpid(process.pid, os.WNOHANG if fault else 0)
        except ChildProcessError:  # reaped already: its number may be another's
            pass
        process.returncode = -signal.SIGKILL
    return fault


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


class Programs:
    """Runs programs and remembers their command lines until `drain` hands them to the ledger."""

    def __init__(self) -> None:
        """Start with an empty record."""
        self._record: list[CommandLine] = []
        self._mark = ""

    def find(self, name: str, package: str) -> Path:
        """Return the path of a program, or raise MissingProgram naming the Debian package that has it."""
        found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
        if found is None:
            raise MissingProgram(f"the program {name} is not installed", advice=f"install the Debian package {package}")
        return Path(found)

    @contextlib.contextmanager
    def marking(self, mark: str) -> Iterator[None]:
        """Give what `run` runs meanwhile this mark, by which it is found should the laboratory be killed."""
        before, self._mark = self._mark, mark
        try:
            yield
        finally:
            self._mark = before

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        purpose: str,
        limit_s: float = 30.0,
        check: bool = True,
        whole: bool = False,
        input_bytes: bytes | None = None,
        input_file: Path | None = None,
        discarded: bool = False,
        cwd: Path | None = None,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """Run to the end. Raises EnvironmentFailed with the end of its stderr when it fails or takes too long.

        The last MOST_OUTPUT bytes of stdout and MOST_ERRORS of stderr are kept. `whole`: the caller needs all of
        stdout, so that a program that prints more is ended, and this raises EnvironmentFailed. A program that is ended
        takes with it all that it started. input_file: it is the standard input itself, instead of a pipe with
        `input_bytes`; OSError where it cannot be read. discarded: stdout is /dev/null.
        """
        words = tuple(str(word) for word in argv)
        mark = self._mark or f"run-{uuid.uuid4().hex}"
        process: subprocess.Popen[bytes] | None = None
        given = contextlib.nullcontext() if input_file is None else input_file.open("rb")
        try:
            with given as file, deferred_signals():
                # A process group of its own: a Ctrl-C at the terminal is for the laboratory, which ends what it runs.
                process = self._start(
                    words,
                    process_group=0,
                    stdin=file or (subprocess.DEVNULL if input_bytes is None else subprocess.PIPE),
                    stdout=subprocess.DEVNULL if discarded else subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    preexec_fn=_Child(),
                    cwd=cwd,
                    env={**os.environ, MARKER: mark},
                    pass_fds=pass_fds,
                )
            stdout, stderr = _converse(process, input_bytes, limit_s, whole=whole)
        except BaseException as cause:
            left = _end(process, mark) if process is not None else ""
            if not isinstance(cause, subprocess.TimeoutExpired | _TooMuch):
                raise
            self._record.append(CommandLine(now(), purpose, words, None))
            reason = f"printed more than {MOST_OUTPUT >> 20} MiB"
            if isinstance(cause, subprocess.TimeoutExpired):
                reason = f"did not end within {limit_s:g} s"
            raise EnvironmentFailed(f"{words[0]} ({purpose}) {reason}{left}") from cause
        _close(process)
        result = subprocess.CompletedProcess(words, process.returncode, stdout, stderr)
        with deferred_signals():  # what is raised in a `__del__` Python prints, and loses
            del process
        self._record.append(CommandLine(now(), purpose, words, result.returncode))
        if check and result.returncode != 0:
            said = (result.stderr or result.stdout)[-_QUOTED:]
            last = ", ".join(said.decode(errors="replace").strip().splitlines()[-2:]) or "without a word"
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
