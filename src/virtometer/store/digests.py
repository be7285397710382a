"""A chain of digests over what a ledger holds, so that damage is noticed.

Every transaction is an entry: the campaign itself, then each trial with the guests and command lines that were recorded
with it. digest(n) = SHA-256 of digest(n - 1) and of the entry's rows as JSON: first those of the trial (or of the
campaign), table by table, then the guests, then the command lines. Rows are in the order of their keys, values as
SQLite holds them. A changed, lost or added row changes the chain. The chain shows damage, not forgery: whoever can
write the ledger can make its digests anew.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.errors import LedgerError

_HEAD = ("campaign", "environments", "planned", "placements")
_TRIAL = {
    "trials": "trial",
    "runs": "placement",
    "results": "placement",  # results and evidence: in ledgers of older versions
    "evidence": "placement",
    "samples": "placement, position",
    "probes": "placement, position",
}


def trial_rows(raw: sqlite3.Connection, trial: int) -> str:
    """All rows of one trial, as JSON."""
    return _json(
        [
            [table, *raw.execute(f"SELECT * FROM {table} WHERE trial = ? ORDER BY {order}", (trial,))]
            for table, order in _tables(raw).items()
        ]
    )


def _tables(raw: sqlite3.Connection) -> dict[str, str]:
    """The tables of trials that this ledger has, with the order of their rows."""
    found = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return {table: order for table, order in _TRIAL.items() if table in found}


def seal(raw: sqlite3.Connection, trial: int | None = None, rows: str = "[]") -> None:
    """Add the entry of the transaction that is open. `rows` are those of `trial`, or of the campaign."""
    last = raw.execute("SELECT guests, commands, digest FROM entries ORDER BY entry DESC LIMIT 1").fetchone()
    guests, commands, digest = last or (0, 0, "")
    now = _lengths(raw)
    digest = _digest(digest, rows, _listed(raw, (guests, commands), now))
    raw.execute("INSERT INTO entries (trial, guests, commands, digest) VALUES (?, ?, ?, ?)", (trial, *now, digest))


def seal_head(raw: sqlite3.Connection) -> None:
    """Add the first entry, of a campaign of which no trial is recorded."""
    seal(raw, None, _head_rows(raw))


def seal_again(raw: sqlite3.Connection) -> None:
    """Make the digests anew after the tables have changed; a ledger that had none gets an entry for each trial."""
    entries = list(_entries(raw))
    if not entries:
        seal_head(raw)
        for (trial,) in raw.execute("SELECT trial FROM trials ORDER BY trial").fetchall():
            seal(raw, trial, trial_rows(raw, trial))
    for entry, digest in _chain(raw, entries):
        raw.execute("UPDATE entries SET digest = ? WHERE entry = ?", (digest, entry.number))


def supersede(raw: sqlite3.Connection, trial: int) -> None:
    """Take a trial out of the tables, so that it can be recorded again. Its rows stay, as JSON, in `superseded`."""
    (entry,) = raw.execute("SELECT max(entry) FROM entries WHERE trial = ?", (trial,)).fetchone()
    raw.execute("INSERT INTO superseded (entry, rows_json) VALUES (?, ?)", (entry, trial_rows(raw, trial)))
    for table in reversed(_tables(raw)):
        raw.execute(f"DELETE FROM {table} WHERE trial = ?", (trial,))


def verify(raw: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError where the ledger is not what was recorded, naming the trial. Read in one transaction."""
    entries = list(_entries(raw))
    for entry, digest in _chain(raw, entries):
        if digest != entry.digest:
            raise _damaged(path, entry.name)
    recorded = {entry.trial for entry in entries if entry.trial is not None}
    found = {trial for (trial,) in raw.execute("SELECT trial FROM trials")}
    if not entries or found != recorded or _lengths(raw) != entries[-1].lengths:
        raise _damaged(path, "its list of what is recorded")


_LISTS = ("guests", "commands")


@dataclass(frozen=True, slots=True)
class _Entry:
    """`rows` are those of the trial, or of the campaign; `lengths` are the last positions of guests and commands."""

    number: int
    trial: int | None
    rows: str
    lengths: tuple[int, int]
    digest: str

    @property
    def name(self) -> str:
        if self.trial is not None:
            return f"trial {self.trial + 1}"
        return "what belongs to no trial" if self.rows == "[]" else "its plan or its list of trials"


def _entries(raw: sqlite3.Connection) -> Iterator[_Entry]:
    statement = (
        "SELECT entry, trial, guests, commands, digest, rows_json FROM entries LEFT JOIN superseded USING (entry) "
        "ORDER BY entry"
    )
    for position, (number, trial, guests, commands, digest, aside) in enumerate(raw.execute(statement).fetchall()):
        if aside is not None:
            rows = aside
        elif trial is not None:
            rows = trial_rows(raw, trial)
        else:
            rows = "[]" if position else _head_rows(raw)
        yield _Entry(number, trial, rows, (guests, commands), digest)


def _chain(raw: sqlite3.Connection, entries: Sequence[_Entry]) -> Iterator[tuple[_Entry, str]]:
    """Each entry with the digest that it ought to have."""
    digest, before = "", (0, 0)
    for entry in entries:
        digest = _digest(digest, entry.rows, _listed(raw, before, entry.lengths))
        before = entry.lengths
        yield entry, digest


def _lengths(raw: sqlite3.Connection) -> tuple[int, int]:
    guests, commands = (
        raw.execute(f"SELECT coalesce(max(position), 0) FROM {table}").fetchone()[0] for table in _LISTS
    )
    return guests, commands


def _head_rows(raw: sqlite3.Connection) -> str:
    return _json([[table, *raw.execute(f"SELECT * FROM {table} ORDER BY 1, 2")] for table in _HEAD])


def _listed(raw: sqlite3.Connection, after: tuple[int, int], to: tuple[int, int]) -> str:
    return _json(
        [
            list(raw.execute(f"SELECT * FROM {table} WHERE position > ? AND position <= ? ORDER BY position", limits))
            for table, limits in zip(_LISTS, zip(after, to, strict=True), strict=True)
        ]
    )


def _json(rows: object) -> str:
    return json.dumps(rows, separators=(",", ":"))


def _digest(before: str, rows: str, listed: str) -> str:
    return hashlib.sha256(f"{before}\n{rows}\n{listed}".encode()).hexdigest()


def _damaged(path: Path, what: str) -> LedgerError:
    return LedgerError(
        f"{path} is damaged: {what} is not what was recorded",
        advice="take a copy of the whole directory, if there is one",
    )
