"""A sign of life while something takes a moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from virtometer.cli.parts.console import PlainConsole

AFTER_S = 0.7


@contextmanager
def notice(text: str, *, piped: bool = False) -> Iterator[None]:
    """Print a line on standard error, where that is a terminal or `piped`, when the block takes longer than AFTER_S.

    By a thread, so it is for the time in which nothing is measured.
    """
    if not piped and not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(AFTER_S, lambda: PlainConsole(stderr=True).print(text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
