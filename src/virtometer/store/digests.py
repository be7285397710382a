"""A chain of digests over what a ledger holds, so that damage is noticed.

Every transaction is an entry: the campaign itself, then each trial with the guests and command lines that were recorded
with it, then each further stage with its planned trials, and what happens to tunings of the host. digest(n) = SHA-256
of digest(n - 1) and of the entry's rows as JSON: first those of the trial (or of the campaign), table by table, then
the guests, the command lines, the stages and the tunings. Rows are in the order of their keys, values as SQLite holds
them. A changed, lost or added row changes the chain. The chain shows damage, not forgery: whoever can write the ledger
can make its digests anew.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.errors import LedgerError
from virtometer.store.sample_rows import SampleRows, sample_rows

_PLANNED = ("planned", "placements")
_HEAD = ("campaign", "environments")
_TRIAL = {
    "trials": "trial",
    "runs": "placement",
    "samples": "placement, position",
    "probes": "placement, position",
}


Texts = Iterable[bytes | memoryview]
"""The parts of a text in their order, UTF-8: that of a trial may have many MB, which nobody copies without need."""


Reader = Callable[[Sequence[int]], Iterator[dict[int, SampleRows] | None]]
"""Gives `sample_rows` of each of these trials, in their order."""


def trial_rows(raw: sqlite3.Connection, trial: int, samples: Mapping[int, SampleRows] | None = None) -> str:
    """All rows of one trial, as JSON. `samples`: those of its samples by placement, where they have been read."""
    return b"".join(_trial_rows(raw, trial, samples)).decode()


def _trial_rows(raw: sqlite3.Connection, trial: int, samples: Mapping[int, SampleRows] | None) -> Texts:
    before = b"["
    for table, order in _TRIAL.items():
        yield before
        before = b","
        if table == "samples" and samples is not None:
            yield b'["samples"'
            for one in samples.values():
                yield b","
                yield memoryview(one.json)[1:-1]
            yield b"]"
        else:
            rows = raw.execute(f"SELECT * FROM {table} WHERE trial = ? ORDER BY {order}", (trial,))
            yield _json([table, *rows]).encode()
    yield b"]"


def seal(raw: sqlite3.Connection, trial: int | None = None, rows: str = "[]") -> None:
    """Add the entry of the transaction that is open. `rows` are those of `trial`, or of the campaign."""
    columns, marks = ", ".join(_LISTS), ", ".join("?" * len(_LISTS))
    last = raw.execute(f"SELECT {columns}, digest FROM entries ORDER BY entry DESC LIMIT 1").fetchone()
    *lengths, digest = last or (*_NONE, "")
    now = _lengths(raw)
    digest = _digest(digest, [rows.encode()], _listed(raw, lengths, now))
    raw.execute(f"INSERT INTO entries (trial, {columns}, digest) VALUES (?, {marks}, ?)", (trial, *now, digest))


def seal_head(raw: sqlite3.Connection) -> None:
    """Add the first entry, of a campaign of which no trial is recorded."""
    seal(raw, None, _head_rows(raw))


def supersede(raw: sqlite3.Connection, trial: int) -> None:
    """Take a trial out of the tables, so that it can be recorded again. Its rows stay, as JSON, in `superseded`."""
    (entry,) = raw.execute("SELECT max(entry) FROM entries WHERE trial = ?", (trial,)).fetchone()
    raw.execute("INSERT INTO superseded (entry, rows_json) VALUES (?, ?)", (entry, trial_rows(raw, trial)))
    for table in reversed(_TRIAL):
        raw.execute(f"DELETE FROM {table} WHERE trial = ?", (trial,))


def verify(raw: sqlite3.Connection, path: Path, read: Reader | None = None) -> dict[int, dict[int, SampleRows]]:
    """Raise LedgerError where the ledger is not what was recorded, naming the trial. Read in one transaction.

    The rows of samples that were read for it, by trial and placement; trials whose rows must be read one by one are
    absent. `read`: what reads the samples of trials.
    """
    found: dict[int, dict[int, SampleRows]] = {}
    entries, digest, before = list(_entries(raw)), "", _NONE
    trials_with_samples = [entry.trial for entry in entries if entry.trial is not None and entry.aside is None]
    rows = read(trials_with_samples) if read is not None else (sample_rows(raw, one) for one in trials_with_samples)
    for entry in entries:
        listed = _listed(raw, before, entry.lengths)
        samples = None if entry.trial is None or entry.aside is not None else next(rows)
        if samples is not None and entry.digest == _digest(digest, entry.rows(raw, samples), listed):
            found[entry.trial or 0] = samples
        elif entry.digest != _digest(digest, entry.rows(raw), listed):
            raise _damaged(path, entry.name)
        digest, before = entry.digest, entry.lengths
    recorded = {entry.trial for entry in entries if entry.trial is not None}
    trials = {trial for (trial,) in raw.execute("SELECT trial FROM trials")}
    if not entries or trials != recorded or _lengths(raw) != entries[-1].lengths:
        raise _damaged(path, "its list of what is recorded")
    return found


_LISTS = ("guests", "commands", "stages", "tunings")
_NONE = (0,) * len(_LISTS)


@dataclass(frozen=True, slots=True)
class _DigestRow:
    """`lengths` are the last positions in `_LISTS`. aside: the rows of a trial that was measured again."""

    number: int
    trial: int | None
    lengths: tuple[int, ...]
    digest: str
    aside: str | None
    first: bool

    def rows(self, raw: sqlite3.Connection, samples: Mapping[int, SampleRows] | None = None) -> Texts:
        """The rows of the trial, or of the campaign, as JSON. `samples`: as for `trial_rows`."""
        if self.aside is None and self.trial is not None:
            return _trial_rows(raw, self.trial, samples)
        head = self.first and self.aside is None
        return [(self.aside or (_head_rows(raw) if head else "[]")).encode()]

    @property
    def name(self) -> str:
        if self.trial is not None:
            return f"trial {self.trial + 1}"
        return "its plan or its list of trials" if self.first else "what belongs to no trial"


def _entries(raw: sqlite3.Connection) -> Iterator[_DigestRow]:
    statement = (
        f"SELECT entry, trial, digest, rows_json, {', '.join(_LISTS)} "
        "FROM entries LEFT JOIN superseded USING (entry) ORDER BY entry"
    )
    for position, (number, trial, digest, aside, *lengths) in enumerate(raw.execute(statement).fetchall()):
        yield _DigestRow(number, trial, tuple(lengths), digest, aside, position == 0)


def _lengths(raw: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(raw.execute(f"SELECT coalesce(max(position), 0) FROM {table}").fetchone()[0] for table in _LISTS)


def _head_rows(raw: sqlite3.Connection) -> str:
    """Without the trials that were planned by a further stage."""
    end = raw.execute("SELECT min(first_trial) FROM stages").fetchone()[0]
    head = [[table, *raw.execute(f"SELECT * FROM {table} ORDER BY 1, 2")] for table in _HEAD]
    return _json(head + _planned_rows(raw, 0, end))


def _planned_rows(raw: sqlite3.Connection, first: int, end: int | None) -> list[list[Any]]:
    """The rows of trials from `first` to before `end`; None: to the last."""
    limits = (first, sys.maxsize if end is None else end)
    return [
        [table, *raw.execute(f"SELECT * FROM {table} WHERE trial >= ? AND trial < ? ORDER BY 1, 2", limits)]
        for table in _PLANNED
    ]


def _listed(raw: sqlite3.Connection, after: Sequence[int], to: Sequence[int]) -> str:
    rows = [
        list(raw.execute(f"SELECT * FROM {table} WHERE position > ? AND position <= ? ORDER BY position", limits))
        for table, limits in zip(_LISTS, zip(after, to, strict=True), strict=True)
    ]
    statement = "SELECT first_trial, trials FROM stages WHERE position > ? AND position <= ?"
    at = _LISTS.index("stages")
    for first, count in raw.execute(statement, (after[at], to[at])).fetchall():
        rows += _planned_rows(raw, first, first + count)
    return _json(rows)


def _json(rows: object) -> str:
    return json.dumps(rows, separators=(",", ":"))


def _digest(before: str, rows: Texts, listed: str) -> str:
    made = hashlib.sha256(f"{before}\n".encode())
    for part in rows:
        made.update(part)
    made.update(f"\n{listed}".encode())
    return made.hexdigest()


def _damaged(path: Path, what: str) -> LedgerError:
    return LedgerError(
        f"{path} is damaged: {what} is not what was recorded",
        advice="take a copy of the whole directory, if there is one",
    )
