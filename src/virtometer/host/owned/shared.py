"""What guests of one laboratory share on the host: made when the first asks, removed when the laboratory ends."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from virtometer.errors import VirtometerError
from virtometer.host.owned.journal import Journal

_NUMBERS = itertools.count(1)

Key = tuple[str, str]
"""Where a thing is, such as the address of a daemon, and of what it is made."""


class Make(Protocol):
    """What makes something."""

    def __call__(self, guest_id: str, on_end: Callable[[Callable[[], object]], None]) -> str:
        """Make it; returns its name.

        guest_id: under which the journal gets it before it exists. on_end: takes what removes it, before that, too.
        """


@dataclass(eq=False, slots=True)
class _Thing:
    journal: Journal
    guest_id: str
    ends: list[Callable[[], object]] = field(default_factory=list)
    name: str = ""

    def end(self) -> None:
        """Remove it; where that fails, the journal keeps it."""
        with contextlib.suppress(VirtometerError, OSError):
            for end in reversed(self.ends):
                end()
            self.journal.forget(self.guest_id)


class Shared:
    """Things by their keys. Several threads may ask at once: one makes a thing, and the others wait for it."""

    def __init__(self) -> None:
        """Does no work."""
        self._lock = threading.Lock()
        self._names: dict[Key, str] = {}
        self._things: list[_Thing] = []

    def get(self, journal: Journal, key: Key, make: Make) -> str:
        """The name of what this key stands for. Raises what `make` raises, after what it made was removed."""
        with self._lock:
            if key not in self._names:
                # The clean-up takes the last name first. What guests use is removed after them.
                guest_id = f"0-shared-{os.getpid()}-{next(_NUMBERS)}"
                one = _Thing(journal, guest_id)
                self._things.append(one)  # before it is made: an interrupt may come at any time
                try:
                    self._names[key] = one.name = make(guest_id, one.ends.append)
                except BaseException:
                    self._things.remove(one)
                    one.end()
                    raise
            return self._names[key]

    def names(self) -> dict[Key, str]:
        """Of all that is there."""
        with self._lock:
            return dict(self._names)

    def forget(self, key: Key) -> None:
        """Somebody has taken this thing away: the next one that needs it makes it again."""
        with self._lock:
            name = self._names.pop(key)
            for one in [one for one in self._things if one.name == name]:
                self._things.remove(one)
                one.end()

    def close(self) -> None:
        """Remove all. What cannot be removed stays in the journal, for the clean-up of the next start. Idempotent."""
        with self._lock:
            self._names.clear()
            while self._things:
                self._things.pop().end()
