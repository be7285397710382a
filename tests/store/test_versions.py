"""Old reader and new data, new reader and old data: the matrix of the ledger's versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.campaigns import CLOCK_REASON, campaign, done, failed, guest, lied
from virtometer.errors import LedgerError
from virtometer.model import (
    Failure,
    FailureKind,
    FollowUp,
    HostTuningEvent,
    PlanEnvironment,
    RoundTrip,
    Screened,
    Stage,
    Trial,
    TrialRecord,
    TuningState,
    Why,
)
from virtometer.store import migrations, schema
from virtometer.store.ledger import Ledger

DATA = Path(__file__).parent / "versions"
EVERY_VERSION = range(1, schema.SCHEMA_VERSION + 1)


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
    """What the committed ledgers hold: one done trial, one failed, since version 3 one that failed by its clock.

    Since version 7 there is a further stage, of which no trial has run, since version 9 also a second stage of a
    sequential design, since version 10 a tuning of the host.
    """
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


def without_slices(record: TrialRecord) -> TrialRecord:
    """As a version wrote it that knew neither turns nor slices."""
    runs = tuple(
        replace(run, samples=tuple(replace(sample, slice=None) for sample in run.samples)) for run in record.runs
    )
    return replace(record, trial=replace(record.trial, turns=None), runs=runs)


def with_one_agent(trial: Trial) -> Trial:
    """As a version planned it that knew no scenarios."""
    placements = tuple(replace(placement, instance=1) for placement in trial.placements)
    return replace(trial, placements=placements, scenario="")


def before_scenarios(record: TrialRecord) -> TrialRecord:
    """As a version wrote it that knew no scenarios, and each processor of the host not by itself."""
    trial = with_one_agent(record.trial)
    runs = tuple(replace(run, placement=trial.placements[run.placement.ordinal]) for run in record.runs)
    runs = tuple(run if run.score is None else replace(run, score=replace(run.score, guest_use=None)) for run in runs)
    host = record.host
    if host is not None:
        host = replace(host, processors=(), run_queue=None, context_switches=None, disk_read=None, disk_written=None)
        host = replace(host, network=None, loopback=None)
    return replace(record, trial=trial, runs=runs, host=host)


def all_before(probes: Iterable[RoundTrip]) -> tuple[RoundTrip, ...]:
    return tuple(replace(probe, kind="before") for probe in probes)


def test_there_is_a_ledger_of_every_version_and_a_way_from_it() -> None:
    assert {path.name for path in DATA.iterdir()} == {f"{version}.sql" for version in EVERY_VERSION}
    assert sorted(migrations.MIGRATIONS) == list(EVERY_VERSION)[:-1]


def test_the_ledger_of_this_version_is_what_is_written_today(tmp_path: Path) -> None:
    """Changing the tables without a new version number fails here."""
    assert dumped(small(tmp_path / "r")) == (DATA / f"{schema.SCHEMA_VERSION}.sql").read_text(), (
        "a change of the tables needs a new SCHEMA_VERSION, a migration, and a new file beside the old ones"
    )


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_new_reader_old_data(tmp_path: Path, version: int) -> None:
    directory = restored(tmp_path / "r", (DATA / f"{version}.sql").read_text())
    before = (directory / "ledger.sqlite").read_bytes()
    of = campaign(4)
    if version >= 7:
        of = replace(of, planned=(*of.planned, *STAGE_TRIALS), stages=(STAGE, *([FOLLOW_UP] if version >= 9 else [])))
    if version < 6:
        of = replace(of, planned=tuple(replace(trial, turns=None) for trial in of.planned))
    with Ledger.open(directory) as ledger:
        back = ledger.read()
    expected = done(of.planned[0], 3)
    if version < 2:
        expected = replace(
            expected,
            runs=tuple(replace(run, report=replace(run.reported, measures={}, histograms={})) for run in expected.runs),
        )
    left = lied(of.planned[3], 3)
    if version < 5:
        # All comparisons of these clocks lie before the first sample. What the agent reported is not all there.
        expected = replace(expected, runs=tuple(replace(run, probes=all_before(run.probes)) for run in expected.runs))
        left = replace(left, runs=tuple(replace(run, probes=all_before(run.probes), report=None) for run in left.runs))
        # Nor is this the name of the environment of the trial's placement.
        left = replace(left, failure=Failure(FailureKind.CLOCK, f"box: {CLOCK_REASON}"))
    if version < 6:
        expected, left = without_slices(expected), without_slices(left)
    if version < 8:
        of = replace(of, planned=tuple(with_one_agent(trial) for trial in of.planned))
        expected, left = before_scenarios(expected), before_scenarios(left)
    recorded = [expected, failed(of.planned[1]), *([left] if version >= 3 else [])]
    assert back.trials == tuple(recorded)
    assert back.planned == of.planned
    assert back.stages == of.stages
    assert back.tunings == (TUNINGS if version >= 10 else ())
    assert back.plan.control is (version >= 7), "the baseline was measured once a block"
    assert (directory / "ledger.sqlite").read_bytes() == before
    with Ledger.open(directory, write=True) as ledger:
        assert ledger.finished() == {record.trial.index for record in recorded}
        for record in (done(of.planned[2]), lied(of.planned[3])):
            if record.trial.index not in ledger.finished():
                ledger.record([record], [guest(record.trial.index)], [])
                recorded.append(record)
    with Ledger.open(directory) as ledger:
        assert set(map(str, ledger.read().trials)) == set(map(str, recorded))


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_an_older_ledger_gets_the_tables_of_today(tmp_path: Path, version: int) -> None:
    """Columns, keys and foreign keys, in whatever order the columns came."""

    def tables(directory: Path) -> dict[str, tuple[set[object], set[object]]]:
        with sqlite3.connect(directory / "ledger.sqlite") as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {
                name: (
                    {row[1:4] + row[5:] for row in connection.execute(f"PRAGMA table_info({name})")},
                    {row[1:] for row in connection.execute(f"PRAGMA foreign_key_list({name})")},
                )
                for name in names
            }

    directory = restored(tmp_path / "old", (DATA / f"{version}.sql").read_text())
    Ledger.open(directory, write=True).close()
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert tables(directory) == tables(small(tmp_path / "new"))


@pytest.mark.parametrize("ahead", [1, 2, 100])
@pytest.mark.parametrize("write", [False, True])
def test_old_reader_new_data(tmp_path: Path, ahead: int, write: bool) -> None:
    directory = small(tmp_path / "r")
    newer = schema.SCHEMA_VERSION + ahead
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {newer}")
        connection.execute("ALTER TABLE trials RENAME TO attempts")
    before = (directory / "ledger.sqlite").read_bytes()
    with pytest.raises(LedgerError) as caught:
        Ledger.open(directory, write=write)
    assert caught.value.sentence.endswith(
        f"was written by a newer Virtometer (ledger version {newer}; this one knows up to {schema.SCHEMA_VERSION})"
    )
    assert (directory / "ledger.sqlite").read_bytes() == before


def test_migrations_run_in_order_in_place_or_in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps ahead of today, made up: a reader leaves the old file as it is, a writer brings it up to date."""
    directory = small(tmp_path / "r")
    now = schema.SCHEMA_VERSION
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now + 2)
    monkeypatch.setattr(
        migrations,
        "MIGRATIONS",
        {
            **migrations.MIGRATIONS,
            now: ("CREATE TABLE extra (a INTEGER)", "INSERT INTO extra VALUES (1)"),
            now + 1: ("ALTER TABLE extra ADD COLUMN b INTEGER", "UPDATE extra SET b = a + 1"),
        },
    )

    def version() -> int:
        with sqlite3.connect(directory / "ledger.sqlite") as connection:
            number: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return number

    with Ledger.open(directory) as reader:
        assert reader.finished() == {0, 1, 3}
        assert reader.connection.exec_driver_sql("SELECT a, b FROM extra").one() == (1, 2)
    assert version() == now
    with Ledger.open(directory, write=True) as writer:
        assert writer.connection.exec_driver_sql("SELECT a, b FROM extra").one() == (1, 2)
    assert version() == now + 2


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = small(tmp_path / "r")
    before = dumped(directory)
    now = schema.SCHEMA_VERSION
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now + 1)
    monkeypatch.setattr(
        migrations, "MIGRATIONS", {**migrations.MIGRATIONS, now: ("CREATE TABLE extra (a)", "nonsense")}
    )
    with pytest.raises(LedgerError):
        Ledger.open(directory, write=True)
    assert dumped(directory) == before
