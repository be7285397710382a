"""Units of other tools in base units, and numbers of their texts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

SECONDS: Mapping[str, float] = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0,
    "msec": 1e-3, "usec": 1e-6, "nsec": 1e-9, "m": 60.0, "min": 60.0, "h": 3600.0, "hr": 3600.0, "day": 86400.0,
    "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9, "minutes": 60.0, "hours": 3600.0,
}  # fmt: skip
"""Units of time, in s."""

BYTES: Mapping[str, float] = {
    "B": 1.0, "bytes": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "TiB": 1024.0**4,
    "bits": 0.125, "Kbits": 125.0, "kbits": 125.0, "Mbits": 125e3, "Gbits": 125e6, "Mbit": 125e3, "Gbit": 125e6,
}  # fmt: skip
"""Units of data, in B, as most tools mean them: a tool that means 1,024 by KB has a table of its own."""

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def number(text: str) -> float | None:
    """A finite number; None for any other text."""
    found = float(text) if len(text) < 400 and _NUMBER.fullmatch(text) else None
    return found if found is not None and math.isfinite(found) else None


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all values do not exceed; `ordered` is not empty."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
