"""Imports what a command needs next while it reads: a ledger is read without the interpreter for the most part."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Iterator

_SWITCH_S = 0.0005  # threads that read need the interpreter often, for a moment each time


@contextlib.contextmanager
def importing(*modules: str) -> Iterator[None]:
    """Import modules in a thread while the block does something else. It ends when both have ended.

    A module that cannot be imported says so where it is used.
    """

    def import_all() -> None:
        with contextlib.suppress(Exception):
            for name in modules:
                importlib.import_module(name)

    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    thread = threading.Thread(target=import_all, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        sys.setswitchinterval(before)
