"""What stands below the tables of commands."""

from __future__ import annotations

import io

from rich.console import Console

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.model import Campaign, Run
from virtometer.report.formats.circumstances import below_commands

ASKED = {"relative_to_empty": True, "first_counts": True}
WORKS = [Work(name, "command", "time", "s", 0.02, parameters=ASKED) for name in ("first [one]", "second")]


def campaign() -> Campaign:
    def with_empty(run: Run) -> Run:
        took_s = {"native": 0.001, "box": 0.0123}[run.placement.environment]
        return changed(run, measures={"empty": {"unit": "s", "value": took_s}})

    named = {work.name: {"seccomp": "filter", "limit_open_files": "12"} for work in WORKS}
    box = Place("box", "runc", {"first [one]": 0.5}, conditions=named, provision_s=0.25)
    return with_runs(simulate([Place("native"), box], WORKS, fresh="trial"), with_empty)


def printed(of: Campaign, more: str | None) -> str:
    out = io.StringIO()
    console = Console(file=out, width=100)
    for one in below_commands(analyse(of), more):
        console.print(one)
    return out.getvalue()


def test_empty_programs_cold_guests_and_what_differs_are_shown() -> None:
    text = printed(campaign(), None)
    assert "1.00 ms in native" in text and "12.3 ms in box" in text
    assert text.count("first [one]") == 3 and text.count("second") == 3, "a heading that repeats is left out"
    rows = [line.split() for line in text.splitlines() if line.strip().startswith(("limit: open files", "filter of"))]
    assert [row[-1] for row in rows] == ["filter", "12"]
    assert "250 ms" in text


def test_values_of_what_differs_stand_in_the_notes() -> None:
    text = printed(campaign(), "virtometer report x --notes")
    assert "virtometer report x --notes" in " ".join(text.split())
    assert "filter of system calls" in " ".join(text.split()) and "12\n" not in text


def test_further_commands_stand_beside_the_first_one() -> None:
    works = [Work("first", "command", "time", "s", 0.02), Work("second", "command", "time", "s", 0.06)]
    text = printed(simulate([Place("native"), Place("box", "runc", {"": 0.5})], works), None)
    (row,) = [line.split() for line in text.splitlines() if line.strip().startswith("second")]
    assert row.count("3.0") == 2


def test_campaigns_without_commands_have_nothing() -> None:
    assert printed(simulate([Place("native")]), None) == ""
