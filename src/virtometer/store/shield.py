"""Some work must not be cut in the middle by Ctrl-C: a transaction, the clean-up of a guest."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off the signals that stop a laboratory until the end of the block; none is lost. The block must end soon."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled in the main thread only
        return
    pending: list[tuple[int, FrameType | None]] = []

    def later(number: int, frame: FrameType | None) -> None:
        pending.append((number, frame))

    handlers = {number: signal.getsignal(number) for number in _STOPPING}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in ours:
            signal.signal(number, later)
        yield
    finally:
        # While they are put back none may come: it would leave the rest as they are.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        for number, handler in ours.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for sent, frame in pending:
            ours[signal.Signals(sent)](sent, frame)
