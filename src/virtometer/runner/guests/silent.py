"""Stops silent guests for a moment, to find out what they cost the guest that works."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from virtometer.environments.base import Guest

PAUSE_S = 0.002
"""After a signal to the guests, until what it wakes in them is over."""


@contextmanager
def silent(guests: Iterable[Guest], *, stopped: bool) -> Iterator[None]:
    """While the block works, the processes of these guests stand still (`stopped`), or go on as they are.

    PermissionError where a process may not be stopped. A process that is traced stands still with the one that traces
    it. Whatever ends the block, all go on afterwards; a stopped guest that its laboratory leaves is killed as others.
    """
    processes = [process for guest in guests for process in guest.processes()] if stopped else []
    processes = [process for process in processes if not is_traced(process)]
    try:
        for process in processes:
            send(process, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        yield
    finally:
        for process in processes:
            with suppress(PermissionError):
                send(process, signal.SIGCONT)
        time.sleep(PAUSE_S)


def send(process: int, sign: signal.Signals) -> None:
    """Send a signal to a process that may have ended. PermissionError where that is not allowed."""
    with suppress(ProcessLookupError):
        os.kill(process, sign)


def is_traced(process: int) -> bool:
    """Whether another process traces it, or it has ended."""
    try:
        return "TracerPid:\t0\n" not in Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended
        return True
