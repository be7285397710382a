"""What a guest shares with the host, in a user's words. PURE."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_MADE_ANEW = ("/dev", "/proc", "/run", "/sys")  # by guests, so that what is mounted there before would be hidden


@dataclass(frozen=True, slots=True)
class Bind:
    """host: what is shared. guest: the path that it has in guests, without links."""

    host: Path
    guest: Path
    writable: bool = True


def bind_of(text: str) -> Bind:
    """The words HOST:GUEST, HOST:GUEST:ro or HOST:GUEST:rw. Raises ValueError for what is neither."""
    parts = text.split(":")
    mode = parts.pop() if len(parts) == 3 else "rw"
    if len(parts) != 2 or mode not in ("ro", "rw"):
        raise ValueError(f"must be HOST:GUEST or HOST:GUEST:ro, not {text!r}")
    if not all(part.startswith("/") for part in parts) or "\0" in text:
        raise ValueError(f"must have full paths, which {text!r} has not")
    host, guest = (Path(part) for part in parts)
    if ".." in guest.parts or guest == Path("/"):
        raise ValueError(f"must have a directory or a file below / for guests, not {guest}")
    if any(guest.is_relative_to(place) for place in _MADE_ANEW):
        raise ValueError(f"cannot be at {guest}: guests make {', '.join(_MADE_ANEW)} anew")
    return Bind(host, guest, mode == "rw")
