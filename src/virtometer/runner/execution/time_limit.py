"""A time limit of what is done with text from a guest: some regular expressions take ages with some texts."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from virtometer.errors import UsageError

READING_S = 2.0


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Raise UsageError in the block when so many seconds have passed. what: the subject of its sentence.

    Python's matching of regular expressions looks for signals, and ends when a handler raises. Of threads beside the
    main one, which get no signals, there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise UsageError(f"{what} took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    begun = time.monotonic()
    left_s, every_s = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if left_s:  # somebody else's timer goes on
            signal.setitimer(signal.ITIMER_REAL, max(left_s - (time.monotonic() - begun), 0.001), every_s)
