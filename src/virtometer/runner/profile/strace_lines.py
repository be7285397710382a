"""What strace says of a command, counted line by line as it comes (strace(1) -f -y). PURE."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from virtometer.analysis.profile import calls

_LINE = re.compile(rb"^(?:(\d+) +)?(?:<\.\.\. (\w+) resumed>|(\w+)\((?:\d+<(pipe|socket|TCP|UDP|UNIX)[^>]*>)?)")
_RESULT = re.compile(rb"= (-?\d+)[^=]*$")
_RECEIVED = frozenset((b"recvfrom", b"recvmsg", b"read", b"readv"))
_SENT = frozenset((b"sendto", b"sendmsg", b"write", b"writev"))
_READS = frozenset(name.encode() for name in calls.CLASSES[calls.READ])
_MOVING = frozenset(name.encode() for of in calls.MOVING for name in calls.CLASSES[of])


class Counted:
    """Calls so far, by class and by name. sent, received: bytes through sockets. read: bytes by reads of files."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.classes: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.sent = self.received = self.read = 0
        self._begun: dict[bytes, tuple[bytes, bytes, bytes]] = {}

    def take(self, lines: Iterable[bytes]) -> None:
        """Lines without their ends. A call that others interrupt has two of them, and counts at its end."""
        for line in lines:
            found = _LINE.match(line)
            if found is None:
                continue
            process, resumed, name, kind = found[1] or b"", found[2], found[3], found[4] or b""
            if resumed is None and line.endswith(b"<unfinished ...>"):
                self._begun[process] = (name, kind, line)
                continue
            if resumed is not None:
                name, kind, begun = self._begun.pop(process, (resumed, b"", b""))
                line = begun + line
            self._count(name, kind, line)

    def end(self) -> None:
        """No line follows: calls that never returned, as of a process that was killed, count too."""
        for name, kind, line in self._begun.values():
            self._count(name, kind, line)
        self._begun.clear()

    def _count(self, name: bytes, kind: bytes, line: bytes) -> None:
        result = _RESULT.search(line)
        number = int(result[1]) if result is not None else 0
        text = name.decode()
        self.calls[text] += 1
        of = calls.CLASS_OF.get(text, calls.SIMPLE)
        moved = max(number, 0)
        if of == calls.PROCESS and number < 0:  # a folder of the PATH has no such program
            of = calls.METADATA
        elif of == calls.FORK and b"CLONE_THREAD" in line:
            of = calls.THREAD
        elif kind and name in _MOVING:
            of = calls.PIPE
        self.classes[of] += 1
        if of == calls.READ and name in _READS:
            self.read += moved
        if kind and kind != b"pipe":
            self.sent += moved if name in _SENT else 0
            self.received += moved if name in _RECEIVED else 0
