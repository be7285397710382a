"""Whether the write-ahead log beside a ledger was damaged: SQLite itself would go on without a word.

SQLite ignores what follows the first frame whose checksum is wrong, because a crash in the middle of a commit leaves
such an end. But whole commits that follow it were not written in such a crash: every commit is on the disk before the
next one begins (PRAGMA synchronous = FULL). Format: "WAL-mode File Format" in SQLite's documentation (sqlite.org/
walformat.html).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

_HEADER = 32
_FRAME = 24
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}  # byte order of the words that checksums are made of
_PAGE_SIZES = {512 << step for step in range(8)}
_TRIES = 3  # a laboratory that measures may begin the log anew while it is read


def is_damaged(log: Path) -> bool:
    """Whether commits of a log can no longer be read because something before them was changed. False where none is."""
    return all(_breaks_off(log) for _ in range(_TRIES))


def _breaks_off(log: Path) -> bool:
    try:
        content = log.read_bytes()
    except FileNotFoundError:
        return False
    if len(content) < _HEADER + _FRAME:
        return False
    magic, _, page_size, _, salt, *right = struct.unpack_from(">4IQ2I", content)
    order = _MAGIC.get(magic)
    if order is None or page_size not in _PAGE_SIZES:
        return True
    sums = _checksum(struct.unpack_from(f"{order}6I", content), (0, 0))
    if list(sums) != right:
        return True
    whole, lost = True, 0
    for at in range(_HEADER, len(content) - _FRAME - page_size + 1, _FRAME + page_size):
        _, pages, own_salt, *right = struct.unpack_from(">2IQ2I", content, at)
        if own_salt != salt:
            whole = False  # the rest of an older log; after a salt that was changed, others have the right one
            continue
        if whole:
            words = struct.unpack_from(f"{order}2I", content, at)
            words += struct.unpack_from(f"{order}{page_size // 4}I", content, at + _FRAME)
            sums = _checksum(words, sums)
            whole = list(sums) == right
        if not whole:
            lost += pages != 0
    return lost > 1


def _checksum(words: Iterable[int], sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    pairs = iter(words)
    for one, two in zip(pairs, pairs, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
