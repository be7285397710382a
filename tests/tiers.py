"""Which tests `make test` leaves out: tests/seconds.txt, whose lines are files and, below each, names of its tests."""

from __future__ import annotations

from collections.abc import Iterator


def listed(text: str) -> Iterator[str]:
    """Names of tests below tests/, as pytest has them: `FILE::NAME`, or with a parameter."""
    file = ""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith(" "):
            yield f"{file}::{line.strip()}"
        else:
            file = line
