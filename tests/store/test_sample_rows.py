"""Samples that are read in one pass are those that are read row by row, and the digest notices the same damage."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.store.campaigns import campaign, done, guest
from tests.store.ledgers import made, outcome, read
from virtometer.model import NO_SLICE, Excluded, Sample, Samples
from virtometer.store import digests, names, rows, schema
from virtometer.store.ledger import Ledger
from virtometer.store.sample_rows import sample_rows

NUMBERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(max_size=4) | st.sampled_from(
    ["ok", "é", "a\\b", 'say "no"', "\n", "\x7f", "\x00", ",", "[1,2]", "null"]
)
SAMPLES = st.lists(
    st.builds(
        Sample, NUMBERS, NUMBERS, NUMBERS, TEXTS, st.none() | st.sampled_from(Excluded), TEXTS, st.none() | NUMBERS
    ),
    min_size=1,
    max_size=6,
)


def stored(runs: Sequence[Sequence[Sample]]) -> sqlite3.Connection:
    """A table of samples: one trial with a run for each placement, among other trials."""
    raw = sqlite3.connect(":memory:", isolation_level=None)
    columns = [column.name for column in schema.samples.columns]
    raw.execute(f"CREATE TABLE samples ({', '.join(columns)}, PRIMARY KEY (trial, placement, position)) WITHOUT ROWID")
    for trial in (3, 4, 5):
        for number, samples in enumerate(runs):
            for row in rows.sample_rows(trial, number, samples):
                raw.execute(f"INSERT INTO samples VALUES ({', '.join('?' * len(columns))})", list(row.values()))
    for table in (schema.trials, schema.runs, schema.probes):
        raw.execute(f"CREATE TABLE {table.name} ({', '.join(column.name for column in table.columns)})")
    return raw


@given(st.lists(SAMPLES, min_size=1, max_size=3))
@example([[Sample(0, 0, 0, "", slice=NO_SLICE)]])
def test_the_json_and_the_samples_are_those_that_are_read_row_by_row(runs: list[list[Sample]]) -> None:
    with contextlib.closing(stored(runs)) as raw:
        found = sample_rows(raw, 4)
        if found is not None:
            assert digests.trial_rows(raw, 4, found) == digests.trial_rows(raw, 4)
            for number, samples in enumerate(runs):
                expected = [replace(one, check=rows.to_text(one.check), mark=rows.to_text(one.mark)) for one in samples]
                assert list(found[number].samples()) == expected


def test_plain_samples_are_read_in_one_pass_and_others_are_not() -> None:
    plain = [Sample(5, 9, 2, "0x1", Excluded.WARM_UP, "the first", 0), Sample(9, 12, 3, "0x2", slice=0)]
    for odd in ("é", "\\", '"', "\n", "\x7f", "\x00"):
        with contextlib.closing(stored([plain, [Sample(0, 1, 1, odd)]])) as raw:
            assert sample_rows(raw, 4) is None, odd
    with contextlib.closing(stored([plain, [*plain, Sample(12, 13, 1, "")]])) as raw:
        assert sample_rows(raw, 4) is None, "in slices and not"
    with contextlib.closing(stored([plain, [Sample(0, 1, 1, "")]])) as raw:
        found = sample_rows(raw, 4)
    assert found is not None
    assert [tuple(one.samples()) for one in found.values()] == [tuple(plain), (Sample(0, 1, 1, ""),)]


def test_a_trial_without_samples_has_none_and_a_table_without_a_column_is_not_read() -> None:
    with contextlib.closing(stored([])) as raw:
        assert sample_rows(raw, 4) == {}
        raw.execute("ALTER TABLE samples DROP COLUMN slice")
        assert sample_rows(raw, 4) is None


def test_a_ledger_gives_back_odd_texts_too(tmp_path: Path) -> None:
    of = campaign(2)
    records = []
    for trial, check in zip(of.planned, ("plain", 'é \\ "\n\x00'), strict=True):
        record = done(trial, 5)
        samples = tuple(replace(one, check=check) for one in record.runs[0].samples)
        records.append(replace(record, runs=(replace(record.runs[0], samples=samples), *record.runs[1:])))
    with Ledger.create(tmp_path / "r", of) as ledger:
        for record in records:
            ledger.record([record], [guest(record.trial.index)], [])
    back = read(tmp_path / "r")
    assert back.trials == tuple(records)
    assert isinstance(back.trials[0].runs[0].samples, Samples)
    assert isinstance(back.trials[1].runs[0].samples, tuple)


@pytest.mark.parametrize(
    "change",
    [
        "start_ns = start_ns + 0.5",
        "end_ns = end_ns - 1",
        "work = -work",
        "work = 0.25",
        "work = CAST(work AS BLOB)",
        "check_value = check_value || char(0)",
        "check_value = check_value || char(0) || 'x'",
        "check_value = CAST(check_value AS BLOB)",
        "check_value = CAST(x'ff' AS TEXT)",
        "excluded = 'warm-up'",
        "excluded = ''",
        "mark = 'a mark'",
        "slice = NULL",
        "position = position + 1000",
        "placement = 1 - placement, position = position + 1000",
    ],
)
def test_every_change_of_a_sample_is_noticed(tmp_path: Path, change: str) -> None:
    made(tmp_path / "r")
    with contextlib.closing(sqlite3.connect(tmp_path / "r" / names.LEDGER)) as raw, raw:
        assert raw.execute(f"UPDATE samples SET {change} WHERE trial = 1 AND placement = 0 AND position = 7").rowcount
    found = outcome(tmp_path / "r")
    assert isinstance(found, str)
    assert "is damaged" in found or "holds what no Virtometer wrote" in found or "look as a ledger should" in found
