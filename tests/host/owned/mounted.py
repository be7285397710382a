"""Something mounted on this host for a test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from virtometer.host.owned.directories import detach_mount


@contextmanager
def mounted(where: Path, *how: str | Path) -> Iterator[None]:
    """Something mounted that a test takes off; whatever becomes of the test, no mount is left."""
    subprocess.run(["mount", *how, where], check=True)
    try:
        yield
    finally:
        detach_mount(where)
