"""Tables of commands: what the page, the terminal and the machine interface have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from virtometer.analysis import Analysis, analyse
from virtometer.model import Run
from virtometer.report.findings import command_tables
from virtometer.report.formats.html import page
from virtometer.report.machine.document import document

ASKED = {"relative_to_empty": True, "first_counts": True}
WORKS = [Work(name, "command", "time", "s", 0.02, parameters=ASKED) for name in ("first", "second")]
LIMITS = {work.name: {"limit_open_files": "12 <most>"} for work in WORKS}
PLACES = [Place("native"), Place("box", "runc", {"": 0.5}, conditions=LIMITS, provision_s=0.25)]


def analysis(measures: dict[str, Any] | None = None) -> Analysis:
    def with_measures(run: Run) -> Run:
        empty = {"native": 0.001, "box": 0.0123}[run.placement.environment]
        usual = {"empty": {"unit": "s", "value": empty}, "user": {"unit": "s", "value": 0.011}}
        return changed(run, measures=usual if measures is None else measures)

    return analyse(with_runs(simulate(PLACES, WORKS, fresh="trial"), with_measures))


def test_a_run_has_a_row_for_each_command_and_environment() -> None:
    made = command_tables.runs(analysis())
    assert made is not None
    assert made.columns[:4] == ("command", "where", "time", "user")
    assert [row[:2] for row in made.rows] == [(work.name, place.name) for work in WORKS for place in PLACES]
    assert [row[-1] for row in made.rows] == ["1", "0.500 ±0.000"] * 2 or made.rows[1][-1].startswith("0.5")
    assert made.rows[0][2:4] == ("20.0 ms", "11.0 ms")


def test_an_empty_program_and_a_cold_guest_have_their_times() -> None:
    empty, cold = command_tables.empty_programs(analysis()), command_tables.cold(analysis())
    assert empty is not None and cold is not None
    assert [row[:2] for row in empty.rows] == [("native", "1.00 ms"), ("box", "12.3 ms")]
    assert [row[1:4] for row in cold.rows[:2]] == [("native", "50.0 ms", "70.0 ms"), ("box", "250 ms", "290 ms")]
    assert cold.rows[0][4] == "1" and cold.rows[1][4].startswith("0.24")


def test_conditions_that_differ_have_the_value_of_each_environment() -> None:
    made = command_tables.differing(analysis())
    assert made is not None
    assert made.columns == ("condition", "native", "box")
    assert made.rows == [("limit: open files", "not reported", "12 <most>")]


def test_the_page_and_the_machine_interface_have_what_the_terminal_has() -> None:
    of = analysis()
    text, rows = page(of, scripts=False), document(of)
    assert text.count('id="commands"') == 1
    assert "12.3 ms" in text and "290 ms" in text and "12 &lt;most&gt;" in text
    empty = {(one["workload"], one["subject"]): one["time"] for one in rows["empty_programs"]}
    assert empty["first", "box"] == pytest.approx(0.0123, rel=1e-3)
    without = {(one["workload"], one["subject"]): one for one in rows["without_empty"]}
    assert without["second", "box"]["ratio"] == pytest.approx(0.019 / (0.04 - 0.0123), rel=1e-2)
    cold = {(one["workload"], one["subject"]): one for one in rows["cold_commands"]}
    assert cold["first", "box"]["start"] == pytest.approx(0.25) and cold["first", "native"]["ratio"] is None
    assert cold["first", "box"]["ratio"] == pytest.approx(0.07 / 0.29, rel=1e-2)
    (differing,) = rows["differing_conditions"]
    assert differing["values"] == {"native": "not reported", "box": "12 <most>"}


def test_a_reading_of_the_clock_has_a_column_where_guests_tell_it() -> None:
    readings = {work.name: {"clock_reading": "25.0 ns"} for work in WORKS}
    made = simulate([replace(PLACES[0], conditions=readings), PLACES[1]], WORKS, fresh="trial")
    table = command_tables.empty_programs(analyse(made))
    assert table is not None and table.columns == ["where", "reading of the clock"]
    assert table.rows == [("native", "25.0 ns")]
    (row,) = document(analyse(made))["clock_readings"]
    assert row == {"subject": "native", "time": pytest.approx(25e-9)}
    usual = command_tables.empty_programs(analysis())
    assert usual is not None and usual.columns[-1] == "guests"


def test_a_campaign_without_these_measures_lacks_their_tables() -> None:
    bare = analysis({})
    assert command_tables.empty_programs(bare) is None and command_tables.runs(bare) is None
    other = analyse(simulate([replace(PLACES[0])], [Work()]))
    for make in (command_tables.between, command_tables.cold, command_tables.without_empty, command_tables.differing):
        assert make(other) is None
    rows = document(other)
    assert not any(rows[name] for name in ("empty_programs", "without_empty", "cold_commands", "differing_conditions"))
