"""The next session of tests removes what a killed one left, and nothing of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.killed_sessions import remove_killed, remove_locks

# Records a directory as a guest's, and ends without removing it.
LEAVES = """
import sys
from pathlib import Path
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal
Journal(Path(sys.argv[1])).record("t1-1", DIRECTORY, path=sys.argv[2])
"""


@pytest.mark.parametrize("session", ["killed", "living", "ended"])
def test_only_what_a_killed_session_left_is_removed(tmp_path: Path, session: str) -> None:
    folder, left = tmp_path / "pytest-7", tmp_path / "left"
    left.mkdir()
    state = folder / "test_a_guest0" / "state"
    with subprocess.Popen([sys.executable, "-c", LEAVES, str(state), str(left)]) as owner:
        assert owner.wait() == 0
    if session != "ended":
        (folder / ".lock").write_text(str(os.getpid() if session == "living" else owner.pid))
    assert len(remove_killed(tmp_path)) == (session == "killed")
    assert left.exists() == (session != "killed")
    assert (state / "t1-1.json").exists() == (session != "killed")


def test_locks_of_processes_that_are_gone_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        assert gone.wait() == 0
    names = [f"tests-{gone.pid}.lock", f"tests-{os.getpid()}.lock", "another.lock"]
    for name in names:
        (tmp_path / name).touch()
    remove_locks(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
