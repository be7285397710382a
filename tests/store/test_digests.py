"""The chain of digests names damaged trials, also superseded ones."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.store.campaigns import campaign, done, failed, guest, lied
from tests.store.ledgers import made, made_small, outcome, read
from virtometer.errors import LedgerError
from virtometer.store import digests, names
from virtometer.store.ledger import Ledger

CHANGES = {
    "a sample": ("UPDATE samples SET end_ns = end_ns + 1 WHERE trial = 1 AND position = 7", "trial 2 is not what"),
    "a slice": ("UPDATE samples SET slice = slice + 1 WHERE trial = 1 AND position = 7", "trial 2 is not what"),
    "a slice that is none": ("UPDATE samples SET slice = NULL WHERE trial = 1 AND position = 7", "trial 2 is not what"),
    "turns": ("UPDATE planned SET turns = 3 WHERE trial = 2", "its plan or its list of trials is not what"),
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
    with sqlite3.connect(tmp_path / "r" / names.LEDGER) as connection:
        assert connection.execute(statement).rowcount > 0
    found = outcome(tmp_path / "r")
    assert isinstance(found, str)
    assert sentence in found


def test_a_trial_that_failed_can_be_recorded_again_and_stays_beside(tmp_path: Path) -> None:
    of = campaign(4)
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([lied(of.planned[0], 3)], [guest(0)], [])
        ledger.record([failed(of.planned[1])], [], [])
        ledger.record([done(of.planned[0], 5)], [guest(7)], [], again={of.planned[0].index})
        with pytest.raises(LedgerError, match="recorded already"):
            ledger.record([done(of.planned[0], 5)], [guest(8)], [])
    back = read(tmp_path / "r")
    assert [record.status for record in back.trials] == ["done", "failed"]
    assert len(back.trials[0].runs[0].samples) == 5
    with sqlite3.connect(tmp_path / "r" / names.LEDGER) as connection:
        ((aside,),) = connection.execute("SELECT rows_json FROM superseded")
        assert "it stepped" in aside
        connection.execute("UPDATE superseded SET rows_json = replace(rows_json, 'it stepped', 'it did not')")
    assert "trial 1 is not what was recorded" in str(outcome(tmp_path / "r"))


def opened(directory: Path) -> sqlite3.Connection:
    return sqlite3.connect(directory / names.LEDGER, isolation_level=None)


def chain(raw: sqlite3.Connection) -> list[tuple[int | None, str]]:
    return raw.execute("SELECT trial, digest FROM entries ORDER BY entry").fetchall()


def test_there_is_an_entry_for_each_transaction_and_the_first_is_the_campaign(tmp_path: Path) -> None:
    made(tmp_path / "r")
    with contextlib.closing(opened(tmp_path / "r")) as raw:
        found = chain(raw)
        digests.verify(raw, tmp_path)
    assert [trial for trial, _ in found] == [None, *range(10), None]
    assert len({digest for _, digest in found}) == 12
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for _, digest in found)


def test_equal_ledgers_have_equal_digests_and_a_change_changes_all_that_follow(tmp_path: Path) -> None:
    of = campaign(6)
    found = []
    for name, changed in (("one", None), ("two", None), ("three", 3)):
        with Ledger.create(tmp_path / name, of) as ledger:
            for trial in of.planned:
                record = done(trial, 2)
                record = replace(record, wall_s=record.wall_s + 1) if trial.index == changed else record
                ledger.record([record], [guest(trial.index)], [])
        with contextlib.closing(opened(tmp_path / name)) as raw:
            found.append(chain(raw))
    one, two, three = found
    assert one == two
    assert one[:4] == three[:4]
    assert all(before != after for before, after in zip(one[4:], three[4:], strict=True))


def test_the_rows_of_a_trial_are_all_that_belongs_to_it(tmp_path: Path) -> None:
    made_small(tmp_path / "r")
    with contextlib.closing(opened(tmp_path / "r")) as raw:
        tables = {table: rows for table, *rows in json.loads(digests.trial_rows(raw, 0))}
        assert {table: len(rows) for table, rows in tables.items()} == {
            "trials": 1, "runs": 2, "samples": 4, "probes": 10,
        }  # fmt: skip
        assert all(row[0] == 0 for rows in tables.values() for row in rows)
        nothing = json.loads(digests.trial_rows(raw, 99))
    assert nothing == [[table] for table in tables]


def test_a_trial_that_is_superseded_leaves_the_tables_and_the_chain_holds(said: Said, tmp_path: Path) -> None:
    made_small(tmp_path / "r")
    with contextlib.closing(opened(tmp_path / "r")) as raw:
        rows = digests.trial_rows(raw, 0)
        digests.supersede(raw, 0)
        assert digests.trial_rows(raw, 0) == '[["trials"],["runs"],["samples"],["probes"]]'
        assert raw.execute("SELECT rows_json FROM superseded").fetchall() == [(rows,)]
        with pytest.raises(LedgerError, match=f"{tmp_path} is damaged: its list") as caught:
            digests.verify(raw, tmp_path)
    said(caught.value.sentence, place=tmp_path)
