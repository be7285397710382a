"""A command run natively twice more: once under strace, which counts, and once without, by the system's accounts."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.analysis.profile.counts import Counts
from virtometer.errors import CommandFailed, EnvironmentFailed
from virtometer.host.lock.host_lock import HostLock
from virtometer.programs import Programs
from virtometer.runner.lab.agent import agent_path
from virtometer.runner.lab.strace import environment_options
from virtometer.runner.profile import accounted
from virtometer.runner.profile.strace_lines import UNABBREVIATED, Counted

LONGEST_S = 600.0
"""Of a run."""

_POLL_S = 0.05
_BLOCK = 1 << 16
_EMPTY = "exit"  # of the agent: it ends at once


@dataclass(frozen=True, slots=True)
class OnHost:
    """Where and how commands run natively. input_file: their standard input; None: it is empty.

    discarded: what they print goes to /dev/null instead of a pipe.
    """

    variables: Mapping[str, str]
    workdir: Path
    input_file: Path | None
    discarded: bool = False


def counted(
    commands: Mapping[str, Sequence[str]],
    place: OnHost,
    *,
    beside: bool,
    tell: Callable[[str], object],
    limit_s: float = LONGEST_S,
) -> dict[str, Counts]:
    """Counts of each command, by its name, while no other laboratory measures. beside, tell: as of HostLock.

    Commands that take longer than the limit are left out, and a sentence says so. Raises HostBusy, MissingProgram
    without strace, and CommandFailed where a command cannot be counted.
    """
    programs = Programs()
    programs.find("strace", "strace")
    made = {}
    with HostLock(beside=beside, tell=tell):
        for name, words in commands.items():
            one = count(words, place, programs, limit_s)
            if one is None:
                tell(f"virtometer: {name} has no profile: counting what it does took longer than {limit_s:g} s")
            else:
                made[name] = one
    return made


def count(words: Sequence[str], place: OnHost, programs: Programs, limit_s: float = LONGEST_S) -> Counts | None:
    """Of one command, which runs twice; None where one of the runs takes longer than the limit.

    Raises MissingProgram and CommandFailed as `counted`. limit_s: of each run.
    """
    strace = programs.find("strace", "strace")
    words = [_program(words[0], place), *words[1:]]
    try:
        with tempfile.TemporaryDirectory(prefix="virtometer-") as name:
            folder = Path(name)
            started = _accounted([str(agent_path()), _EMPTY], place, programs, folder / "empty", limit_s)
            usual = _accounted(words, place, programs, folder / "usual", limit_s)
            found, counted_s = _traced(strace, words, place, programs, folder, limit_s)
    except (EnvironmentFailed, OSError) as cause:
        if isinstance(cause.__cause__, subprocess.TimeoutExpired):
            return None
        raise CommandFailed(f"{words[0]} cannot be profiled: {cause}") from cause
    if not found.calls:
        raise CommandFailed(
            f"strace saw no system call of {words[0]}", advice="kernel.yama.ptrace_scope may forbid what strace does"
        )
    return Counts(
        classes=dict(sorted(found.classes.items())), calls=dict(found.calls.most_common()), sent=found.sent,
        received=found.received, read_by_calls=found.read, counted_s=counted_s,
        start_faults=int(started["minor_faults"]), **usual,
    )  # fmt: skip


def _program(name: str, place: OnHost) -> str:
    """Where the command's own PATH has it, so that all runs are of the same program. Raises CommandFailed."""
    if "/" in name:
        return name
    for folder in place.variables.get("PATH", os.defpath).split(os.pathsep):
        file = place.workdir / folder / name
        if file.is_file() and os.access(file, os.X_OK):
            return str(file)
    raise CommandFailed(f"there is no program {name} on the PATH")


def _accounted(words: Sequence[str], place: OnHost, programs: Programs, file: Path, limit_s: float) -> dict[str, Any]:
    mark = f"run-{uuid.uuid4().hex}"  # by which its descendants are found
    given = json.dumps(dict(place.variables))
    own: list[str | Path] = [sys.executable, "-I", "-S", accounted.__file__, file, given, mark]
    with programs.marking(mark):
        _run([*own, *words], "accounting a command", place, programs, limit_s, check=True)
    made: dict[str, Any] = json.loads(file.read_text())
    return made


def _traced(
    strace: Path, words: Sequence[str], place: OnHost, programs: Programs, folder: Path, limit_s: float
) -> tuple[Counted, float]:
    """What strace says, and how long it took, in s. It writes to a pipe, because that may be much."""
    record = folder / "calls"
    os.mkfifo(record, 0o600)
    shown = f"abbrev=!{','.join(UNABBREVIATED)}"
    options = ["-f", "-qq", "-y", "-s", "0", "-e", "signal=none", "-e", shown, "-o", str(record)]
    options += environment_options(place.variables, os.environ)
    with _Reader(record) as reader:
        begun = time.monotonic()
        _run([strace, *options, "--", *words], "counting the calls of a command", place, programs, limit_s, check=False)
        took_s = time.monotonic() - begun
    return reader.counted, took_s


def _run(
    words: Sequence[str | Path], purpose: str, place: OnHost, programs: Programs, limit_s: float, *, check: bool
) -> None:
    """In a session of its own: a command has no terminal. check: raise EnvironmentFailed for a status that is not 0.

    Reads of a file are no reads of a pipe, so that the command has the file itself.
    """
    programs.run(
        ["setsid", "--wait", *words], purpose=purpose, limit_s=limit_s, check=check, cwd=place.workdir,
        input_file=place.input_file, discarded=place.discarded,
    )  # fmt: skip


class _Reader:
    """Counts the lines of a pipe meanwhile, by a thread, so that the pipe never fills."""

    def __init__(self, path: Path) -> None:
        self.counted = Counted()
        self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> _Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        os.close(self._file)
        self.counted.end()

    def _read(self) -> None:
        rest = b""
        while True:
            over = self._over.is_set()  # before reading: what was written until then is there
            select.select([self._file], [], [], _POLL_S)
            try:
                block = os.read(self._file, _BLOCK)
            except BlockingIOError:
                block = b""
            if not block:
                if over:
                    return
                time.sleep(_POLL_S)  # no writer yet, or none any more
                continue
            *lines, rest = (rest + block).split(b"\n")
            self.counted.take(lines)
