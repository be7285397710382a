"""A disk with a file system, for guests whose disk is a device and whose workloads need files.

The image is made without mounting anything. It holds the campaign's disk file, so that its contents are behind disk
workloads in such guests too, and room for the files that workloads make. Each guest has an image of its own: two
kernels that mount one would destroy it. Source: mke2fs(8), the option -d.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from virtometer.environments.base import LabContext
from virtometer.errors import EnvironmentFailed

DIRECTORY = "/data"
"""Where the guest mounts it."""

_BLOCK = 4096
_INODE = 256
_JOURNAL = 16 << 20
_SPARE = 16 << 20
_MIB = 1 << 20


def image_size(contents: int, files: int, names: int) -> int:
    """Bytes of an image for a disk file of `contents` bytes, further files of `files` bytes, and `names` names."""
    # Bitmaps, extents and directories take less than a twentieth; a small file has a block of its own.
    size = (contents + files) * 21 // 20 + names * (_INODE + 2 * _BLOCK) + _JOURNAL + _SPARE
    return -(-size // _MIB) * _MIB


def formatted_disk(lab: LabContext, directory: Path) -> Path:
    """Make an image with `lab.disk_file` and room for `lab.room` in a guest's own directory; returns its path.

    The guest finds the file as `mounted_file` says. Raises EnvironmentFailed where it does not fit or cannot be made.
    """
    assert lab.disk_file is not None
    assert lab.room is not None
    mke2fs = lab.programs.find("mke2fs", "e2fsprogs")
    size = image_size(lab.disk_file.stat().st_size, lab.room.files, lab.room.names)
    free = shutil.disk_usage(directory).free
    if free < size:
        raise EnvironmentFailed(
            f"a disk with files of {size >> 20} MiB does not fit into {directory.parent}, where {free >> 20} MiB are "
            "free",
            advice="make room, choose another directory with --out, or set a smaller span or disk_span in the plan",
        )
    tree, image = directory / "tree", directory / "disk.ext4"
    tree.mkdir()
    os.link(lab.disk_file, tree / lab.disk_file.name)
    _write_zeros(image, size)
    argv: list[str | Path] = [
        mke2fs, "-q", "-t", "ext4", "-d", tree, "-N", str(lab.room.names + 1024), "-J", f"size={_JOURNAL >> 20}",
        "-m", "0", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0", image,
    ]  # fmt: skip
    lab.programs.run(argv, purpose="format the disk of a guest", limit_s=600)
    shutil.rmtree(tree)
    _sync(image)
    return image


def mounted_file(lab: LabContext) -> str:
    """The path of the campaign's disk file in a guest that has mounted the image."""
    assert lab.disk_file is not None
    return f"{DIRECTORY}/{lab.disk_file.name}"


def _write_zeros(image: Path, size: int) -> None:
    """Blocks that exist on the host: a hole would be filled while the guest is measured."""
    zeros = bytes(_MIB)
    with image.open("wb") as file:
        for _ in range(size // _MIB):
            file.write(zeros)


def _sync(image: Path) -> None:
    fd = os.open(image, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
