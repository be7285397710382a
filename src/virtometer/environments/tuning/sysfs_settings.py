"""Settings of the host's kernel and its devices that are files below /sys: which there are, their values, writing.

A file has one line: a value, or all values with the one in force in brackets (`always [madvise] never`). Source: Linux
Documentation/filesystems/sysfs.rst, admin-guide/mm/transhuge.rst.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from virtometer.errors import EnvironmentFailed
from virtometer.model import TuningStep

ROOT = "/sys/"

_CHOSEN = re.compile(r"(?:^|\s)\[([^\[\]\s]+)\](?=\s|$)")
_SWITCH = {"Y": "1", "N": "0"}  # as parameters of modules read: they are written as numbers too
_WRITABLE = 0o222
_GROUPS = re.compile(r"queue|iosched|cpufreq|policy\d+|transparent_hugepage|khugepaged|ksm")


def files_of(pattern: str) -> list[str]:
    """All files that a path below /sys with or without wildcards names, each once, in the order of their names.

    Raises EnvironmentFailed where there is none.
    """
    # Links are followed: the frequency of several processors may be one file.
    found = {path.resolve() for path in Path("/").glob(pattern.lstrip("/")) if path.is_file()}
    files = sorted(map(str, found), key=_by_numbers)
    if not files:
        raise EnvironmentFailed(f"this host has no file {pattern}", advice="take this step out of the tuning")
    return files


def refuse_sysfs(steps: Iterable[TuningStep]) -> None:
    """Raise EnvironmentFailed for a file of the steps that is missing or cannot be written. Changes nothing."""
    for step in steps:
        for pattern in step.sysfs:
            for path in files_of(pattern):
                if not Path(path).stat().st_mode & _WRITABLE:
                    raise EnvironmentFailed(f"{path} of this host is read-only: it says what is, and cannot be set")
                if not os.access(path, os.W_OK):
                    raise refused(path, "it cannot be written here")
                read_setting(path)


def read_setting(path: str) -> str:
    """The value that is in force. Raises EnvironmentFailed where it cannot be read, and so not be put back."""
    try:
        text = Path(path).read_text().strip()
    except (OSError, ValueError) as cause:
        raise refused(path, cause.strerror if isinstance(cause, OSError) else str(cause)) from cause
    if not text or "\n" in text:
        raise refused(path, "it has no value of one line that could be put back")
    return chosen(text)


def write_setting(path: str, value: str) -> None:
    """Set a value. Raises EnvironmentFailed where the kernel refuses it."""
    try:
        Path(path).write_text(value)
    except OSError as cause:
        raise refused(path, f"{cause.strerror}, with the value {value}") from cause


def beside(path: str) -> dict[str, str]:
    """The files that may change with one, with their values: those of its directory, where that is a group of settings.

    A scheduler of a disk brings a length of its queue, for example. Elsewhere in /sys reading may do something.
    """
    if not _GROUPS.fullmatch(Path(path).parent.name):
        return {}
    found = {}
    for one in sorted(Path(path).parent.iterdir()):
        try:
            if one.is_file() and one.stat().st_mode & _WRITABLE:
                found[str(one)] = read_setting(str(one))
        except (EnvironmentFailed, OSError):
            continue  # it can only be written
    return found


def chosen(text: str) -> str:
    """The value in force of a file's text: the word in brackets, or all of it where not one word alone has them."""
    words = _CHOSEN.findall(text)
    return str(words[0]) if len(words) == 1 else text


def is_same(one: str, other: str) -> bool:
    """Whether two values mean the same to the kernel, which writes numbers and switches in its own way."""
    return _plain(one) == _plain(other)


def _plain(value: str) -> list[str]:
    return [_number(_SWITCH.get(word, word)) for word in value.split()]


def _number(word: str) -> str:
    try:
        return str(int(word, 0))
    except ValueError:
        return word


def _by_numbers(path: str) -> list[tuple[int, str]]:
    """The key of an order in which cpu10 follows cpu9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path)]


def refused(setting: str, why: str | None) -> EnvironmentFailed:
    """The error for a setting of the host that the kernel does not let us have."""
    advice = "run as root" if os.geteuid() != 0 else ""
    return EnvironmentFailed(f"{setting} of the host cannot be set: {why}", advice=advice)
