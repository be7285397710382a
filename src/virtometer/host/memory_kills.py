"""How many processes the host's kernel has killed for memory, in whatever group. Source: proc(5), vmstat."""

from __future__ import annotations

from pathlib import Path


def memory_kills(table: Path = Path("/proc/vmstat")) -> int | None:
    """The count since the host has started; None where the kernel does not say so."""
    try:
        lines = table.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)
