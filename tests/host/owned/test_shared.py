"""What guests share: made once, journaled, removed at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal
from virtometer.host.owned.shared import Shared


class Maker:
    """Makes a directory, slowly, and counts."""

    def __init__(self, journal: Journal, parent: Path, fails: bool = False) -> None:
        self.journal, self.parent, self.fails = journal, parent, fails
        self.made = 0

    def __call__(self, guest_id: str, on_end: Callable[[Callable[[], object]], None]) -> str:
        self.made += 1
        path = self.parent / guest_id
        self.journal.record(guest_id, DIRECTORY, path=str(path))
        on_end(path.rmdir)
        path.mkdir()
        time.sleep(0.05)
        if self.fails:
            raise EnvironmentFailed("it cannot be made")
        return guest_id


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def left(journal: Journal) -> list[str]:
    return [path.stem for path in journal.directory.glob("*.json")]


def test_one_of_many_that_ask_at_once_makes_it(journal: Journal, tmp_path: Path) -> None:
    shared, maker = Shared(), Maker(journal, tmp_path)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(shared.get(journal, ("here", "key"), maker))) for _ in range(8)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert maker.made == 1
    assert len(found) == 8
    [name] = set(found)
    assert (tmp_path / name).is_dir()
    assert left(journal) == [name]
    assert shared.get(journal, ("here", "other"), maker) != name
    assert shared.names()["here", "key"] == name
    shared.forget(("here", "key"))
    assert not (tmp_path / name).exists()
    assert shared.get(journal, ("here", "key"), maker) != name
    assert maker.made == 3
    shared.close()
    shared.close()
    assert left(journal) == []
    assert [one.name for one in tmp_path.iterdir()] == ["state"]


def test_what_cannot_be_made_leaves_nothing_and_is_tried_again(journal: Journal, tmp_path: Path) -> None:
    shared, maker = Shared(), Maker(journal, tmp_path, fails=True)
    with pytest.raises(EnvironmentFailed):
        shared.get(journal, ("here", "key"), maker)
    assert [one.name for one in tmp_path.iterdir()] == ["state"]
    assert left(journal) == []
    maker.fails = False
    shared.get(journal, ("here", "key"), maker)
    assert maker.made == 2
    shared.close()


def test_what_cannot_be_removed_stays_in_the_journal(journal: Journal, tmp_path: Path) -> None:
    shared, maker = Shared(), Maker(journal, tmp_path)
    first, second = (shared.get(journal, ("here", key), maker) for key in ("one", "two"))
    (tmp_path / first / "in the way").touch()
    shared.close()
    assert left(journal) == [first]
    assert not (tmp_path / second).exists()


def test_the_clean_up_takes_it_after_the_guests(journal: Journal, tmp_path: Path) -> None:
    name = Shared().get(journal, ("here", "key"), Maker(journal, tmp_path))
    for guest in ("2f", "docker-1", "a"):
        journal.record(guest, DIRECTORY, path=str(tmp_path / guest))
    assert sorted(left(journal), reverse=True)[-1] == name
