"""What the network interfaces of a namespace have received and sent. Source: proc(5), /proc/PID/net/dev."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Mapping

from virtometer.host.network.lan import NAMESPACES

Counts = tuple[int, int, int, int, int, int]
"""Bytes, packets and dropped packets received, then the same of what was sent, since the interface was made."""

NOTHING: Counts = (0, 0, 0, 0, 0, 0)


class InterfaceTable:
    """The interfaces of a network namespace. The file stays open: it goes on showing that namespace."""

    def __init__(self, namespace: str | None = None) -> None:
        """`namespace`: its name; None: the one of this process. Raises OSError where it cannot be read."""
        self._file = _opened() if namespace is None else _opened_in(namespace)

    def read(self) -> Mapping[str, Counts]:
        """What each interface counts, by its name."""
        text, size = b"", 1 << 14
        while piece := os.pread(self._file, size, len(text)):
            text += piece
        return parse(text.decode(errors="replace"))

    def close(self) -> None:
        """Close the file: it keeps the namespace alive. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def parse(text: str) -> dict[str, Counts]:
    """Counts by interface from the text of /proc/net/dev."""
    found = {}
    for line in text.splitlines()[2:]:
        name, _, rest = line.rpartition(":")
        n = rest.split()
        found[name.strip()] = (int(n[0]), int(n[1]), int(n[3]), int(n[8]), int(n[9]), int(n[11]))
    return found


def _opened() -> int:
    return os.open("/proc/thread-self/net/dev", os.O_RDONLY | os.O_CLOEXEC)


def _opened_in(namespace: str) -> int:
    """Open the table in another namespace: a thread goes there and ends, so that this one never leaves its own."""
    found: list[int] = []
    faults: list[OSError] = []
    libc = ctypes.CDLL(None, use_errno=True)

    def go() -> None:
        try:
            entry = os.open(NAMESPACES / namespace, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if libc.setns(entry, 0) != 0:
                    raise OSError(ctypes.get_errno(), "setns")
            finally:
                os.close(entry)
            found.append(_opened())
        except OSError as cause:
            faults.append(cause)

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return found[0]
