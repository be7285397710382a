"""Files that are written for people: links, devices and pipes in their place, and a disk that is full."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.store.campaigns import campaign
from virtometer.errors import LedgerError, StorageError
from virtometer.store import names
from virtometer.store.ledger import Ledger
from virtometer.store.output import write_named, write_own


def full_device(directory: Path) -> Path:
    """A device of our own that is as full as /dev/full."""
    path = directory / "full"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        os.close(os.open(path, os.O_WRONLY))
    except PermissionError:
        pytest.skip("devices cannot be made here")
    return path


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    device = full_device(tmp_path)
    with pytest.raises(StorageError, match=f"there is no space left for {device}"):
        write_named(device, "text")
    assert stat.S_ISCHR(os.lstat(device).st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_a_link_that_the_user_named_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("longer than what follows")
    (tmp_path / "link").symlink_to("file")
    write_named(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_named(tmp_path / "pipe", "new")
    reader.join()
    assert found == ["new"]
    assert stat.S_ISFIFO(os.lstat(tmp_path / "pipe").st_mode)


def test_a_directory_and_a_missing_directory_are_named(said: Said, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=f"{tmp_path} is a directory; name a file in it"):
        write_named(tmp_path, "new")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(StorageError, match="link is a directory; name a file in it"):
        write_named(tmp_path / "link", "new")
    with pytest.raises(LedgerError, match=r"the directory .*/none does not exist"):
        write_named(tmp_path / "none" / "file", "new")
    (tmp_path / "dangling").symlink_to(tmp_path / "none" / "file")
    with pytest.raises(LedgerError, match="dangling is a link") as caught:
        write_named(tmp_path / "dangling", "new")
    said(caught.value.sentence, place=tmp_path)


@pytest.mark.parametrize("write", [write_own, write_named])
def test_a_regular_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path, write: object) -> None:
    assert callable(write)
    path = tmp_path / "file"
    write(path, "one")
    path.chmod(0o640)
    with path.open() as old:
        write(path, "two")
        assert old.read() == "one"
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "directory"])
def test_what_stands_in_the_place_of_a_file_of_ours_is_left_alone(tmp_path: Path, kind: str) -> None:
    other, path = tmp_path / "other", tmp_path / "report.html"
    if kind != "dangling link":
        other.write_text("somebody else's")
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path.symlink_to(other)
    before = os.lstat(path)
    with pytest.raises(StorageError, match=f"{path} is a {kind.split()[-1]}, not a regular file; it was left as it is"):
        write_own(path, "report")
    assert os.lstat(path).st_ino == before.st_ino
    assert other.exists() == (kind != "dangling link")
    assert not other.exists() or other.read_text() == "somebody else's"


@pytest.mark.parametrize("place", ["report.html.new", ".report.html.new"])
def test_names_that_can_be_guessed_are_not_used(tmp_path: Path, place: str) -> None:
    other = tmp_path / "other"
    other.write_text("somebody else's")
    (tmp_path / place).symlink_to(other)
    write_own(tmp_path / "report.html", "report")
    assert other.read_text() == "somebody else's"
    assert (tmp_path / "report.html").read_text() == "report"


@pytest.mark.parametrize("how", ["symbolic", "hard", "pipe"])
def test_a_planted_lock_is_refused(said: Said, tmp_path: Path, how: str) -> None:
    other, directory = tmp_path / "other", tmp_path / "r"
    other.write_text("somebody else's")
    directory.mkdir()
    match how:
        case "symbolic":
            (directory / names.LOCK).symlink_to(other)
        case "hard":
            (directory / names.LOCK).hardlink_to(other)
        case _:
            os.mkfifo(directory / names.LOCK)
    with pytest.raises(LedgerError, match="lock is a link or a special file") as caught:
        Ledger.create(directory, campaign())
    said(caught.value.sentence, directory=directory)
    assert other.read_text() == "somebody else's"


def test_a_ledger_behind_a_link_is_not_written(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "theirs", campaign()).close()
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / names.LEDGER).symlink_to(tmp_path / "theirs" / names.LEDGER)
    with pytest.raises(LedgerError, match=r"ledger.sqlite is a link"):
        Ledger.open(tmp_path / "r", write=True)
    Ledger.open(tmp_path / "r").close()


def test_an_unfinished_plan_does_not_hinder_the_next_campaign(tmp_path: Path) -> None:
    (tmp_path / f".{names.PLAN}.0123456789abcdef").write_text("half")
    Ledger.create(tmp_path, campaign()).close()


@pytest.mark.parametrize("name", [names.LEDGER, f"{names.LEDGER}-wal", names.PLAN, names.LOCK])
@pytest.mark.parametrize("how", ["itself", "link"])
def test_a_file_of_a_campaign_is_no_place_for_a_report(tmp_path: Path, name: str, how: str) -> None:
    directory = tmp_path / "r"
    Ledger.create(directory, campaign()).close()
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    path = directory / name
    if how == "link":
        path = tmp_path / "link"
        path.symlink_to(directory / name)
    with pytest.raises(StorageError, match=f"{path} is a file of a campaign; it was left as it is"):
        write_named(path, "report")
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_beside_a_campaign_and_elsewhere_such_names_are_free(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "r", campaign()).close()
    for path in (tmp_path / "r" / "report.csv", tmp_path / names.PLAN, tmp_path / names.LOCK):
        write_named(path, "text")
        assert path.read_text() == "text"


def test_a_link_to_itself_is_one_sentence(said: Said, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StorageError, match=f"{tmp_path}/loop cannot be written") as caught:
        write_named(tmp_path / "loop", "text")
    said(caught.value.sentence, place=tmp_path)


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_named(tmp_path / "picture", b"%PDF\xff\x00")
    assert (tmp_path / "picture").read_bytes() == b"%PDF\xff\x00"
