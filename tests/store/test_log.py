"""A write-ahead log that was damaged is told from one that a crash cut off."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.campaigns import campaign, done, guest
from tests.store.ledgers import LINE, outcome, read
from virtometer.store import log, names
from virtometer.store.ledger import Ledger


def test_a_damaged_log_of_a_killed_laboratory_loses_no_trial_silently(tmp_path: Path) -> None:
    of = campaign(12)
    with Ledger.create(tmp_path / "r", of) as ledger:
        for trial in of.planned[:10]:
            ledger.record([done(trial, 40)], [guest(trial.index)], [LINE])
        killed = tmp_path / "killed"
        shutil.copytree(tmp_path / "r", killed)  # as SIGKILL leaves it: the log is not in the file yet
    right = read(killed)
    assert len(right.trials) == 10
    wal, dice = killed / f"{names.LEDGER}-wal", random.Random(3)
    (killed / f"{names.LEDGER}-shm").unlink(missing_ok=True)
    shutil.copytree(tmp_path / "r", tmp_path / "closed")
    noticed = 0
    for number in range(60):
        copy = tmp_path / str(number)
        shutil.copytree(killed, copy)
        content = bytearray((copy / wal.name).read_bytes())
        if number % 3 == 2:
            del content[dice.randrange(len(content)) :]
        else:
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        (copy / wal.name).write_bytes(content)
        found = outcome(copy)
        if isinstance(found, str):
            noticed += 1
        else:
            # An end that a crash may leave: all trials up to there.
            assert found.trials == right.trials[: len(found.trials)]
            assert number % 3 == 2 or len(found.trials) >= 9
    assert noticed >= 30


def logged(directory: Path, commits: int) -> bytes:
    """The log of a database with so many commits, of which none is in the file yet."""
    with contextlib.closing(sqlite3.connect(directory / "db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (x)")
        for number in range(commits - 1):
            connection.execute("INSERT INTO t VALUES (?)", (f"{number}" * 2000,))
        return (directory / "db-wal").read_bytes()


def judged(directory: Path, content: bytes) -> bool:
    (directory / "log").write_bytes(content)
    return log.is_damaged(directory / "log")


def test_no_log_an_empty_one_and_one_that_only_begins_are_whole(tmp_path: Path) -> None:
    assert not log.is_damaged(tmp_path / "none")
    whole = logged(tmp_path, 3)
    for length in (0, 1, 31, 32, 55):
        assert not judged(tmp_path, whole[:length])


@pytest.mark.parametrize("commits", [1, 2, 5])
def test_what_sqlite_wrote_is_whole_wherever_a_crash_cuts_it_off(tmp_path: Path, commits: int) -> None:
    whole = logged(tmp_path, commits)
    assert not judged(tmp_path, whole)
    for length in range(56, len(whole), 997):
        assert not judged(tmp_path, whole[:length])


@pytest.mark.parametrize("place", [0, 8, 12, 16, 24, 28])
def test_a_header_that_was_changed_is_damage(tmp_path: Path, place: int) -> None:
    content = bytearray(logged(tmp_path, 3))
    content[place] ^= 0xFF
    assert judged(tmp_path, bytes(content))


def test_a_change_is_damage_where_whole_commits_follow_it_and_an_end_of_a_crash_where_none_does(tmp_path: Path) -> None:
    whole = logged(tmp_path, 5)
    (size,) = struct.unpack_from(">I", whole, 8)
    frames = range(32, len(whole), 24 + size)
    commits = [at for at in frames if struct.unpack_from(">I", whole, at + 4) != (0,)]
    assert len(commits) == 5
    for at in frames:
        content = bytearray(whole)
        content[at + 24 + 7] ^= 1
        assert judged(tmp_path, bytes(content)) == (at < commits[-1]), "of the last commit nothing was promised"


def test_the_rest_of_an_older_log_behind_the_new_one_is_no_damage(tmp_path: Path) -> None:
    whole = logged(tmp_path, 4)
    (size,) = struct.unpack_from(">I", whole, 8)
    old = bytearray(whole[-(24 + size) :])
    old[8:16] = bytes(8)  # another salt
    assert not judged(tmp_path, whole + bytes(old) * 3)


@given(st.binary(max_size=200))
def test_whatever_lies_there_is_judged(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        assert judged(Path(place), content) == (len(content) >= 56), "no header of a log"
