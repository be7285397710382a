"""The ledger of one campaign: a trial is in it with all its samples, or not at all.

SQLite in WAL mode with synchronous=FULL: when `record` returns, the trial survives a power failure
(https://www.sqlite.org/pragma.html#pragma_synchronous). Used by one thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Row, Table, insert, select
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError, InvalidRequestError

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import LedgerError, StorageError
from virtometer.model import (
    Campaign,
    CommandLine,
    GuestStart,
    HostTuningEvent,
    RoundTrip,
    Run,
    Sample,
    Stage,
    Trial,
    TrialRecord,
)
from virtometer.store import database, digests, files, names, rows, schema
from virtometer.store.database import Copy
from virtometer.store.files import Lock, storage
from virtometer.store.follow_ups import with_stages
from virtometer.store.output import write_own
from virtometer.store.read_ahead import read_ahead
from virtometer.store.sample_rows import SampleRows

_PROBES = """
    SELECT trial, placement, kind, sent_host_ns, received_guest_ns, sent_guest_ns, received_host_ns FROM probes
    ORDER BY trial, placement, position
"""


class Ledger:
    """An open ledger. A context manager; `close` is idempotent."""

    def __init__(self, directory: Path, connection: Connection, lock: Lock | None, copy: Copy) -> None:
        """For `create` and `open` only."""
        self.directory = directory
        self.connection = connection
        self._lock = lock
        self._copy = copy
        self._inode = (directory / names.LEDGER).stat().st_ino
        if lock:
            with storage(directory):
                lock.note(database.holds(database.raw_of(connection)))

    @classmethod
    def create(cls, directory: Path, campaign: Campaign) -> Ledger:
        """Begin a campaign in a directory that does not exist or is empty, and open it for writing.

        `campaign.trials` must be empty; its guests and commands are recorded. Killed at any moment, this leaves either
        nothing that hinders the next `create`, or a campaign that can be resumed. Raises LedgerError for a directory
        that holds something already or in which another laboratory works, StorageError when it cannot be written.
        """
        directory = Path(directory)
        files.refuse_foreign(directory)
        with storage(directory):
            directory.mkdir(parents=True, exist_ok=True)
        lock = Lock(directory)
        try:
            files.refuse_foreign(directory)  # again: another laboratory may have been here before the lock
            with storage(directory):
                lock.forget()
                database.build(directory / names.UNFINISHED, campaign)
                write_own(directory / names.PLAN, campaign.plan_text)
                (directory / names.UNFINISHED).rename(directory / names.LEDGER)
                files.sync_directory(directory)
                files.sync_directory(directory.resolve().parent)
            connection, copy = database.connect_writer(directory)
            return cls(directory, connection, lock, copy)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, directory: Path, write: bool = False) -> Ledger:
        """Open the ledger in `directory`: to go on with it (`write`), which takes the lock, or only to read it.

        Reading works beside a laboratory that writes, and from a read-only or a full file system. Raises LedgerError
        for a directory that is missing, foreign, damaged, unreadable, in use, of a newer version or without the log
        that had recorded trials, StorageError for the disk.
        """
        directory = Path(directory)
        database.refuse_absent(directory)
        database.refuse_damaged_log(directory)
        lock = Lock(directory) if write else None
        try:
            if write:
                connection, copy = database.connect_writer(directory)
            else:
                connection, copy = database.connect_reader(directory)
            return cls(directory, connection, lock, copy)
        except BaseException:
            if lock:
                lock.release()
            raise

    def record(
        self,
        records: Sequence[TrialRecord],
        guests: Sequence[GuestStart],
        commands: Sequence[CommandLine],
        *,
        again: Container[int] = (),
    ) -> None:
        """Commit finished trials with all that belongs to them, in one transaction that is on the disk afterwards.

        `guests` holds at least every guest of the runs that was not recorded before; those already recorded are left
        as they are. `again`: indices of the trials that failed before; their records are kept aside, as they were,
        and these take their places. Raises LedgerError when a trial was not planned or is recorded already,
        StorageError when the disk is full.
        """
        for record in records:
            _refuse_contradictory(record)
        self._refuse_gone()
        try:
            with self._transaction():
                for record in records:
                    if record.trial.index in again:
                        digests.supersede(database.raw_of(self.connection), record.trial.index)
                self._insert_guests(guests)
                self._insert(schema.commands, [rows.command_row(command) for command in commands])
                for record in records:
                    self._insert_record(record)
        except LedgerError as cause:
            if isinstance(cause.__cause__, IntegrityError):
                numbers = ", ".join(str(record.trial.index) for record in records)
                raise LedgerError(
                    f"trial {numbers} cannot be recorded in {self.directory}: it was not planned, or is recorded "
                    f"already, or lacks its guest ({cause.__cause__.orig})"
                ) from cause
            raise

    def note(self, guests: Sequence[GuestStart], commands: Sequence[CommandLine]) -> None:
        """Commit guest starts and command lines that belong to no trial, such as those at the end of a campaign."""
        if guests or commands:
            with self._transaction():
                self._insert_guests(guests)
                self._insert(schema.commands, [rows.command_row(command) for command in commands])
                digests.seal(database.raw_of(self.connection))

    def note_tuning(self, event: HostTuningEvent) -> None:
        """Commit what happens to a tuning of the host; it is on the disk afterwards."""
        self._refuse_gone()
        with self._transaction():
            self._insert(schema.tunings, [rows.tuning_row(event)])
            digests.seal(database.raw_of(self.connection))

    def extend(self, stage: Stage, trials: Sequence[Trial]) -> None:
        """Commit further trials that follow those planned so far, with the stage that they belong to."""
        if len(trials) != stage.trials or any(one.index < stage.first_trial for one in trials):
            raise ValueError("a stage holds its own trials")
        self._refuse_gone()
        planned, placements = rows.planned_rows(trials)
        with self._transaction():
            self._insert(schema.stages, [rows.stage_row(stage)])
            self._insert(schema.planned, planned)
            self._insert(schema.placements, placements)
            digests.seal(database.raw_of(self.connection))

    def finished(self) -> set[int]:
        """Indices of the trials that are recorded, done and failed ones alike."""
        with deferred_signals(), storage(self.directory), self.connection.begin():
            return set(self.connection.execute(select(schema.trials.c.trial)).scalars())

    def read(self) -> Campaign:
        """Everything that the ledger holds, as it stood at one moment. Raises LedgerError where it is damaged."""
        try:
            with deferred_signals(), storage(self.directory), self.connection.begin():
                return self._read()
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, InvalidRequestError) as cause:
            first = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
            raise LedgerError(f"{self.directory / names.LEDGER} holds what no Virtometer wrote ({first})") from cause

    def close(self) -> None:
        """Close the database and release the lock."""
        with contextlib.suppress(Exception):
            self.connection.close()
        self._copy.__exit__(None, None, None)
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse_gone(self) -> None:
        """Raise StorageError where the file is no longer in its directory: what is written would go nowhere."""
        try:
            same = (self.directory / names.LEDGER).stat().st_ino == self._inode
        except OSError:
            same = False
        if not same:
            raise StorageError(
                f"{self.directory / names.LEDGER} was removed or replaced while the campaign ran; it stops here",
                advice="begin a new campaign, and keep its directory until it has ended",
            )

    # --- inside ---------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """What is written in the block is on the disk afterwards. How much the ledger then holds is noted beside it."""
        with deferred_signals(), storage(self.directory):
            with self.connection.begin():
                yield
                held = database.holds(database.raw_of(self.connection))
            if self._lock:
                self._lock.note(held)

    def _insert(self, table: Table, values: list[rows.Values]) -> None:
        if values:
            self.connection.execute(insert(table), values)

    def _insert_record(self, record: TrialRecord) -> None:
        trial = record.trial.index
        self._insert(schema.trials, [rows.trial_row(record)])
        for run in record.runs:
            number = run.placement.ordinal
            self._insert(schema.runs, [rows.run_row(trial, run)])
            self._insert(schema.samples, rows.sample_rows(trial, number, run.samples))
            self._insert(schema.probes, rows.probe_rows(trial, number, run.probes))
        raw = database.raw_of(self.connection)
        digests.seal(raw, trial, digests.trial_rows(raw, trial))

    def _insert_guests(self, guests: Sequence[GuestStart]) -> None:
        if guests:
            statement = sqlite_insert(schema.guests).on_conflict_do_nothing(index_elements=["guest"])
            self.connection.execute(statement, [rows.guest_row(guest) for guest in guests])

    def _all(self, table: Table) -> Sequence[Row[Any]]:
        return self.connection.execute(select(table).order_by(*table.primary_key)).all()

    def _samples(self, trial: int, placement: int, read: Mapping[int, SampleRows] | None) -> Sequence[Sample]:
        """The samples of a run. `read`: the rows of the trial, where they were read in one pass."""
        if read is not None:
            return read[placement].samples() if placement in read else ()
        table = schema.samples
        chosen = select(table).where(table.c.trial == trial, table.c.placement == placement).order_by(table.c.position)
        return tuple(rows.sample_of(row) for row in self.connection.execute(chosen))

    def _read(self) -> Campaign:
        head = self.connection.execute(select(schema.campaign)).one_or_none()
        if head is None:
            raise LedgerError(f"{self.directory / names.LEDGER} holds no campaign")
        plan = rows.plan_of(head.plan_json)
        planned = rows.planned_of(self._all(schema.planned), self._all(schema.placements))
        trial_of = {trial.index: trial for trial in planned}
        self.connection.execute(select(schema.samples).limit(1))  # an error where the table is missing
        raw = database.raw_of(self.connection)
        verified = digests.verify(raw, self.directory / names.LEDGER, partial(read_ahead, self.connection))
        probes: dict[tuple[int, int], list[RoundTrip]] = {}
        for trial, placement, *trip in raw.execute(_PROBES):
            probes.setdefault((trial, placement), []).append(RoundTrip(*trip))
        runs: dict[int, list[Run]] = {}
        for row in self._all(schema.runs):
            placement, key = trial_of[row.trial].placements[row.placement], (row.trial, row.placement)
            samples = self._samples(*key, verified.get(row.trial))
            run = rows.run_of(row, placement, samples, tuple(probes.get(key, ())))
            runs.setdefault(row.trial, []).append(run)
        stages = tuple(rows.stage_of(row) for row in self._all(schema.stages))
        first = tuple(rows.environment_of(row) for row in self._all(schema.environments))
        plan, environments = with_stages(plan, first, stages)
        return Campaign(
            plan=plan,
            plan_text=head.plan_text,
            seed=head.seed,
            created_at=head.created_at,
            host=rows.from_json(head.host_json),
            versions=rows.from_json(head.versions_json),
            environments=environments,
            planned=planned,
            trials=tuple(
                rows.trial_of(row, trial_of[row.trial], runs.get(row.trial, ())) for row in self._all(schema.trials)
            ),
            guests=tuple(rows.guest_of(row) for row in self._all(schema.guests)),
            commands=tuple(rows.command_of(row) for row in self._all(schema.commands)),
            stages=stages,
            tunings=tuple(rows.tuning_of(row) for row in self._all(schema.tunings)),
        )


def _refuse_contradictory(record: TrialRecord) -> None:
    """Raise ValueError for a record that says that a trial failed and has a value, or neither."""
    unscored = [run for run in record.runs if run.score is None and run.placement.role != "service"]
    if record.failure is None and unscored:
        raise ValueError("a run of a trial that is done has a score")
    if record.failure is not None and record.scored:
        raise ValueError("a failed trial has a reason and never a value")
    if record.failure is not None and any(sample.used for run in record.runs for sample in run.samples):
        raise ValueError("no sample of a failed trial is used")
