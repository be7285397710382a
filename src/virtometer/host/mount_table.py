"""What is mounted on this host, as this process sees it: proc(5), /proc/PID/mountinfo."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mount:
    """A mount: where it is, and the type of its file system, such as ext4."""

    point: str
    kind: str


def mount_table() -> list[Mount]:
    """All mounts, in the order of the kernel's table; of several at one place the last one is seen there."""
    table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    found = []
    for line in table:
        fields = line.split()
        # Optional fields end with a hyphen, and the type follows.
        found.append(Mount(_plain(fields[4]), fields[fields.index("-", 6) + 1]))
    return found


def _plain(field: str) -> str:
    r"""A field of the table without its escapes: blanks stand as \040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)
