"""Some work must not be cut in the middle by Ctrl-C: a transaction, the clean-up of a guest, a fork."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Put off the signals that stop a laboratory until the end of the block; none is lost. The block must end soon.

    Blocking them would not do: another thread (numpy has some) would take one, and Python would call the handler here.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled in the main thread only
        return
    pending: list[tuple[int, FrameType | None]] = []
    open_again = False

    def later(number: int, frame: FrameType | None) -> None:
        if open_again:
            ours[signal.Signals(number)](number, frame)
        else:
            pending.append((number, frame))

    handlers = {number: signal.getsignal(number) for number in _STOPPING}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in ours:
            signal.signal(number, later)
        yield
    finally:
        # One that comes from here on may leave some of them in place: they pass on what they get.
        open_again = True
        for number, handler in ours.items():
            signal.signal(number, handler)
        for sent, frame in pending:
            ours[signal.Signals(sent)](sent, frame)
