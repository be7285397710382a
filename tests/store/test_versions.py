"""A ledger of this version is what it was, and ledgers of others are refused in a sentence."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.store.campaigns import campaign, done, failed, guest, lied
from virtometer.errors import LedgerError
from virtometer.model import (
    FollowUp,
    HostTuningEvent,
    PlanEnvironment,
    Screened,
    Stage,
    TuningState,
    Why,
)
from virtometer.store import schema
from virtometer.store.ledger import Ledger

DATA = Path(__file__).parent / "versions"


STAGE_TRIALS = tuple(replace(trial, index=trial.index + 4, block=trial.block + 2) for trial in campaign(2).planned)
STAGE = Stage("2026-01-02T04:00:00.000+00:00", 4, 2, {("w", "box"): 1}, {("w", "native"): None}, "a budget of 60 s")
FOLLOW_UP = Stage(
    "2026-01-02T05:00:00.000+00:00", 6, 0, {}, {}, "",
    FollowUp(
        (Screened("cache", Why.MATTERS, "w", "none", -2.0, 8.5), Screened("bus", Why.IDLE, "w", "ide", -0.5, 0.5)),
        ("native", "other"),
        (PlanEnvironment(name="other", kind="runc", settings={"cpus": 1}, levels={"cache": "none"}, of="box"),),
        ("cache",), levels={"cache": ("writeback", "none")}, missing={"other": ("it is not here", "")}, blocks=9,
    ),
)  # fmt: skip


TUNINGS = (
    HostTuningEvent("2026-01-02T06:00:00.000+00:00", "tune-1-000001", TuningState.IN_FORCE, "sysctl vm.swappiness=11"),
    HostTuningEvent("2026-01-02T06:00:01.000+00:00", "tune-1-000001", TuningState.LEFT, "vm.swappiness was 60"),
)


def dumped(directory: Path) -> str:
    """A ledger as SQL text, with what `iterdump` leaves out."""
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        lines = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
            for name in ("application_id", "user_version")
        ]
        return "\n".join([*lines, *connection.iterdump()]) + "\n"


def restored(directory: Path, sql: str) -> Path:
    directory.mkdir()
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        connection.executescript(sql)
    return directory


def small(directory: Path) -> Path:
    """What the committed ledger holds: trials done, failed, and failed by a clock; stages; tunings of the host."""
    of = campaign(4)
    with Ledger.create(directory, of) as ledger:
        ledger.record([done(of.planned[0], 3)], [guest(0)], [])
        ledger.record([failed(of.planned[1])], [], [])
        ledger.record([lied(of.planned[3], 3)], [guest(3)], [])
        ledger.extend(STAGE, STAGE_TRIALS)
        ledger.extend(FOLLOW_UP, ())
        for event in TUNINGS:
            ledger.note_tuning(event)
    return directory


def test_the_ledger_of_this_version_is_what_is_written_today(tmp_path: Path) -> None:
    """Changing the tables fails here."""
    assert dumped(small(tmp_path / "r")) == (DATA / f"{schema.SCHEMA_VERSION}.sql").read_text(), (
        "after a release, a change of the tables needs a new SCHEMA_VERSION, and a new file beside the old ones"
    )


def test_a_ledger_of_this_version_is_read_and_goes_on(tmp_path: Path) -> None:
    directory = restored(tmp_path / "r", (DATA / f"{schema.SCHEMA_VERSION}.sql").read_text())
    before = (directory / "ledger.sqlite").read_bytes()
    of = campaign(4)
    of = replace(of, planned=(*of.planned, *STAGE_TRIALS), stages=(STAGE, FOLLOW_UP))
    with Ledger.open(directory) as ledger:
        back = ledger.read()
    recorded = [done(of.planned[0], 3), failed(of.planned[1]), lied(of.planned[3], 3)]
    assert back.trials == tuple(recorded)
    assert back.planned == of.planned
    assert back.stages == of.stages
    assert back.tunings == TUNINGS
    assert (directory / "ledger.sqlite").read_bytes() == before
    with Ledger.open(directory, write=True) as ledger:
        assert ledger.finished() == {record.trial.index for record in recorded}
        recorded.insert(2, done(of.planned[2]))
        ledger.record([recorded[2]], [guest(2)], [])
    with Ledger.open(directory) as ledger:
        assert ledger.read().trials == tuple(recorded)


@pytest.mark.parametrize(
    ("application", "version"), [(schema.FORMER_ID, 10), (schema.APPLICATION_ID, 1)], ids=["former", "first"]
)
@pytest.mark.parametrize("write", [False, True])
def test_a_ledger_from_before_the_first_release_is_refused(
    said: Said, tmp_path: Path, write: bool, application: int, version: int
) -> None:
    directory = small(tmp_path / "r")
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute(f"PRAGMA user_version = {version}")
    before = (directory / "ledger.sqlite").read_bytes()
    with pytest.raises(LedgerError, match="before its first release") as caught:
        Ledger.open(directory, write=write)
    assert "measure again" in caught.value.advice
    said(caught.value.sentence, directory=directory)
    assert (directory / "ledger.sqlite").read_bytes() == before


@pytest.mark.parametrize("ahead", [1, 2, 100])
@pytest.mark.parametrize("write", [False, True])
def test_old_reader_new_data(said: Said, tmp_path: Path, ahead: int, write: bool) -> None:
    directory = small(tmp_path / "r")
    newer = schema.SCHEMA_VERSION + ahead
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {newer}")
        connection.execute("ALTER TABLE trials RENAME TO attempts")
    before = (directory / "ledger.sqlite").read_bytes()
    with pytest.raises(LedgerError) as caught:
        Ledger.open(directory, write=write)
    theirs, ours = f"version {newer}", f"up to {schema.SCHEMA_VERSION}"
    assert f"{theirs};" in caught.value.sentence and f"{ours})" in caught.value.sentence
    said(caught.value.sentence, directory=directory, theirs=theirs, ours=ours)
    assert (directory / "ledger.sqlite").read_bytes() == before
