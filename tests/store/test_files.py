"""Directories that are foreign, damaged, unreadable, in use: one sentence each."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.store.campaigns import campaign, done, guest
from virtometer.errors import LedgerError, VirtometerError
from virtometer.store import names
from virtometer.store.ledger import Ledger


def made(directory: Path, trials: int = 0) -> Path:
    of = campaign()
    with Ledger.create(directory, of) as ledger:
        for trial in of.planned[:trials]:
            ledger.record([done(trial)], [guest(trial.index)], [])
    return directory


def cut(directory: Path, size: int) -> None:
    os.truncate(made(directory, 3) / names.LEDGER, size)


def other_database(directory: Path) -> None:
    directory.mkdir()
    with sqlite3.connect(directory / names.LEDGER) as connection:
        connection.execute("CREATE TABLE campaign (id INTEGER)")


def without_a_row(directory: Path) -> None:
    with sqlite3.connect(made(directory) / names.LEDGER) as connection:
        connection.execute("DELETE FROM campaign")


def without_a_table(directory: Path) -> None:
    with sqlite3.connect(made(directory) / names.LEDGER) as connection:
        connection.execute("DROP TABLE samples")


def with_a_plan_of_another_kind(directory: Path) -> None:
    with sqlite3.connect(made(directory) / names.LEDGER) as connection:
        connection.execute("UPDATE campaign SET plan_json = '{}'")


def text(directory: Path, content: bytes) -> None:
    directory.mkdir()
    (directory / names.LEDGER).write_bytes(content)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda d: None, "does not exist"),
    "a file": (lambda d: d.write_text("x"), "is not a directory"),
    "empty": (lambda d: d.mkdir(), r"holds no campaign \(ledger.sqlite is missing\)"),
    "a directory for a ledger": (lambda d: (d / names.LEDGER).mkdir(parents=True), "is not a file"),
    "an empty ledger": (lambda d: text(d, b""), "is empty: it is damaged or not a ledger at all"),
    "garbage": (lambda d: text(d, os.urandom(9000)), "is damaged or not a ledger at all"),
    "text": (lambda d: text(d, b"hello " * 2000), "is damaged or not a ledger at all"),
    "another database": (other_database, "is a database, but not a ledger of Virtometer"),
    "cut to a page": (lambda d: cut(d, 4096), "is damaged or not a ledger at all"),
    "cut in a page": (lambda d: cut(d, 20_000), "is damaged or not a ledger at all"),
    "cut in the header": (lambda d: cut(d, 50), "is damaged or not a ledger at all"),
    "without its row": (without_a_row, "holds no campaign"),
    "without a table": (without_a_table, "does not look as a ledger should"),
    "with another plan": (with_a_plan_of_another_kind, "holds what no Virtometer wrote"),
}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_bad_directories(tmp_path: Path, case: str, write: bool) -> None:
    make, sentence = BAD[case]
    directory = tmp_path / "r"
    make(directory)
    with pytest.raises(LedgerError, match=sentence) as caught, Ledger.open(directory, write=write) as ledger:
        ledger.read()
    assert str(directory) in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_damage_at_any_place_is_a_sentence_or_harmless(tmp_path: Path) -> None:
    """Every page of a ledger overwritten in turn: never anything but our own error or a campaign."""
    whole = (made(tmp_path / "whole", 4) / names.LEDGER).read_bytes()
    directory = tmp_path / "r"
    directory.mkdir()
    refused = 0
    for place in range(0, len(whole), 4096):
        (directory / names.LEDGER).write_bytes(whole[:place] + b"\xa5" * 4096 + whole[place + 4096 :])
        try:
            with Ledger.open(directory) as ledger:
                ledger.read()
        except VirtometerError as error:
            assert "\n" not in error.sentence
            refused += 1
    assert refused > len(whole) // 4096 // 2


def test_a_campaign_does_not_begin_where_something_lies(said: Said, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("x")
    with pytest.raises(LedgerError, match=r"is not empty .*photo\.jpg") as caught:
        Ledger.create(tmp_path, campaign())
    said(caught.value.sentence, place=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["photo.jpg"]
    with pytest.raises(LedgerError, match="is not a directory"):
        Ledger.create(tmp_path / "photo.jpg", campaign())
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger.create(tmp_path / "photo.jpg" / "r", campaign())
    made(tmp_path / "r")
    with pytest.raises(LedgerError, match="already holds a campaign") as caught:
        Ledger.create(tmp_path / "r", campaign())
    assert f"virtometer resume {tmp_path / 'r'}" in caught.value.advice


@pytest.mark.parametrize("first", ["create", "open"])
def test_two_laboratories_do_not_work_in_one_directory(tmp_path: Path, first: str) -> None:
    """The other laboratory is another process, and its lock ends with it."""
    directory = tmp_path / "r"
    if first == "open":
        made(directory)
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from tests.store.campaigns import campaign\n"
        "from virtometer.store.ledger import Ledger\n"
        f"directory = Path({str(directory)!r})\n"
        f"ledger = {'Ledger.create(directory, campaign())' if first == 'create' else 'Ledger.open(directory, True)'}\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        with pytest.raises(LedgerError) as caught:
            Ledger.open(directory, write=True)
        assert f"another laboratory (process {other.pid}) works in {directory}" in caught.value.sentence
        with pytest.raises(LedgerError, match="already holds a campaign"):
            Ledger.create(directory, campaign())
        with Ledger.open(directory) as reader:
            assert reader.finished() == set()
    finally:
        other.kill()
        other.wait()
        assert other.stdout is not None
        other.stdout.close()
    with Ledger.open(directory, write=True) as mine:
        assert mine.read().plan.name == "ledger"


def test_an_unfinished_creation_is_no_hindrance(tmp_path: Path) -> None:
    directory = tmp_path / "r"
    directory.mkdir()
    for name in ("lock", "plan.yaml", "plan.yaml.new", "ledger.sqlite.new", "ledger.sqlite.new-journal"):
        (directory / name).write_bytes(b"half")
    with pytest.raises(LedgerError, match="holds no campaign"):
        Ledger.open(directory)
    made(directory, 2)
    with Ledger.open(directory) as ledger:
        assert ledger.finished() == {0, 1}
