"""Entries of guests on the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import Analysis, analyse
from virtometer.model import ENTRY
from virtometer.report.formats.entries import of_entries

PLACES = [Place("native"), Place("box [1]", "runc")]


def printed(analysis: Analysis) -> str:
    out = io.StringIO()
    console = Console(file=out, width=100)
    for one in of_entries(analysis):
        console.print(one)
    return out.getvalue()


def test_times_and_reasons_are_shown() -> None:
    campaign = simulate(PLACES, [Work()], blocks=6, fresh="block")
    notes = {"native": {"way": "alone", "seconds": [0.0005]}, "box [1]": {"reason": "has [no] door"}}
    guests = [replace(one, effective={**one.effective, ENTRY: notes[one.environment]}) for one in campaign.guests]
    text = printed(analyse(replace(campaign, guests=tuple(guests))))
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "alone" in rows["native"] and "500 µs" in rows["native"]
    assert "box [1]" in rows["box"] and "has [no] door" in rows["box"]


def test_without_entries_nothing_is_shown() -> None:
    assert printed(analyse(simulate(PLACES, [Work()]))) == ""
