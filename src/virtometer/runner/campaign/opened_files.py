"""The files that a command reads natively, so that they can leave the page cache before its runs.

strace says which files the command and its descendants open or execute (strace(1)). Files of /proc, /sys and /dev are
none of a medium, and what the command has removed is gone.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from virtometer.errors import CommandFailed, EnvironmentFailed
from virtometer.host.lock.host_lock import HostLock
from virtometer.programs import Programs
from virtometer.runner.lab.strace import environment_options

MOST_FILES = 256
MOST_LETTERS = 24_000
"""Of all paths: a request to an agent has so much room."""

_CALLS = "execve,execveat,open,openat,openat2"
_OPENED = re.compile(rb"= \d+<(/.*)>$")
_EXECUTED = re.compile(rb'^(?:\d+ +)?execve(?:at)?\((?:\d+<[^>]*>, |AT_FDCWD<[^>]*>, )?"(.*?)", \[.* = 0$')
_ESCAPE = re.compile(rb'\\([0-7]{1,3}|["\\])')
_NO_FILES = (Path("/proc"), Path("/sys"), Path("/dev"))
_LONGEST_S = 600.0


def locked_opened_files(
    words: Sequence[str],
    variables: Mapping[str, str],
    workdir: Path,
    input_file: Path | None,
    *,
    beside: bool,
    tell: Callable[[str], object],
) -> tuple[list[Path], int]:
    """As `opened_files`, while no other laboratory measures. beside, tell: as of HostLock, which raises HostBusy."""
    with HostLock(beside=beside, tell=tell):
        return opened_files(words, variables, workdir, input_file, Programs())


def opened_files(
    words: Sequence[str], variables: Mapping[str, str], workdir: Path, input_file: Path | None, programs: Programs
) -> tuple[list[Path], int]:
    """The regular files that a command reads, the largest first, and how many further ones have no room.

    It runs once, natively, without a terminal. Raises MissingProgram without strace, and CommandFailed where it does
    not end in time.
    """
    strace = programs.find("strace", "strace")
    given = None if input_file is None else input_file.read_bytes()
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder:
        record = Path(folder) / "calls"
        options = [
            "-f",
            "-qq",
            "-y",
            "-z",
            "-s",
            "4096",
            "-e",
            f"trace={_CALLS}",
            "-e",
            "signal=none",
            "-o",
            str(record),
        ]
        try:
            programs.run(
                ["setsid", "--wait", strace, *options, *environment_options(variables, os.environ), "--", *words],
                purpose="learning which files the command reads", limit_s=_LONGEST_S, check=False, cwd=workdir,
                input_bytes=given,
            )  # fmt: skip
            lines = record.read_bytes().splitlines()
        except (EnvironmentFailed, OSError) as cause:
            raise CommandFailed(f"the files that {words[0]} reads are not known: {cause}") from cause
    paths = [*_paths(lines, workdir), *([] if input_file is None else [input_file])]
    files = {one.resolve() for one in paths if one.is_file()}
    known = sorted((one for one in files if not any(one.is_relative_to(no) for no in _NO_FILES)), key=_size)
    fitting, letters = list[Path](), 0
    for one in known:
        letters += len(str(one)) + 4
        if len(fitting) < MOST_FILES and letters <= MOST_LETTERS:
            fitting.append(one)
    return fitting, len(known) - len(fitting)


def _size(file: Path) -> tuple[int, Path]:
    return -file.stat().st_size, file


def _meant(escape: re.Match[bytes]) -> bytes:
    """The byte that strace escapes: by its octal digits, or a quotation mark or a backslash alone."""
    return escape[1] if escape[1] in b'"\\' else bytes([int(escape[1], 8) & 0xFF])


def _paths(lines: Sequence[bytes], workdir: Path) -> Iterator[Path]:
    for line in lines:
        found = _OPENED.search(line) or _EXECUTED.search(line)
        if found is None:
            continue
        try:
            text = _ESCAPE.sub(_meant, found[1]).decode()
        except UnicodeDecodeError:
            continue
        if "\0" not in text and "\n" not in text:
            yield workdir / text
