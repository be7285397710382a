"""Entries of guests on the page and in the machine interface."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import Analysis, analyse
from virtometer.model import ENTRY
from virtometer.report.findings.entries import COLUMNS, section
from virtometer.report.machine.document import document

PLACES = [Place("native"), Place("box", "runc"), Place("machine", "qemu")]
NOTES = {
    "native": {"way": "the start alone", "seconds": [0.0005] * 3},
    "box": {"way": "runc exec", "seconds": [0.05] * 3},
    "machine": {"reason": "has no way in"},
}


def entered() -> Analysis:
    campaign = simulate(PLACES, [Work()], blocks=6, fresh="block")
    guests = [replace(one, effective={**one.effective, ENTRY: NOTES[one.environment]}) for one in campaign.guests]
    return analyse(replace(campaign, guests=tuple(guests)))


def test_each_environment_is_a_row_with_its_time_or_a_reason() -> None:
    made = section(entered())
    assert made is not None
    (table,) = made.tables
    assert table.columns == COLUMNS
    assert [(row[0], row[1], row[2]) for row in table.rows] == [
        ("native", "the start alone", "500 µs"),
        ("box", "runc exec", "50.0 ms"),
        ("machine", "has no way in", ""),
    ]


def test_without_entries_there_is_no_section() -> None:
    analysis = analyse(simulate(PLACES, [Work()]))
    assert section(analysis) is None and document(analysis)["entries"] == []


def test_the_machine_interface_has_the_same() -> None:
    analysis = entered()
    rows = document(analysis)["entries"]
    assert [one["environment"] for one in rows] == ["native", "box", "machine"]
    box, machine = rows[1:]
    of = analysis.entries["box"].time
    assert of is not None
    assert (box["way"], box["seconds"], box["low"], box["high"]) == (
        "runc exec", of.estimate.value, of.estimate.low, of.estimate.high,
    )  # fmt: skip
    assert (box["n"], box["reason"]) == (of.estimate.n, "")
    assert (machine["way"], machine["seconds"], machine["n"], machine["reason"]) == ("", None, 0, "has no way in")
