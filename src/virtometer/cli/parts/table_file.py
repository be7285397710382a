"""Tables that a verb reads from a file or from standard input."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from virtometer.errors import UsageError


def table_bytes(path: Path, most_bytes: int, kind: str = "table") -> bytes:
    """The content of a file; of standard input where the path is -. Raises UsageError where there is too much of it."""
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
            too_large = file.seekable() and path.is_file() and path.stat().st_size > most_bytes
            content = b"" if too_large else file.read(most_bytes + 1)
    except OSError as cause:
        raise UsageError(f"{path} cannot be read: {(cause.strerror or str(cause)).lower()}") from cause
    if too_large or len(content) > most_bytes:
        raise UsageError(f"{path} has more than {most_bytes >> 20} MiB; a {kind} may have no more")
    return content
