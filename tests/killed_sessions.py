"""Removes what tests left whose session was killed. Their journals stand in its temporary folder, which pytest keeps.

A session that ends as it should removes the file `.lock` of its folder. Tunings of the host are left alone: the entries
of tests name values that were never those of this host.
"""

from __future__ import annotations

import getpass
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.lxc_like import LxcLike
from virtometer.environments.leftovers import remove_guest, resources
from virtometer.environments.registry import KINDS
from virtometer.environments.tuning.host import COMMAND, SYSCTL, SYSFS
from virtometer.errors import StorageError
from virtometer.host.owned.journal import Journal, state_directory
from virtometer.processes import stat_of
from virtometer.programs import Programs

_TUNINGS = {SYSCTL.name, SYSFS.name, COMMAND.name}


def remove_killed(sessions: Path) -> list[str]:
    """Remove the guests of all killed sessions among these folders; a sentence for each."""
    programs, removed = Programs(), []
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(KINDS, LxcLike.kind, LxcLike)
        known = resources().keys() - _TUNINGS
        for state in _states(sessions):
            journal = Journal(state)
            try:
                journal.refuse_foreign_directory()
            except StorageError:  # a test made it so
                continue
            for path in sorted(state.glob("*.json"), reverse=True):
                entry = journal.read(path)
                names = set() if entry is None else {one["resource"] for one in entry.resources}
                if entry is not None and not entry.owner.alive() and names <= known:
                    removed.append(remove_guest(path, entry, programs))
    return removed


def _states(sessions: Path) -> Iterator[Path]:
    """The journals in the folders of sessions that did not end as they should, and whose process is gone."""
    for lock in sessions.glob("pytest-*/.lock"):
        pid = lock.read_text().strip()
        if not (pid.isdigit() and stat_of(int(pid))):
            yield from (path for path in lock.parent.rglob("state") if path.is_dir() and not path.is_symlink())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Once for each run, before its processes of tests begin."""
    if not hasattr(session.config, "workerinput"):
        given = session.config.getoption("basetemp")
        folder = Path(given).parent if given else Path(tempfile.gettempdir()) / f"pytest-of-{getpass.getuser()}"
        remove_killed(folder)
        remove_locks(state_directory())


def remove_locks(directory: Path) -> None:
    """Remove the files of the locks of processes of tests that are gone."""
    for path in directory.glob("tests-*.*"):
        pid = path.stem.removeprefix("tests-")
        if pid.isdigit() and not stat_of(int(pid)):
            path.unlink(missing_ok=True)
