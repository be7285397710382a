"""Making and opening the database file of a ledger."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from virtometer.errors import LedgerError, StorageError
from virtometer.model import Campaign
from virtometer.store import digests, files, log, names, rows, schema
from virtometer.store.files import Recorded, storage

# The directory of a private copy, deleted on exit, or nothing.
Copy = contextlib.AbstractContextManager[Any]


def refuse_absent(directory: Path) -> None:
    """Raise LedgerError when `directory` holds nothing that could be a ledger."""
    with storage(directory):
        if not directory.exists():
            raise LedgerError(f"{directory} does not exist", advice="name the results directory of a campaign")
        if not directory.is_dir():
            raise LedgerError(f"{directory} is not a directory", advice="name the results directory of a campaign")
        ledger = directory / names.LEDGER
        if not ledger.exists():
            raise LedgerError(
                f"{directory} holds no campaign ({names.LEDGER} is missing)",
                advice="name the results directory of a campaign",
            )
        if not ledger.is_file():
            raise LedgerError(f"{ledger} is not a file")
        with ledger.open("rb") as file:  # SQLite's own message would not tell a missing permission from damage
            start = file.read(16)
    if not start:
        raise LedgerError(f"{ledger} is empty: it is damaged or not a ledger at all")


def refuse_damaged_log(directory: Path) -> None:
    """Raise LedgerError where recorded trials are lost in the write-ahead log of a laboratory that was killed."""
    path = directory / f"{names.LEDGER}-wal"
    with storage(directory):
        damaged = log.is_damaged(path)
    if damaged:
        raise LedgerError(f"{path} is damaged: trials that were recorded in it can no longer be read")


def build(path: Path, campaign: Campaign) -> None:
    """Write a new ledger into one file, without a write-ahead log beside it, and make it last."""
    for leftover in (path, path.with_name(f"{path.name}-journal")):
        leftover.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644))
    connection = _engine(path, "rwc").connect()
    try:
        with connection.begin():
            connection.exec_driver_sql(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            connection.exec_driver_sql(f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
            schema.METADATA.create_all(connection)
            planned, placements = rows.planned_rows(campaign.planned)
            connection.execute(
                insert(schema.campaign).values(
                    id=1,
                    plan_text=rows.to_text(campaign.plan_text),
                    plan_json=campaign.plan.model_dump_json(),
                    seed=campaign.seed,
                    created_at=campaign.created_at,
                    host_json=rows.to_json(campaign.host),
                    versions_json=rows.to_json(campaign.versions),
                )
            )
            statuses = [rows.environment_row(number, status) for number, status in enumerate(campaign.environments)]
            for table, values in (
                (schema.environments, statuses),
                (schema.planned, planned),
                (schema.placements, placements),
                (schema.guests, [rows.guest_row(guest) for guest in campaign.guests]),
                (schema.commands, [rows.command_row(command) for command in campaign.commands]),
            ):
                if values:
                    connection.execute(insert(table), values)
            digests.seal_head(raw_of(connection))
    finally:
        connection.close()
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _engine(path: Path, mode: str) -> Engine:
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: sqlite3.connect(
            f"file:{quote(os.fsencode(path.resolve()))}?mode={mode}",
            uri=True,
            timeout=5.0,
            check_same_thread=False,  # each is used by one thread at a time; see read_ahead.py
        ),
        poolclass=NullPool,
    )

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say, tables included
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")

    begin = "BEGIN IMMEDIATE" if mode.startswith("rw") else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def connect(directory: Path, *, write: bool, immutable: bool = False) -> Connection:
    """Open the ledger in `directory`; refuse a foreign one and one of another version.

    immutable: read the file alone, without the log and the shared memory beside it.
    """
    path = directory / names.LEDGER
    with storage(directory):
        connection = _engine(path, "rw" if write else "ro&immutable=1" if immutable else "ro").connect()
        try:
            raw = raw_of(connection)
            _refuse_other_versions(raw, path)
            _refuse_foreign_tables(raw, path)
            if write:
                raw.execute("PRAGMA journal_mode = WAL")
            raw.execute("SELECT count(*) FROM campaign").fetchone()
        except BaseException:
            connection.close()
            raise
    return connection


def connect_writer(directory: Path) -> tuple[Connection, Copy]:
    """Open for writing. The caller holds the lock. A link is refused: it may lead to somebody else's file.

    Raises LedgerError as `connect_reader`.
    """
    ledger = directory / names.LEDGER
    if ledger.is_symlink():
        raise LedgerError(f"{ledger} is a link", advice="name the directory in which the ledger itself lies")
    # A writer that closes puts what is left of a log into the ledger: what is lost is found out by reading alone.
    if files.recorded(directory) is not None:
        connection, copy = connect_reader(directory)
        with copy:
            connection.close()
    return connect(directory, write=True), contextlib.nullcontext()


def connect_reader(directory: Path) -> tuple[Connection, Copy]:
    """Open for reading. Raises LedgerError where trials were recorded that are no longer there."""
    known = files.recorded(directory)
    connection, copy = _reader(directory)
    try:
        if known is not None:
            _refuse_lost_log(raw_of(connection), known, directory)
    except BaseException:
        connection.close()
        copy.__exit__(None, None, None)
        raise
    return connection, copy


def holds(raw: sqlite3.Connection) -> Recorded:
    """How much a ledger with digests holds."""
    return Recorded(*raw.execute("SELECT coalesce(max(entry), 0), count(DISTINCT trial) FROM entries").fetchone())


def _refuse_lost_log(raw: sqlite3.Connection, known: Recorded, directory: Path) -> None:
    """Raise LedgerError where the ledger holds less than was known to be recorded."""
    with storage(directory):
        held = holds(raw)
    if held.entries >= known.entries or held.entries == 0:  # none at all is damage of another kind (digests.verify)
        return
    lost = known.trials - held.trials
    what = f"{lost} of the {known.trials} trials" if lost > 0 else "what was last"
    are, they = ("are", "they were") if lost > 1 else ("is", "it was")
    raise LedgerError(
        f"{what} recorded in {directory} {are} missing from {names.LEDGER}: {they} in its log {names.LEDGER}-wal, "
        "which is missing or incomplete",
        advice="put the log back, or take a copy of the whole directory; to go on without what is missing, remove "
        f"{directory / names.LOCK}",
    )


def _reader(directory: Path) -> tuple[Connection, Copy]:
    """Open for reading, whatever is lost.

    SQLite wants to make a shared-memory file beside a ledger in WAL mode: on a read-only or a full file system it
    cannot, and without it would not see what lies in the write-ahead log. Without a log, which every laboratory that
    still measures has, the file alone is the ledger; with one a private copy is read.
    """
    try:
        return connect(directory, write=False), contextlib.nullcontext()
    except (StorageError, LedgerError) as cause:
        if not _place_is_to_blame(cause):
            raise
    if _has_log(directory):
        return _copy(directory)
    return connect(directory, write=False, immutable=True), contextlib.nullcontext()


def _has_log(directory: Path) -> bool:
    with storage(directory):
        return (directory / f"{names.LEDGER}-wal").exists()


def _place_is_to_blame(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, sqlite3.Error):
        cause = cause.orig if isinstance(cause, DBAPIError) else cause.__cause__
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}


def _copy(directory: Path) -> tuple[Connection, Copy]:
    place = tempfile.TemporaryDirectory(prefix="virtometer-")
    try:
        with storage(directory):
            for suffix in ("", "-wal"):
                original = directory / f"{names.LEDGER}{suffix}"
                if original.exists():
                    shutil.copyfile(original, Path(place.name) / original.name)
        return connect(Path(place.name), write=True), place
    except BaseException:
        place.cleanup()
        raise


def raw_of(connection: Connection) -> sqlite3.Connection:
    """The connection of the standard library beneath."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


def _refuse_other_versions(raw: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError for a database that is not ours, or not of the version that we know."""
    application: int = raw.execute("PRAGMA application_id").fetchone()[0]
    version: int = raw.execute("PRAGMA user_version").fetchone()[0]
    ours = application == schema.APPLICATION_ID
    if application == schema.FORMER_ID or (ours and 1 <= version < schema.SCHEMA_VERSION):
        raise LedgerError(
            f"{path} was written by a Virtometer before its first release, which kept ledgers of another form",
            advice="read it with the version that wrote it, or measure again",
        )
    if not ours or version < 1:
        raise LedgerError(f"{path} is a database, but not a ledger of Virtometer")
    if version > schema.SCHEMA_VERSION:
        raise LedgerError(
            f"{path} was written by a newer Virtometer (ledger version {version}; this one knows up to "
            f"{schema.SCHEMA_VERSION})",
            advice="use that newer Virtometer",
        )


def _refuse_foreign_tables(raw: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError for anything but tables and columns of ours.

    A view, a trigger and a generated column are programs, which reading would execute, and may never end.
    """
    found = raw.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    for kind, name, statement in found:
        ours = kind == "table" and name in schema.METADATA.tables and str(statement).startswith("CREATE TABLE ")
        if not ours and not (kind == "index" and statement is None):
            raise LedgerError(f"{path} is damaged or was changed: the {kind} {_word(name)} is none of a ledger")
    for name in [name for kind, name, _ in found if kind == "table"]:
        columns = raw.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
        expected = [column.name for column in schema.METADATA.tables[name].columns]
        foreign = [column for column, hidden in columns if hidden or column not in expected]
        if foreign or [column for column, _ in columns] != expected:
            which = f"the column {_word(foreign[0])} of" if foreign else "a column is missing or moved in"
            raise LedgerError(f"{path} is damaged or was changed: {which} the table {name} is none of a ledger")


def _word(name: object) -> str:
    return " ".join(str(name).split())
