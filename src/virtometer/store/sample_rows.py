"""The samples of a trial in one pass over their table: their JSON, which the digests cover, and columns of numbers.

SQLite makes both, because a campaign may have a million samples. Its JSON is that of the module json where all texts
are printable ASCII without quotes and backslashes; other trials are read row by row. Numbers and texts differ in JSON,
and so do integers and fractions: text that has the recorded digest means rows that are as they were recorded.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from virtometer.model import NO_SLICE, Excluded, SampleColumns, Samples, reason_code
from virtometer.store import schema

_COLUMNS = [column.name for column in schema.samples.columns]
_STATEMENT = f"""
    SELECT placement, count(*), count(slice), count(excluded),
        CAST(json_group_array(json_array({", ".join(_COLUMNS)})) AS BLOB),
        group_concat(start_ns), group_concat(end_ns), group_concat(work), group_concat(slice),
        group_concat(ifnull(excluded, ''))
    FROM samples WHERE trial = ? GROUP BY placement ORDER BY placement
"""  # within a group in the order of the table's key; in another order the digest is another one
_CHECK, _MARK = _COLUMNS.index("check_value"), _COLUMNS.index("mark")


@dataclass(frozen=True, slots=True)
class SampleRows:
    """The rows of one run. json: an array of the rows, UTF-8; the others: the values of a column, separated by commas.

    slices, asides: how many rows have one; `aside` is empty where a row has none.
    """

    count: int
    slices: int
    asides: int
    json: bytes
    start_ns: str
    end_ns: str
    work: str
    slice: str | None
    aside: str

    def samples(self) -> Samples:
        """The samples. ValueError or LookupError for what is none."""
        count = self.count
        numbers = np.full(count, NO_SLICE) if self.slice is None else _numbers(self.slice, count)
        codes = np.full(count, reason_code(None), np.int8)
        if self.asides:
            reasons = self.aside.split(",")
            if len(reasons) != count:
                raise ValueError("a sample is excluded for an unknown reason")
            code_of = {reason: _code(reason) for reason in set(reasons)}
            codes = np.fromiter(map(code_of.__getitem__, reasons), np.int8, count)
        columns = SampleColumns(
            _numbers(self.start_ns, count), _numbers(self.end_ns, count), _numbers(self.work, count), numbers, codes
        )
        return Samples(columns, partial(_texts, self.json))


def sample_rows(raw: sqlite3.Connection, trial: int) -> dict[int, SampleRows] | None:
    """The rows of a trial's samples by placement, or None where they must be read one by one."""
    try:
        found = {row[0]: SampleRows(*row[1:]) for row in raw.execute(_STATEMENT, (trial,))}
    except sqlite3.Error:  # a value that JSON cannot hold, a text that is not UTF-8
        return None
    return found if all(map(_plain, found.values())) else None


def _plain(of: SampleRows) -> bool:
    """Whether its JSON is that of the module json, and its columns have a number for each row.

    The number that stands for no slice is none of a slice.
    """
    text = of.json.isascii() and b"\\" not in of.json and b"\x7f" not in of.json
    return text and of.slices in (0, of.count) and str(NO_SLICE) not in (of.slice or "")


def _numbers(text: str, count: int) -> NDArray[np.int64]:
    found = np.fromstring(text, dtype=np.int64, sep=",")
    if len(found) != count:
        raise ValueError("a sample lacks a number")
    return found


def _code(reason: str) -> int:
    return reason_code(Excluded(reason) if reason else None)


def _texts(rows: bytes) -> Sequence[tuple[str, str]]:
    return [(row[_CHECK], row[_MARK]) for row in json.loads(rows)]
