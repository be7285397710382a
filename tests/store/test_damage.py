"""Damaged ledgers: what is read is what was recorded, or one sentence says that it is not."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.store.campaigns import campaign, done, failed, guest, lied
from virtometer.errors import LedgerError, VirtometerError
from virtometer.model import Campaign, CommandLine
from virtometer.store import files, schema
from virtometer.store.ledger import Ledger

LINE = CommandLine("2026", "do it", ("true",), 0)


def made(directory: Path) -> Campaign:
    of = campaign(12)
    with Ledger.create(directory, of) as ledger:
        for trial in of.planned[:10]:
            record = lied(trial, 20) if trial.index % 4 == 3 else done(trial, 40)
            ledger.record(record, [guest(trial.index)], [LINE])
        ledger.note([guest(50)], [LINE])
    return read(directory)


def made_small(directory: Path) -> Campaign:
    """A ledger with one trial: it is opened quickly."""
    of = campaign(1)
    with Ledger.create(directory, of) as ledger:
        ledger.record(done(of.planned[0], 2), [guest(0)], [LINE])
    return read(directory)


def read(directory: Path) -> Campaign:
    with Ledger.open(directory) as ledger:
        return ledger.read()


def outcome(directory: Path) -> Campaign | str:
    """What was read, or the one sentence that says why not. Any other exception passes."""
    try:
        return read(directory)
    except VirtometerError as error:
        assert "\n" not in error.sentence
        return error.sentence


@pytest.mark.parametrize("seed", range(8))
def test_a_flipped_bit_is_noticed_or_without_effect(tmp_path: Path, seed: int) -> None:
    right = made(tmp_path / "r")
    ledger = tmp_path / "r" / files.LEDGER
    whole = ledger.read_bytes()
    dice = random.Random(seed)
    noticed = 0
    for _ in range(30):
        position = dice.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[position] ^= 1 << dice.randrange(8)
        ledger.write_bytes(damaged)
        found = outcome(tmp_path / "r")
        assert isinstance(found, str) or found == right, f"a bit of byte {position}"
        noticed += isinstance(found, str)
    assert noticed > 0


@pytest.mark.parametrize("part", range(4))
def test_the_highest_bit_of_every_byte_of_the_list_of_tables(tmp_path: Path, part: int) -> None:
    """The list of tables is SQL text, which SQLite quotes in its messages: with this bit it is no UTF-8 any more."""
    right = made_small(tmp_path / "r")
    ledger = tmp_path / "r" / files.LEDGER
    whole = ledger.read_bytes()
    size = int.from_bytes(whole[16:18])
    pages = {0, *(found.start() // size for found in re.finditer(rb"CREATE TABLE", whole))}
    positions = [page * size + byte for page in sorted(pages) for byte in range(size) if whole[page * size + byte]]
    assert len(positions) > 4000
    for position in positions[part::4]:
        damaged = bytearray(whole)
        damaged[position] ^= 0x80
        ledger.write_bytes(damaged)
        found = outcome(tmp_path / "r")
        assert isinstance(found, str) or found == right, f"byte {position}"


@pytest.mark.parametrize("bit", [0, 1])
def test_a_table_of_another_name(tmp_path: Path, bit: int) -> None:
    right = made_small(tmp_path / "r")
    ledger = tmp_path / "r" / files.LEDGER
    whole = ledger.read_bytes()
    for start in (found.start() for found in re.finditer(rb"table\w+CREATE TABLE|tablecampaign", whole)):
        for position in range(start, start + 40):
            damaged = bytearray(whole)
            damaged[position] ^= 1 << bit
            ledger.write_bytes(damaged)
            found = outcome(tmp_path / "r")
            assert isinstance(found, str) or found == right, f"byte {position}"


def test_a_truncated_ledger_is_noticed(tmp_path: Path) -> None:
    right = made(tmp_path / "r")
    ledger = tmp_path / "r" / files.LEDGER
    whole = ledger.read_bytes()
    dice = random.Random(1)
    for _ in range(40):
        ledger.write_bytes(whole[: dice.randrange(len(whole))])
        found = outcome(tmp_path / "r")
        assert isinstance(found, str) or found == right


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
    with sqlite3.connect(tmp_path / "r" / files.LEDGER) as connection:
        for statement in FOREIGN[what]:
            connection.execute(statement)
    with pytest.raises(LedgerError, match="is none of a ledger"):
        Ledger.open(tmp_path / "r", write=write)


@pytest.mark.parametrize("version", range(1, schema.SCHEMA_VERSION))
def test_an_older_ledger_has_no_generated_column(tmp_path: Path, version: int) -> None:
    (tmp_path / "r").mkdir()
    with sqlite3.connect(tmp_path / "r" / files.LEDGER) as connection:
        connection.executescript((Path(__file__).parent / "versions" / f"{version}.sql").read_text())
        connection.execute("ALTER TABLE guests ADD COLUMN more AS (provision_s + 1)")
    for write in (False, True):
        with pytest.raises(LedgerError, match="the column more of the table guests is none of a ledger"):
            Ledger.open(tmp_path / "r", write=write)


CHANGES = {
    "a sample": ("UPDATE samples SET end_ns = end_ns + 1 WHERE trial = 1 AND position = 7", "trial 2 is not what"),
    "a value": ("UPDATE runs SET value = value * 1.0001 WHERE trial = 2", "trial 3 is not what"),
    "a mark": ('UPDATE trials SET marks_json = \'[["steal","x"]]\' WHERE trial = 4', "trial 5 is not what"),
    "a guest": ("UPDATE guests SET provision_s = 1 WHERE position = 2", "trial 2 is not what"),
    "a command line": ("UPDATE commands SET purpose = 'x' WHERE position = 3", "trial 2 is not what"),
    "a note": ("UPDATE guests SET started_at = 'x' WHERE guest = 'g50'", "what belongs to no trial is not what"),
    "the plan": ("UPDATE campaign SET seed = 1", "its plan or its list of trials is not what"),
    "one sample less": ("DELETE FROM samples WHERE trial = 1 AND position = 39", "trial 2 is not what"),
    "one trial less": ("DELETE FROM entries WHERE trial = 9", "what belongs to no trial is not what"),
    "no digests": ("DELETE FROM entries", "its list of what is recorded is not what"),
    "one more command": ("INSERT INTO commands SELECT NULL, at, purpose, argv_json, status FROM commands", "its list"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_sentence_names_what_is_damaged(tmp_path: Path, what: str) -> None:
    made(tmp_path / "r")
    statement, sentence = CHANGES[what]
    with sqlite3.connect(tmp_path / "r" / files.LEDGER) as connection:
        assert connection.execute(statement).rowcount > 0
    found = outcome(tmp_path / "r")
    assert isinstance(found, str)
    assert sentence in found


def test_an_older_ledger_is_protected_from_its_first_opening_for_writing_on(tmp_path: Path) -> None:
    old = Path(__file__).parent / "versions" / "3.sql"
    (tmp_path / "r").mkdir()
    with sqlite3.connect(tmp_path / "r" / files.LEDGER) as connection:
        connection.executescript(old.read_text())
    Ledger.open(tmp_path / "r", write=True).close()
    assert isinstance(outcome(tmp_path / "r"), Campaign)
    with sqlite3.connect(tmp_path / "r" / files.LEDGER) as connection:
        connection.execute("UPDATE samples SET work = work + 1")
    assert "trial 1 is not what was recorded" in str(outcome(tmp_path / "r"))


def test_a_trial_that_failed_can_be_recorded_again_and_stays_beside(tmp_path: Path) -> None:
    of = campaign(4)
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record(lied(of.planned[0], 3), [guest(0)], [])
        ledger.record(failed(of.planned[1]), [], [])
        ledger.record(done(of.planned[0], 5), [guest(7)], [], again=True)
        with pytest.raises(LedgerError, match="recorded already"):
            ledger.record(done(of.planned[0], 5), [guest(8)], [])
    back = read(tmp_path / "r")
    assert [record.status for record in back.trials] == ["done", "failed"]
    assert len(back.trials[0].runs[0].samples) == 5
    with sqlite3.connect(tmp_path / "r" / files.LEDGER) as connection:
        ((aside,),) = connection.execute("SELECT rows_json FROM superseded")
        assert "it stepped" in aside
        connection.execute("UPDATE superseded SET rows_json = replace(rows_json, 'it stepped', 'it did not')")
    assert "trial 1 is not what was recorded" in str(outcome(tmp_path / "r"))
    assert schema.SCHEMA_VERSION >= 4


def test_a_damaged_log_of_a_killed_laboratory_loses_no_trial_silently(tmp_path: Path) -> None:
    of = campaign(12)
    with Ledger.create(tmp_path / "r", of) as ledger:
        for trial in of.planned[:10]:
            ledger.record(done(trial, 40), [guest(trial.index)], [LINE])
        killed = tmp_path / "killed"
        shutil.copytree(tmp_path / "r", killed)  # as SIGKILL leaves it: the log is not in the file yet
    right = read(killed)
    assert len(right.trials) == 10
    log, dice = killed / f"{files.LEDGER}-wal", random.Random(3)
    (killed / f"{files.LEDGER}-shm").unlink(missing_ok=True)
    shutil.copytree(tmp_path / "r", tmp_path / "closed")
    noticed = 0
    for number in range(60):
        copy = tmp_path / str(number)
        shutil.copytree(killed, copy)
        content = bytearray((copy / log.name).read_bytes())
        if number % 3 == 2:
            del content[dice.randrange(len(content)) :]
        else:
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        (copy / log.name).write_bytes(content)
        found = outcome(copy)
        if isinstance(found, str):
            noticed += 1
        else:
            # An end that a crash may leave: all trials up to there.
            assert found.trials == right.trials[: len(found.trials)]
            assert number % 3 == 2 or len(found.trials) >= 9
    assert noticed >= 30


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_older_ledger_with_values_of_another_type_is_refused_in_a_sentence(tmp_path: Path, version: int) -> None:
    script = Path(__file__).with_name("versions").joinpath(f"{version}.sql").read_text(encoding="utf-8")
    directory = tmp_path / "r"
    directory.mkdir()
    with contextlib.closing(sqlite3.connect(directory / files.LEDGER)) as database:
        database.executescript(script)
        database.execute("UPDATE trials SET started_at = CAST(started_at AS BLOB)")
        database.commit()
    said = outcome(directory)
    assert isinstance(said, str)
    assert "holds what no Virtometer wrote" in said
