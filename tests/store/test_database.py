"""Only the tables of a ledger are read, in a sentence where they are not."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.store.campaigns import campaign
from tests.store.ledgers import made
from virtometer.errors import LedgerError
from virtometer.store import database, names, schema
from virtometer.store.ledger import Ledger

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"


FOREIGN = {
    "an endless view in place of a table": (
        "DROP TABLE commands",
        f"CREATE VIEW commands AS {ENDLESS} x AS position, 'a' AS at, 'b' AS purpose, '[]' AS argv_json, 0 AS status "
        "FROM n",
    ),
    "an endless view beside the tables": (f"CREATE VIEW more AS {ENDLESS} x FROM n",),
    "a trigger": (f"CREATE TRIGGER t AFTER INSERT ON trials BEGIN {ENDLESS} x FROM n; END",),
    "another table": ("CREATE TABLE more (x)",),
    "an index": ("CREATE INDEX more ON samples (work)",),
    "a generated column": ("ALTER TABLE commands ADD COLUMN more AS (status + 1)",),
    "a generated column in place of another": (
        "DROP TABLE commands",
        "CREATE TABLE commands (position INTEGER PRIMARY KEY, at TEXT, purpose TEXT, argv_json TEXT, "
        "status INTEGER AS (position + 1))",
    ),
    "another column": ("ALTER TABLE samples ADD COLUMN more",),
    "a column less": ("ALTER TABLE commands DROP COLUMN status",),
    "a virtual table": ("DROP TABLE commands", "CREATE VIRTUAL TABLE commands USING fts5(position, at, purpose)"),
}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("what", FOREIGN)
def test_only_tables_of_a_ledger_are_read(tmp_path: Path, what: str, write: bool) -> None:
    made(tmp_path / "r")
    with sqlite3.connect(tmp_path / "r" / names.LEDGER) as connection:
        for statement in FOREIGN[what]:
            connection.execute(statement)
    with pytest.raises(LedgerError, match="is none of a ledger"):
        Ledger.open(tmp_path / "r", write=write)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("none", "does not exist"),
        ("file", "is not a directory"),
        ("empty", "holds no campaign"),
        ("folder", "ledger.sqlite is not a file"),
        ("hollow", "ledger.sqlite is empty"),
    ],
)
def test_what_cannot_be_a_ledger_is_refused_before_it_is_opened(
    said: Said, tmp_path: Path, place: str, words: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder" / names.LEDGER).mkdir(parents=True)
    (tmp_path / "hollow").mkdir()
    (tmp_path / "hollow" / names.LEDGER).touch()
    with pytest.raises(LedgerError, match=words) as caught:
        database.refuse_absent(tmp_path / place)
    said(caught.value.sentence, place=tmp_path)


def test_a_new_ledger_is_one_file_of_this_version_with_its_first_entry(tmp_path: Path) -> None:
    path = tmp_path / names.LEDGER
    database.build(path, campaign(2))
    assert [one.name for one in tmp_path.iterdir()] == [names.LEDGER]
    with contextlib.closing(sqlite3.connect(path)) as raw:
        (application,), (version,) = (
            raw.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        assert (application, version) == (schema.APPLICATION_ID, schema.SCHEMA_VERSION)
        assert raw.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        assert raw.execute("SELECT count(*) FROM planned").fetchone() == (2,)


def test_what_an_unfinished_creation_left_is_overwritten_and_a_link_is_not_followed(tmp_path: Path) -> None:
    path, other = tmp_path / "new", tmp_path / "other"
    path.write_text("half")
    database.build(path, campaign(1))
    assert path.read_bytes().startswith(b"SQLite format 3\0")
    other.write_text("somebody else's")
    path.unlink()
    path.symlink_to(other)
    database.build(path, campaign(1))
    assert other.read_text() == "somebody else's" and not path.is_symlink()


@pytest.mark.parametrize("write", [False, True])
def test_another_program_s_database_is_refused(tmp_path: Path, write: bool) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / names.LEDGER)) as raw:
        raw.execute("CREATE TABLE t (x)")
    with pytest.raises(LedgerError, match="is a database, but not a ledger of Virtometer"):
        database.connect(tmp_path, write=write)


def test_a_name_with_signs_of_an_address_is_a_name(tmp_path: Path) -> None:
    directory = tmp_path / "a?mode=ro#b %41"
    directory.mkdir()
    database.build(directory / names.LEDGER, campaign(1))
    for write in (True, False):
        with contextlib.closing(database.connect(directory, write=write)) as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM planned").scalar() == 1
    assert [one.name for one in tmp_path.iterdir()] == [directory.name]
