"""Which network interfaces a guest has, read back from the host's kernel. Source: proc(5), /proc/PID/net/dev."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from virtometer.environments.base import Guest


def interfaces_of(guest: Guest) -> dict[str, Any]:
    """As effective settings: the interfaces of its youngest process. Raises OSError or ValueError where it has none."""
    lines = (Path("/proc") / str(max(guest.processes())) / "net/dev").read_text().splitlines()
    return {"interfaces": sorted(name.strip() for name, colon, _ in (line.partition(":") for line in lines) if colon)}
