"""What a ledger of version 4 says in sentences, and which kinds become of it; findings of all older versions."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from virtometer.analysis import analyse, by_guest_clocks
from virtometer.model import AgentReport, Campaign, FailureKind, Mark, MarkKind, SetAside
from virtometer.report import render
from virtometer.store import digests, schema
from virtometer.store.ledger import Ledger

FINDINGS = Path(__file__).parent / "findings"
VERSION_4 = Path(__file__).parent / "versions" / "4.sql"
DONE: dict[str, Any] = {
    "unit": "IO/s", "better": "higher", "value": 7.5, "count": 3, "stopped": False,
    "check": {"kind": "checksum", "value": "0x1", "passed": True}, "cpu": {"user_ns": 2_000_000, "system_ns": 500_000},
    "conditions": {}, "measures": {"loss": {"unit": "1", "value": 0.5}}, "output": None,
    "histograms": {"latency": {"counts": [[1, 2]]}},
}  # fmt: skip


def migrated(directory: Path, *changes: tuple[str, Sequence[object]]) -> Campaign:
    """The ledger of version 4 with these changes, as it is read today. Trials 0 (done), 1 and 3 (failed) are in it."""
    directory.mkdir()
    with sqlite3.connect(directory / "ledger.sqlite") as connection:
        connection.executescript(VERSION_4.read_text())
        for statement, values in changes:
            assert connection.execute(statement, values).rowcount > 0
        digests.seal_again(connection)
    with Ledger.open(directory) as ledger:
        return ledger.read()


@pytest.mark.parametrize(
    ("reason", "kind", "rest", "placement"),
    [
        ("not available here: no disk", FailureKind.UNAVAILABLE, "no disk", None),
        ("native: not available here: no disk", FailureKind.UNAVAILABLE, "no disk", 0),
        ("native: the guest ended", FailureKind.UNKNOWN, "the guest ended", 0),
        ("the measured placements never ran", FailureKind.UNKNOWN, "the measured placements never ran", None),
        (
            "native: the agent says x: not available here: y",
            FailureKind.UNKNOWN,
            "the agent says x: not available here: y",
            0,
        ),
        ("other: not available here: no disk", FailureKind.UNKNOWN, "other: not available here: no disk", None),
    ],
)
def test_the_kind_of_a_failure(
    tmp_path: Path, reason: str, kind: FailureKind, rest: str, placement: int | None
) -> None:
    back = migrated(tmp_path / "r", ("UPDATE trials SET reason = ? WHERE trial = 1", (reason,)))
    _, record, _ = back.trials
    assert record.failure is not None
    assert (record.failure.kind, record.failure.reason, record.failure.placement) == (kind, rest, placement)
    assert (record.reason, record.unavailable) == (reason, kind is FailureKind.UNAVAILABLE)


def test_a_failure_with_a_fault_of_the_clock_is_of_the_clock(tmp_path: Path) -> None:
    reason = "native: the guest's clock stepped"
    *_, record = migrated(tmp_path / "r", ("UPDATE trials SET reason = ? WHERE trial = 3", (reason,))).trials
    assert record.failure is not None
    assert (record.failure.kind, record.failure.placement, record.reason) == (FailureKind.CLOCK, 0, reason)


def test_kinds_of_marks(tmp_path: Path) -> None:
    texts = ["steal: 7%", "again: measured later", "stall: 5 s: twice", "noise: loud", "steal 7 %"]
    back = migrated(tmp_path / "r", ("UPDATE trials SET marks_json = ? WHERE trial = 0", (json.dumps(texts),)))
    marks = back.trials[0].marks
    assert list(map(str, marks)) == texts
    assert [mark.kind for mark in marks] == [
        MarkKind.STEAL, MarkKind.AGAIN, MarkKind.STALL, MarkKind.UNKNOWN, MarkKind.UNKNOWN
    ]  # fmt: skip
    assert marks[2] == Mark(MarkKind.STALL, "5 s: twice")


@pytest.mark.parametrize(
    ("trial", "mark", "expected"),
    [
        (0, "clock error ±0.6% exceeds the limit of 0.5%", SetAside.CLOCK_ERROR),
        (0, "outside the stretch in which all measured placements overlap", SetAside.OUTSIDE),
        (0, "nobody likes it", SetAside.UNKNOWN),
        (3, "clock error ±0.6% exceeds the limit of 0.5%", SetAside.FAILED_TRIAL),
        (3, "it stepped", SetAside.FAILED_TRIAL),
    ],
)
def test_why_samples_were_set_aside(tmp_path: Path, trial: int, mark: str, expected: SetAside) -> None:
    back = migrated(tmp_path / "r", ("UPDATE samples SET mark = ? WHERE trial = ? AND NOT used", (mark, trial)))
    (record,) = (record for record in back.trials if record.trial.index == trial)
    aside = [sample for run in record.runs for sample in run.samples if not sample.used]
    assert {(sample.set_aside, sample.mark) for sample in aside} == {(expected, mark)}
    assert len(aside) == (3 if trial else 2)


def with_report(directory: Path, **more: Any) -> AgentReport | None:
    """The report of a failed run whose agent ended with the message `DONE`."""
    said = json.dumps({**DONE, **more})
    *_, record = migrated(directory, ("UPDATE evidence SET said_json = ? WHERE trial = 3", (said,))).trials
    assert record.runs[0].score is None
    return record.runs[0].report


def test_the_agents_last_message_becomes_the_report(tmp_path: Path) -> None:
    report = with_report(tmp_path / "r")
    assert report is not None
    assert report.cpu_s == pytest.approx(2.5e-3)
    assert replace(report, cpu_s=0.0) == AgentReport(7.5, 0.0, DONE["check"], DONE["measures"], DONE["histograms"])


def test_of_a_tool_the_number_that_it_printed_is_the_agents_value(tmp_path: Path) -> None:
    report = with_report(tmp_path / "r", measures={"tool-says": {"unit": "IO/s", "value": 250.0}}, output="read: 250")
    assert report is not None
    assert (report.value, report.output) == (250.0, "read: 250")


def test_a_run_that_did_not_end_has_no_report(tmp_path: Path) -> None:
    *_, record = migrated(tmp_path / "r", ("UPDATE evidence SET said_json = NULL WHERE trial = 3", ())).trials
    assert record.runs[0].report is None


def test_a_result_becomes_a_scored_run(tmp_path: Path) -> None:
    first, *_ = migrated(tmp_path / "r").trials
    assert [run.placement.ordinal for run in first.runs] == [0, 1]
    for run in first.runs:
        assert run.scored.value == 1000.125
        assert (run.reported.value, run.reported.cpu_s, run.reported.output) == (999.875, 0.045, None)


def cells(text: str) -> list[dict[str, object]]:
    """Rows of CSV by column, numbers as such: the last digit belongs to the order of additions."""

    def cell(found: str) -> object:
        try:
            return pytest.approx(float(found), rel=1e-9)
        except ValueError:
            return found

    rows = csv.DictReader(io.StringIO(text, newline=""))
    return [{column: cell(found) for column, found in row.items()} for row in rows]


@pytest.mark.parametrize("printed", sorted(FINDINGS.glob("*.csv")), ids=lambda path: path.stem)
def test_a_ledger_of_an_older_version_gives_the_findings_of_its_time(tmp_path: Path, printed: Path) -> None:
    """Failed trials of several kinds, marks, samples set aside; ledger and tables are by the version of then.

    Forecasts are no results: how long deciding takes is said by the rules of today.
    """
    version, _, raw = printed.stem.partition("-")
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.executescript((FINDINGS / f"{version}.sql").read_text())
        assert connection.execute("PRAGMA user_version").fetchone() == (int(version),)
    with Ledger.open(tmp_path) as ledger:
        back = ledger.read()
    expected = cells(printed.read_bytes().decode())
    found = cells(render(analyse(by_guest_clocks(back) if raw else back), "findings-csv"))
    columns = [column for column in expected[0] if column not in ("blocks_needed", "seconds_needed")]
    assert [{column: row[column] for column in columns} for row in found] == [
        {column: row[column] for column in columns} for row in expected
    ]


def test_there_are_findings_of_every_older_version() -> None:
    """The first version had no raw values."""
    older = range(1, schema.SCHEMA_VERSION)
    expected = {f"{version}.sql" for version in older} | {f"{version}.csv" for version in older}
    expected |= {f"{version}-raw.csv" for version in older if version > 1}
    assert {path.name for path in FINDINGS.iterdir()} == expected
