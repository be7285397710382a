"""What is kept between uses, in the user's cache directory. It may be lost at any time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path


def cache_directory() -> Path:
    """Where images and scripts are kept: $XDG_CACHE_HOME/virtometer."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "virtometer"


def kept(name: str, make: Callable[[], str]) -> str:
    """The text that `make` gives, from the cache where it is there. `name` must change when the text does.

    A file that is damaged, that is no regular file, or that others may have written is made anew. Where the cache
    cannot be written, nothing is kept.
    """
    try:
        path = cache_directory() / name
    except RuntimeError:  # a user without a home
        return make()
    text = _read(path)
    if text is None:
        text = make()
        with contextlib.suppress(OSError):
            _write(path, text)
    return text


def _read(path: Path) -> str | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            return None
        digest, _, text = file.read().partition(b"\n")
    return text.decode("utf-8") if digest == _digest(text) else None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    content = text.encode("utf-8")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(_digest(content) + b"\n" + content)
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
