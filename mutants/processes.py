"""Programs that the mutants are built and checked with: each in a session of its own, ended with all its children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.deferred_signals import deferred_signals


@dataclass(frozen=True)
class Ended:
    """The end of a program: its exit status, or None where the time limit ended it, and its output."""

    status: int | None
    output: str


@contextlib.contextmanager
def session(
    argv: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program, standard output and error in one pipe; at the end kill what is left of its session."""
    program: subprocess.Popen[bytes] | None = None
    try:
        # Ctrl-C while it starts would leave it behind.
        with deferred_signals():
            program = subprocess.Popen(
                [str(word) for word in argv],
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        yield program
    finally:
        if program is not None:
            _end(program)


def _end(program: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a program's session."""
    with deferred_signals():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        if program.stdout is not None:
            program.stdout.close()


def execute(argv: Sequence[str | Path], folder: Path, environment: Mapping[str, str], limit_s: float) -> Ended:
    """Run a program to its end, or for `limit_s` seconds."""
    with session(argv, folder, environment) as program:
        try:
            output, _ = program.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return Ended(None, "")
    return Ended(program.returncode, output.decode(errors="replace"))
