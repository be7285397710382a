"""Where images are made before they have their final names: a directory that no kill of the laboratory leaves behind.

It is in the journal before it exists. Programs that work in it carry its mark, so that the next start of a laboratory
ends those that outlived this one, and then removes the directory, never through a mount.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.directories import DIRECTORY, remove_directory
from virtometer.host.owned.journal import Journal, Owner
from virtometer.host.owned.processes import marker_of
from virtometer.programs import Programs

PARTIAL = ".partial-"
"""How the names of such directories begin."""


@contextmanager
def draft_in(place: Path, journal: Journal, programs: Programs) -> Iterator[Path]:
    """A new directory in `place`; what is finished in it is renamed out of it, and the rest is removed at the end.

    Raises OSError where it cannot be made, and what `Journal.record` raises. What cannot be removed stays in the
    journal, for the next start.
    """
    name = f"draft-{uuid.uuid4().hex[:12]}"
    directory = place.resolve() / f"{PARTIAL}{name}"
    journal.record(name, DIRECTORY, path=str(directory))
    try:
        directory.mkdir(mode=0o700, parents=True)
        with programs.marking(marker_of(name, Owner.this())):
            yield directory
    finally:
        with deferred_signals(), contextlib.suppress(EnvironmentFailed, OSError):
            remove_directory(directory)
            journal.forget(name)
