"""Directories in which images are made: gone when that ends, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import EnvironmentFailed
from virtometer.host.owned import drafts
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.drafts import draft_in
from virtometer.host.owned.journal import Journal
from virtometer.processes import stat_of
from virtometer.programs import Programs


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def test_a_draft_is_in_the_journal_while_it_exists(tmp_path: Path, journal: Journal) -> None:
    place = tmp_path / "a" / "place"
    with draft_in(place, journal, Programs()) as work:
        assert work.parent == place and work.is_dir()
        [entry] = journal.directory.glob("*.json")
        assert journal.resources(entry.stem) == ({"resource": DIRECTORY.name, "path": str(work)},)
        (work / "image").write_text("made")
        (work / "image").rename(place / "image")
    assert [path.name for path in place.iterdir()] == ["image"]
    assert list(journal.directory.iterdir()) == []


def test_a_draft_of_what_fails_is_gone(tmp_path: Path, journal: Journal) -> None:
    with pytest.raises(KeyError), draft_in(tmp_path / "place", journal, Programs()) as work:
        (work / "half").mkdir()
        raise KeyError
    assert list((tmp_path / "place").iterdir()) == []
    assert list(journal.directory.iterdir()) == []


def test_a_draft_that_cannot_be_removed_stays_in_the_journal(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> str:
        raise EnvironmentFailed(f"something is still mounted in {path}")

    monkeypatch.setattr(drafts, "remove_directory", refuse)
    with draft_in(tmp_path / "place", journal, Programs()) as work:
        pass
    assert work.is_dir()
    assert len(list(journal.directory.glob("*.json"))) == 1


KILLED = """
import sys
from pathlib import Path
from virtometer.host.owned.drafts import draft_in
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs
place, state, script = sys.argv[1:]
programs = Programs()
with draft_in(Path(place), Journal(Path(state)), programs) as work:
    programs.run(["sh", "-c", script], purpose="a test", cwd=work, limit_s=600)
"""
WRITES = """
setsid sh -c 'while :; do date >now; sleep 0.01; done' & echo $! >../pid
{mount}; : >../ready; sleep 600
"""


@pytest.mark.parametrize(
    "mount",
    ["true", pytest.param("mkdir m; mount -t tmpfs none m; : >m/file", marks=pytest.mark.skipif("os.geteuid() != 0"))],
)
def test_after_a_kill_the_clean_up_ends_what_writes_there_and_removes_it(
    tmp_path: Path, journal: Journal, mount: str
) -> None:
    place, said = tmp_path / "place", tmp_path / "place" / "pid"
    words: list[str | Path] = [sys.executable, "-c", KILLED, place, journal.directory, WRITES.format(mount=mount)]
    laboratory = subprocess.Popen(words)
    wait_until((place / "ready").exists)
    laboratory.send_signal(signal.SIGKILL)
    laboratory.wait()
    writer = int(said.read_text())
    assert stat_of(writer) is not None
    [sentence] = remove_leftovers(journal, Programs())
    assert "process" in sentence and f"directory {place}" in sentence
    assert (one := stat_of(writer)) is None or one.state in "ZX"
    assert sorted(path.name for path in place.iterdir()) == ["pid", "ready"]
    assert str(place) not in Path("/proc/self/mountinfo").read_text()
    assert list(journal.directory.iterdir()) == []
