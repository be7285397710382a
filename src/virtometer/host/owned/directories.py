"""Directories of guests: removed with all that is in them, never through a mount."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from virtometer.errors import EnvironmentFailed
from virtometer.host.mount_table import mount_table
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
    try:
        shutil.rmtree(path)
    except PermissionError:
        _open(path)
        shutil.rmtree(path)
    return f"directory {path}"


def _open(directory: Path) -> None:
    """Let the owner into all directories below, which a guest or an overlay has closed even to their owner."""
    for parent, names, _ in os.walk(directory):
        for below in (Path(parent, name) for name in names):
            if not below.is_symlink() and below.stat().st_mode & stat.S_IRWXU != stat.S_IRWXU:
                below.chmod(stat.S_IRWXU)


def _mounts_in(directory: Path) -> list[str]:
    """Mount points at or below a directory."""
    return [one.point for one in mount_table() if f"{one.point}/".startswith(f"{directory}/")]


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
