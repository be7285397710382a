"""Directories of guests: removed with all that is in them, never through a mount."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.journal import Resource
from virtometer.programs import Programs

_MNT_DETACH = 2
_UMOUNT_NOFOLLOW = 8


def remove_directory(path: Path) -> str:
    """Remove a directory with all that is in it, but never through a mount; returns what was removed."""
    if not path.is_absolute() or len(path.parts) < 3 or not os.path.lexists(path):
        return ""
    for mount in sorted(_mounts_in(path), reverse=True):
        detach_mount(Path(mount))
    if _mounts_in(path):
        raise EnvironmentFailed(f"something is still mounted in {path}")
    shutil.rmtree(path)
    return f"directory {path}"


def _mounts_in(directory: Path) -> list[str]:
    """Mount points at or below a directory (blanks stand as \\040 in the mount table)."""
    table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    points = [re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), line.split()[4]) for line in table]
    return [point for point in points if f"{point}/".startswith(f"{directory}/")]


def detach_mount(path: Path) -> None:
    """Unmount everything on a path, at once even when it is in use. Nothing mounted there is no error."""
    libc = ctypes.CDLL(None, use_errno=True)
    while libc.umount2(os.fsencode(path), _MNT_DETACH | _UMOUNT_NOFOLLOW) == 0:
        continue
    if (error := ctypes.get_errno()) not in (errno.EINVAL, errno.ENOENT):
        raise EnvironmentFailed(f"{path} cannot be unmounted: {os.strerror(error)}")


def _remove_left(fields: Mapping[str, Any], programs: Programs) -> str:
    return remove_directory(Path(fields["path"]))


DIRECTORY = Resource("directory", _remove_left)
"""Field: path (what is mounted in it is taken off first)."""
