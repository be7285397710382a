"""Cells in words."""

from __future__ import annotations

import dataclasses

import pytest

from tests.report.studies.filled import ODD, filled, printed, section, with_short_form
from tests.sentences import Said
from virtometer.analysis.studies.answers import RatiosFound
from virtometer.analysis.studies.ratios import Ratios
from virtometer.analysis.studies.results import StudyResults
from virtometer.model import Estimate
from virtometer.report.studies import latex, terminal, words
from virtometer.report.studies.page import page


@pytest.fixture(scope="module")
def found() -> StudyResults:
    return filled()


def test_lines_of_a_filled_cell(found: StudyResults) -> None:
    cell = section(found, "5.1").cells[0][2]
    assert words.lines_of(cell, unit=False) == {
        "printed": "0.333",
        "here": "0.3353 [0.3067, 0.3667]",
        "efficiency then": "0.997",
        "efficiency here": "0.500 [0.500, 0.500]",
        "here by then": "0.502 [0.502, 0.502]",
        "host CPU": "0.500 [0.500, 0.500]",
    }
    assert words.lines_of(cell, unit=True)["here"] == "0.3353 [0.3067, 0.3667] s"
    assert words.lines_of(cell, unit=True)["printed"] == "0.333 s"


def test_lines_of_other_cells(found: StudyResults) -> None:
    assert words.lines_of(None, unit=False) == {}
    assert words.lines_of(section(found, "5.1").cells[0][1], unit=False) == {
        "printed": "0.351",
        "efficiency then": "1.00",
    }
    runs = section(found, "5.1").cells[0][0]
    assert words.lines_of(runs, unit=True) == {"printed": "10", "here": "10.00"}


def test_estimates_and_ratios() -> None:
    assert words.estimate_words(Estimate(1234.5, None, None, 3), 4) == "1,234"
    assert words.ratios_words(None) == "no cells"
    assert words.ratios_words(Ratios(0.5, 0.5, 0.5, 1)) == "0.500 (1 cell)"
    assert words.ratios_words(Ratios(0.5, 0.25, 2.0, 3)) == "0.500, from 0.250 to 2.00 (3 cells)"


def test_ratios_in_plain_words() -> None:
    assert [words.plain_words(one) for one in (0.96, 0.944, 0.5, 1.2, 2.0)] == [
        "alike within 5 %", "6 % lost", "50 % lost", "20 % gained", "2.00 times as much",
    ]  # fmt: skip
    assert [words.change_words(one) for one in (0.5, 0.991, 1.0, 1.234, 4.38)] == [
        "-50 %", "-0.9 %", "+0.0 %", "+23 %", "+338 %",
    ]  # fmt: skip
    assert words.cells_words(None) == "no cells"
    assert words.cells_words(Ratios(0.5, 0.5, 0.5, 1)) == "50 % lost: 0.500 (1 cell)"


def test_ratios_here_stand_beside_the_same_cells_of_the_study() -> None:
    one = Ratios(0.5, 0.5, 0.5, 1)
    assert words.here_words(RatiosFound(one, None, None)) == "no cells"
    assert words.here_words(RatiosFound(one, one, Ratios(0.9, 0.9, 0.9, 1))).endswith("0.900")
    assert ", in box, other;" in words.here_words(RatiosFound(one, one, one, (0,), ("box", "other")))


def test_units_stand_once_where_all_columns_share_them(found: StudyResults) -> None:
    assert words.header(section(found, "5.3")) == (
        "MB/s",
        tuple(f"Linux {bits} bit, {role}" for role in ("guest", "native") for bits in (32, 64)),
    )
    unit, labels = words.header(section(found, "5.1"))
    assert unit == "" and labels[:2] == ("runs", "Linux 32 bit, guest [s]")


def test_how_much_is_filled(found: StudyResults) -> None:
    assert "10 of 636" in words.filled_words(found) and "simulated" in words.filled_words(found)
    assert "636 printed cells" in words.filled_words(printed())


def test_stand_ins_and_reasons(found: StudyResults) -> None:
    assert f"{ODD} for openvz 64 bit" in words.environments_words(section(found, "5.1"))
    assert words.environments_words(section(found, "5.3")) == ""
    assert words.reasons_words(section(found, "5.3"), campaigns=True) == ["16 cells: not in these campaigns."]
    assert words.reasons_words(section(found, "5.3"), campaigns=False) == []
    assert len(words.reasons_words(section(found, "5.2"), campaigns=False)) == 1


def test_a_table_says_how_many_of_its_new_values_are_of_a_short_form(found: StudyResults, said: Said) -> None:
    of = with_short_form()
    assert of.shortened == (("windows of 1 s instead of 9 s",), ())
    mixed, single = section(of, "5.1"), section(of, "6.1")
    assert (mixed.filled, single.filled) == (6, 2)  # the time of guest and native, and runs
    assert ": 3 of 6 " in words.short_words(mixed, of) and ": 1 of 2 " in words.short_words(single, of)
    assert words.short_words(section(of, "5.3"), of) == "" == words.short_words(section(found, "5.1"), found)
    said(words.short_words(mixed, of))
    alone = dataclasses.replace(of, shortened=(("windows of 1 s instead of 9 s",), ("smaller files",)))
    said(words.short_words(mixed, alone))


def test_campaigns_that_answer_are_counted_and_named_with_their_form(said: Said) -> None:
    of = with_short_form()
    said(words.campaigns_words((0, 1), of))
    said(words.campaigns_words((1,), of))
    said(words.campaigns_words((0,), of))
    assert words.campaigns_words((), of) == ""


def test_every_format_says_which_values_are_of_a_short_form() -> None:
    of = with_short_form()
    of_table, of_answers = words.short_words(section(of, "5.1"), of), words.campaigns_words((0, 1), of)
    assert of_table in terminal.notes(section(of, "5.1"), of)
    for text in (page(of), latex.document(of, "")):
        assert text.count(of_table) == 1 and of_answers in text
        assert "disagrees (measured in short form)" in text
