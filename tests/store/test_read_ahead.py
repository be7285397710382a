"""Threads that read ahead give the same values as one reader, in the same order, also where they cannot read at all."""

from __future__ import annotations

import os
import sqlite3
import threading
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from tests.store.campaigns import campaign, done, guest
from tests.store.ledgers import outcome
from virtometer.store import digests, names
from virtometer.store.database import raw_of
from virtometer.store.ledger import Ledger
from virtometer.store.read_ahead import read_ahead
from virtometer.store.sample_rows import sample_rows

TRIALS = 12


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger, on a host with two processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    of = campaign(TRIALS)
    with Ledger.create(tmp_path / "r", of) as ledger:
        for trial in of.planned:
            ledger.record([done(trial, 5 + trial.index)], [guest(trial.index)], [])
    return tmp_path / "r"


@pytest.mark.parametrize("write", [False, True])
def test_each_trial_is_read_once_and_in_order(place: Path, write: bool) -> None:
    before = threading.active_count()
    with Ledger.open(place, write) as ledger:
        found = list(read_ahead(ledger.connection, range(TRIALS)))
        assert found == [sample_rows(raw_of(ledger.connection), trial) for trial in range(TRIALS)]
        assert all(found)
        assert list(read_ahead(ledger.connection, [])) == []
    assert threading.active_count() == before


def test_threads_that_cannot_connect_leave_it_to_the_caller(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(place) as ledger:
        expected = list(read_ahead(ledger.connection, range(TRIALS)))

        def refused(self: Engine) -> None:
            raise OperationalError("connect", {}, sqlite3.OperationalError("unable to open database file"))

        monkeypatch.setattr(Engine, "raw_connection", refused)
        assert list(read_ahead(ledger.connection, range(TRIALS))) == expected
        assert ledger.read().trials


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_reader_that_stops_early_leaves_no_thread_and_no_connection(place: Path) -> None:
    before = threading.active_count(), open_files()
    with Ledger.open(place) as ledger:
        reading = read_ahead(ledger.connection, range(TRIALS))
        next(reading)
        reading.close()
    assert (threading.active_count(), open_files()) == before


def test_what_changed_after_the_transaction_began_is_read_as_it_was(place: Path) -> None:
    with Ledger.open(place) as ledger, ledger.connection.begin():
        raw, read = raw_of(ledger.connection), partial(read_ahead, ledger.connection)
        assert sorted(digests.verify(raw, place, read)) == list(range(TRIALS))
        with sqlite3.connect(place / names.LEDGER) as other:
            other.execute("UPDATE samples SET work = work + 1 WHERE trial = 3")
        found = digests.verify(raw, place, read)
        assert sorted(found) == [trial for trial in range(TRIALS) if trial != 3], "it is read within the transaction"
    assert "trial 4" in str(outcome(place))
