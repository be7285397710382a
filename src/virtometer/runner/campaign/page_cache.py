"""What the host's page cache holds of disk files when trials begin: the same for all guests, in every block.

A guest whose disk is read through the host's page cache (a sandbox, a device without O_DIRECT) finds there what
other guests have read before. In the first block that is nothing, later nearly all, and direct readers beside it
neither use nor fill it. Therefore each file is read into the page cache before its trials begin. Where all files of a
plan take more than a quarter of the host's memory in total they would not stay there. They are dropped from it instead.
Sources: mincore(2), posix_fadvise(2).
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Literal

from virtometer.design.feasible import disk_files
from virtometer.design.plan.resolved import ResolvedPlan

Begins = Literal["warm", "cold", "in part", "unknown"]
"""How much of a file the page cache holds: all, nothing, something in between, or nobody can say."""

_SHARE_OF_MEMORY = 0.25
_ALL, _NOTHING = 0.99, 0.01  # shares of the pages
_PIECE = 1 << 20
_LIBC = ctypes.CDLL(None, use_errno=True)


def memory_bytes() -> int:
    """The memory of this host, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def stays(size: int, memory: int) -> bool:
    """Whether so many bytes of files are kept in the page cache of a host with this memory, in bytes."""
    return size <= memory * _SHARE_OF_MEMORY


def files_stay(resolved: ResolvedPlan) -> bool:
    """Whether the page cache of this host keeps all disk files of a plan at once.

    Its trials with few guests begin as those with many.
    """
    return stays(disk_files(resolved) * resolved.plan.disk_span, memory_bytes())


def alike(files: Iterable[Path], *, keep: bool, tell: Callable[[str], None]) -> dict[Path, Begins]:
    """Read files into the page cache (`keep`), or drop them from it; returns what it holds of each afterwards.

    tell: receives a sentence on what takes a while.
    """
    found: dict[Path, Begins] = {}
    for file in sorted(set(files)):
        try:
            if keep and held(file) != "warm":
                tell(f"reading {file.stat().st_size >> 20} MiB of disk file into the page cache")
                _read(file)
            elif not keep:
                _drop(file)
            found[file] = held(file)
        except OSError:
            found[file] = "unknown"
    return found


def held(file: Path) -> Begins:
    """How much of a file the page cache holds. Raises OSError where it cannot be opened."""
    fd = os.open(file, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        if size == 0:
            return "warm"
        # Private and writable, so that ctypes gives its address. Nothing is written, and no page is touched.
        with closing(mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)) as memory:
            share = _resident_share(memory, size)
    finally:
        os.close(fd)
    if share is None:
        return "unknown"
    return "warm" if share >= _ALL else "cold" if share <= _NOTHING else "in part"


def _resident_share(memory: mmap.mmap, size: int) -> float | None:
    """The share of the pages that are in memory; None where the kernel does not say."""
    pages = bytearray(-(-size // mmap.PAGESIZE))
    first, states = ctypes.c_char.from_buffer(memory), (ctypes.c_ubyte * len(pages)).from_buffer(pages)
    address = ctypes.c_void_p(ctypes.addressof(first))
    failed = _LIBC.mincore(address, ctypes.c_size_t(size), states) != 0
    del first, states  # a buffer that is referred to cannot be closed
    return None if failed else sum(bytes(pages).translate(_LOWEST_BIT)) / len(pages)


_LOWEST_BIT = bytes(value & 1 for value in range(256))


def _read(file: Path) -> None:
    piece = bytearray(_PIECE)
    with file.open("rb", buffering=0) as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
        while opened.readinto(piece):
            pass


def _drop(file: Path) -> None:
    """Written back first: what is not on the medium stays in the page cache."""
    fd = os.open(file, os.O_RDONLY)
    try:
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)
