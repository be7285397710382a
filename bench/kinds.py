"""Environments with their default settings, ready to start guests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from virtometer.environments.base import Environment, Settings
from virtometer.environments.leftovers import remove_leftovers
from virtometer.environments.registry import KINDS
from virtometer.errors import VirtometerError
from virtometer.model import Limits, PlanEnvironment
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.lab.context import lab_context
from virtometer.runner.lab.doctor import status


class NotHere(Exception):
    """Why a kind does not work here."""


class Starter:
    """Starts guests of one kind."""

    def __init__(self, kind: str, environment: Environment, settings: Settings) -> None:
        self._plan = PlanEnvironment(name=kind, kind=kind)
        self._environment = environment
        self._settings = settings
        self._started = 0

    def start(self) -> RunningGuest:
        """One more guest. The caller stops it."""
        self._started += 1
        guest_id = f"bench-{self._plan.kind[:8]}-{self._started}"
        return RunningGuest.start(self._environment, self._plan, self._settings, guest_id, Limits())


@contextmanager
def opened(kind: str) -> Iterator[Starter]:
    """A kind that is checked and prepared. Raises NotHere."""
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder, lab_context(Path(folder)) as lab:
        remove_leftovers(lab.journal, lab.programs)
        environment = KINDS[kind](lab)
        found = status(environment)
        if not found.works:
            raise NotHere(found.reason)
        settings = environment.settings_type()
        environment.prepare(settings)
        yield Starter(kind, environment, settings)


def tell(kinds: Sequence[str], rows: Callable[[str], Iterator[str]]) -> bool:
    """Print the rows of each kind as they come, or why it has none. False where one failed."""
    sound = True
    for kind in kinds:
        try:
            for row in rows(kind):
                print(f"{kind}: {row}", flush=True)
        except NotHere as reason:
            print(f"{kind}: not available here: {reason}", flush=True)
        except VirtometerError as fault:
            print(f"{kind}: FAILED: {fault.sentence}", flush=True)
            sound = False
    return sound
