"""Reads the samples of the next trials in threads, while those before them are verified.

SQLite makes columns and JSON of a trial's samples without the interpreter's lock, so that each thread has a processor
of its own. Every thread has a connection: what it reads may be newer than the transaction of the caller, whose digests
refuse it then.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Connection, PoolProxiedConnection
from sqlalchemy.exc import SQLAlchemyError

from virtometer.store.sample_rows import SampleRows, sample_rows

_MOST_THREADS = 4  # the interpreter cannot verify faster than these read


def read_ahead(connection: Connection, trials: Sequence[int]) -> Generator[dict[int, SampleRows] | None, None, None]:
    """`sample_rows` of each trial, in their order. `connection`: the caller's; the threads have others like it."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    threads = min(len(os.sched_getaffinity(0)), _MOST_THREADS, len(trials))
    if threads < 2:
        yield from (sample_rows(raw, trial) for trial in trials)
        return
    own = threading.local()
    opened: list[PoolProxiedConnection] = []

    def connect() -> None:
        own.raw = None
        try:
            made = connection.engine.raw_connection()
        except (SQLAlchemyError, sqlite3.Error):  # no descriptor is left, for example: the caller's connection serves
            return
        opened.append(made)
        own.raw = made.driver_connection

    def read(trial: int) -> tuple[bool, dict[int, SampleRows] | None]:
        return own.raw is not None, None if own.raw is None else sample_rows(own.raw, trial)

    try:
        with ThreadPoolExecutor(threads, initializer=connect) as pool:
            for trial, (done, found) in zip(trials, pool.map(read, trials), strict=True):
                yield found if done else sample_rows(raw, trial)
    finally:
        for one in opened:
            one.close()
