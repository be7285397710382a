"""What exists on the host because of us, written down before it is made, so that the next start can clean up after a SIGKILL."""

from __future__ import annotations

from pathlib import Path

from virtometer.programs import Programs


class Journal:
    """One file per guest in a state directory; a file whose laboratory no longer runs is swept."""

    def __init__(self, directory: Path) -> None:
        """`directory` is this user's state directory; it is made when the first thing is recorded."""
        self.directory = directory

    def record(self, guest_id: str, resource: str, **what: str | int) -> None:
        """Note a resource that is about to be made. Kinds: process-group, mount, namespace, cgroup, directory, runc, runsc."""
        raise NotImplementedError

    def forget(self, guest_id: str) -> None:
        """The guest's resources are all gone."""
        raise NotImplementedError

    def sweep(self, programs: Programs) -> list[str]:
        """Remove what laboratories that no longer run left behind; returns one sentence for each guest swept."""
        raise NotImplementedError
