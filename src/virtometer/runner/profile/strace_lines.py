"""What strace says of a command, counted line by line as it comes (strace(1) -f -y). PURE."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from virtometer.analysis.profile import calls

_LINE = re.compile(rb"^(?:(\d+) +)?(?:<\.\.\. (\w+) resumed>|(\w+)\((?:\d+<(pipe|socket)(?::\[(\d+)\])?)?)")
_RESULT = re.compile(rb"= (-?\d+)(?: \(left [^)]*\)|[^=]*)$")
_SECOND = re.compile(rb", \d+<socket:\[(\d+)\]>")
_SOCKET = re.compile(rb"\d+<socket:\[(\d+)\]>")
_LENGTH = re.compile(rb"msg_len=(\d+)")
_MAKING = frozenset((b"socket", b"accept", b"accept4", b"socketpair"))
_SPLICE = b"splice"
_MANY = frozenset((b"sendmmsg", b"recvmmsg"))
_RECEIVED = frozenset((b"recvfrom", b"recvmsg", b"recvmmsg", b"read", b"readv", _SPLICE))
_SENT = frozenset((b"sendto", b"sendmsg", b"sendmmsg", b"write", b"writev", b"sendfile"))
_READS = frozenset(name.encode() for name in calls.CLASSES[calls.READ])
_MOVING = frozenset(name.encode() for of in calls.MOVING for name in calls.CLASSES[of])
_ON_SOCKETS = _MOVING | frozenset(name.encode() for name in calls.CLASSES[calls.NETWORK])

UNABBREVIATED = ("sendmmsg", "recvmmsg", "socketpair")
"""Calls whose arrays the lines must show, which strace leaves out beside -s 0: messages and descriptors."""


class _Sockets:
    """Which sockets are those of IPv4 or IPv6, by what made them.

    strace -yy prints it of each descriptor. But it reads the list of all sockets of the host for each new one, which
    is 20 times as long for a command that makes 3,000 connections.
    """

    def __init__(self) -> None:
        self._internet: dict[bytes, bool] = {}

    def internet(self, inode: bytes) -> bool | None:
        """None of a socket that was made before the command began, or elsewhere."""
        return self._internet.get(inode)

    def made(self, name: bytes, inode: bytes, line: bytes) -> None:
        """By a call of _MAKING. inode: of the listening socket, for those that accept."""
        new = _SOCKET.findall(line)
        internet = self.internet(inode) if inode else name == b"socket" and b"(AF_INET" in line
        if internet is not None:
            self._internet.update(dict.fromkeys(new, internet))


class Counted:
    """Calls so far, by class and by name. sent, received: bytes through sockets. read: bytes by reads of files."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.classes: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.sent = self.received = self.read = 0
        self._sockets = _Sockets()
        self._begun: dict[bytes, tuple[bytes, bytes, bytes, bytes]] = {}

    def take(self, lines: Iterable[bytes]) -> None:
        """Lines without their ends. A call that others interrupt has two of them, and counts at its end."""
        for line in lines:
            found = _LINE.match(line)
            if found is None:
                continue
            process, resumed, name, kind, inode = found[1] or b"", found[2], found[3], found[4] or b"", found[5] or b""
            if resumed is None and line.endswith(b"<unfinished ...>"):
                self._begun[process] = (name, kind, inode, line)
                continue
            if resumed is not None:
                name, kind, inode, begun = self._begun.pop(process, (resumed, b"", b"", b""))
                line = begun + line
            self._count(name, kind, inode, line)

    def end(self) -> None:
        """No line follows: calls that never returned, as of a process that was killed, count too."""
        for name, kind, inode, line in self._begun.values():
            self._count(name, kind, inode, line)
        self._begun.clear()

    def _count(self, name: bytes, kind: bytes, inode: bytes, line: bytes) -> None:
        result = _RESULT.search(line)
        number = int(result[1]) if result is not None else 0
        text = name.decode()
        self.calls[text] += 1
        of = calls.CLASS_OF.get(text, calls.SIMPLE)
        moved = max(number, 0)
        sent = name in _SENT
        if name in _MAKING and number >= 0:
            self._sockets.made(name, inode, line)
        elif name == _SPLICE and kind != b"socket" and (second := _SECOND.search(line)) is not None:
            kind, inode, sent = b"socket", second[1], True
        elif name in _MANY:
            moved = sum(int(length) for length in _LENGTH.findall(line)[:moved])
        if of == calls.PROCESS and number < 0:  # a folder of the PATH has no such program
            of = calls.METADATA
        elif of == calls.FORK and b"CLONE_THREAD" in line:
            of = calls.THREAD
        elif kind and name in _ON_SOCKETS:
            of = self._of_descriptor(name, kind, inode)
        if of == calls.NETWORK and number < 0:  # nothing was there, or there was no room
            of = calls.SIMPLE
        self.classes[of] += 1
        if of == calls.READ and name in _READS:
            self.read += moved
        if kind == b"socket":
            self.sent += moved if sent else 0
            self.received += moved if not sent and name in _RECEIVED else 0

    def _of_descriptor(self, name: bytes, kind: bytes, inode: bytes) -> str:
        """The class of a call on a pipe or a socket. Of a socket that is not known, the name of the call tells."""
        internet = self._sockets.internet(inode) if kind == b"socket" else False
        if internet is None:
            internet = name not in _MOVING
        return calls.NETWORK if internet else calls.PIPE
