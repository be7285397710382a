"""The last-level cache of the host. Reads /sys, changes nothing."""

from __future__ import annotations

import re
from pathlib import Path

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_SIZE = re.compile(r"([0-9]{1,12})([KM]?)")
_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20}


def last_cache_bytes(caches: Path = _CACHES) -> int | None:
    """Bytes of the highest-level data or unified cache of processor 0; None where the host reports none.

    Processors with several such caches use one each, so that a single thread has this one.
    """
    found: dict[int, int] = {}
    for index in sorted(caches.glob("index[0-9]*")):
        try:
            kind, level, size = ((index / name).read_text().strip() for name in ("type", "level", "size"))
        except OSError:
            continue
        match = _SIZE.fullmatch(size)
        if kind in ("Data", "Unified") and level.isdecimal() and match and int(match[1]):
            found[int(level)] = int(match[1]) * _FACTORS[match[2]]
    return found[max(found)] if found else None
