"""What guests of one laboratory share on the host: made when the first asks, removed when the laboratory ends."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Callable, Hashable
from typing import Protocol

from virtometer.errors import VirtometerError
from virtometer.host.owned.journal import Journal

_NUMBERS = itertools.count(1)


class Make(Protocol):
    """What makes something."""

    def __call__(self, guest_id: str, on_end: Callable[[Callable[[], object]], None]) -> str:
        """Make it; returns its name.

        guest_id: under which the journal gets it before it exists. on_end: takes what removes it, before that, too.
        """


class Shared:
    """Things by their keys. Several threads may ask at once: one makes a thing, and the others wait for it."""

    def __init__(self) -> None:
        """Does no work."""
        self._lock = threading.Lock()
        self._names: dict[Hashable, str] = {}
        self._ends: list[tuple[Journal, str, list[Callable[[], object]]]] = []

    def get(self, journal: Journal, key: Hashable, make: Make) -> str:
        """The name of what this key stands for. Raises what `make` raises, after what it made was removed."""
        with self._lock:
            if key not in self._names:
                # The sweep takes the last name first. What guests use is removed after them.
                guest_id = f"0-shared-{os.getpid()}-{next(_NUMBERS)}"
                ends: list[Callable[[], object]] = []
                try:
                    self._names[key] = make(guest_id, ends.append)
                except BaseException:
                    _end(journal, guest_id, ends)
                    raise
                self._ends.append((journal, guest_id, ends))
            return self._names[key]

    def close(self) -> None:
        """Remove all. What cannot be removed stays in the journal, for the sweep of the next start. Idempotent."""
        with self._lock:
            self._names.clear()
            while self._ends:
                _end(*self._ends.pop())


def _end(journal: Journal, guest_id: str, ends: list[Callable[[], object]]) -> None:
    with contextlib.suppress(VirtometerError, OSError):
        for end in reversed(ends):
            end()
        journal.forget(guest_id)
