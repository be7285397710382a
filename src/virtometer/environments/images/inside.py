"""Paths in a root directory that anybody made, as a process would resolve them that has it as its root directory.

No link leads out of it. Source: the walk of path_resolution(7), chroot(2).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

_MOST_LINKS = 40  # as Linux follows


def inside(root: Path, path: str) -> Path | None:
    """Where a path of the root directory lies on the host, all links followed; None where links go on endlessly.

    What does not exist has no links: the rest of such a path is taken as it is.
    """
    waiting = path.split("/")[::-1]
    found: list[str] = []
    links = 0
    while waiting:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            found[-1:] = []
            continue
        here = root.joinpath(*found, part)
        try:
            target = os.readlink(here)  # noqa: PTH115 - the text, not a path
        except OSError:
            found.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            return None
        if target.startswith("/"):
            found = []
        waiting += target.split("/")[::-1]
    return root.joinpath(*found)


def find_program(root: Path, program: str, places: Sequence[str]) -> str | None:
    """The path, in the root directory, of a program named by a path or looked up in these places; None without it."""
    named = [program] if "/" in program else [f"{place}/{program}" for place in places if place]
    return next((path for path in named if is_program(root, path)), None)


def is_program(root: Path, path: str) -> bool:
    """Whether there is a file that somebody may execute."""
    mode = mode_of(root, path)
    return mode is not None and stat.S_ISREG(mode) and bool(mode & 0o111)


def is_directory(root: Path, path: str) -> bool:
    """Whether there is a directory."""
    mode = mode_of(root, path)
    return mode is not None and stat.S_ISDIR(mode)


def mode_of(root: Path, path: str) -> int | None:
    """The type and the permissions of what a path leads to; None where that is nothing."""
    there = inside(root, path)
    try:
        return None if there is None else there.lstat().st_mode
    except (OSError, ValueError):
        return None
