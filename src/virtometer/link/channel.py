"""Lines over a pair of file descriptors, with limits and time-outs. No threads: reading happens where time is taken."""

from __future__ import annotations

import contextlib
import os
import select
import time
from dataclasses import dataclass

from virtometer.errors import LinkClosed, LinkError, LinkTimeout

MAX_LINE = 65_536
_PAUSE_S = 0.005  # in which a guest reads what it was sent at once


@dataclass(slots=True)
class Stream:
    """A pair of file descriptors that lead to an agent. They may be the same one (a socket, a serial line).

    at_once: bytes of a line after which the other side is given time to read; 0: it takes all that is sent.
    """

    read_fd: int
    write_fd: int
    at_once: int = 0

    def close(self) -> None:
        """Close both descriptors. Idempotent."""
        for fd in {self.read_fd, self.write_fd}:
            if fd >= 0:
                with contextlib.suppress(OSError):
                    os.close(fd)
        self.read_fd = self.write_fd = -1


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it came, with the host time (ns, CLOCK_MONOTONIC) at which the read that completed it returned."""

    data: bytes
    received_ns: int


class Channel:
    """Lines over a stream. A fault of the framing ends the channel: it is not used again."""

    def __init__(self, stream: Stream) -> None:
        """Takes the stream over; `close` closes it."""
        self.stream = stream
        os.set_blocking(stream.read_fd, False)
        os.set_blocking(stream.write_fd, False)
        self._buffer = bytearray()
        self._scanned = 0
        self._last_read_ns = 0
        self.received_bytes = 0
        self.received_lines = 0

    def fileno(self) -> int:
        """The descriptor to select on."""
        return self.stream.read_fd

    def send(self, data: bytes, limit_s: float) -> int:
        """Send one line (newline included) and return the host time in ns just before its first byte went out.

        Raises LinkTimeout when the other side does not take it in time, LinkClosed when it is gone.
        """
        if len(data) > MAX_LINE:
            raise LinkError(f"a message of {len(data)} bytes is longer than the {MAX_LINE} that the protocol allows")
        deadline = time.monotonic() + limit_s
        view = memoryview(data)
        sent_ns = time.monotonic_ns()
        while view:
            try:
                written = os.write(self.stream.write_fd, view[: self.stream.at_once or None])
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self.stream.write_fd], [], left)[1]:
                    raise LinkTimeout(f"the agent took nothing from its channel for {limit_s:g} s") from None
                continue
            except OSError as cause:
                raise LinkClosed(f"the agent's channel is closed ({cause.strerror})") from cause
            view = view[written:]
            if view and self.stream.at_once:
                time.sleep(_PAUSE_S)
        return sent_ns

    def receive(self, limit_s: float) -> Line | None:
        """Return the next line (without its newline), or None when none was complete within `limit_s`.

        Raises LinkClosed at the end of the stream, LinkError for a line that is too long.
        """
        deadline = time.monotonic() + limit_s
        while True:
            line = self._take()
            if line is not None:
                return line
            left = deadline - time.monotonic()
            if not select.select([self.stream.read_fd], [], [], max(left, 0.0))[0]:
                if left <= 0:
                    return None
                continue
            try:
                chunk = os.read(self.stream.read_fd, MAX_LINE)
            except BlockingIOError:
                continue
            except OSError as cause:
                raise LinkClosed(f"the agent's channel is closed ({cause.strerror})") from cause
            self._last_read_ns = time.monotonic_ns()
            if not chunk:
                raise LinkClosed("the agent closed its channel")
            self.received_bytes += len(chunk)
            self._buffer += chunk

    def _take(self) -> Line | None:
        end = self._buffer.find(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._buffer)
            if len(self._buffer) >= MAX_LINE:
                raise LinkError(f"the agent sent a line of more than {MAX_LINE} bytes")
            return None
        if end >= MAX_LINE:
            raise LinkError(f"the agent sent a line of more than {MAX_LINE} bytes")
        data = bytes(self._buffer[:end]).removesuffix(b"\r")
        del self._buffer[: end + 1]
        self._scanned = 0
        self.received_lines += 1
        return Line(data, self._last_read_ns)

    def close(self) -> None:
        """Close the stream. Idempotent."""
        self.stream.close()
