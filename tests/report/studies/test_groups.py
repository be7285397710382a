"""The groups of a matrix as a table, and their letters beside the cells, in every format."""

from __future__ import annotations

import pytest

from tests.analysis.studies.test_network_cells import both
from tests.report.studies.filled import printed, section
from virtometer.analysis import Analysis
from virtometer.analysis.studies.results import StudyResults, results
from virtometer.report.studies import latex, terminal, words
from virtometer.report.studies.groups import groups_table
from virtometer.report.studies.page import page
from virtometer.studies.data import studies

__all__ = ["both"]  # the fixture


@pytest.fixture(scope="module")
def found() -> StudyResults:
    return printed("klein2008")


def test_each_group_has_its_printed_mean_and_where_its_cells_lie(found: StudyResults) -> None:
    table = groups_table(section(found, "3.2"), campaigns=False)
    assert table is not None and len(table.heads) == 2
    assert table.rows == (
        ("(a) within one system, throughput [MB/s]", "323, 294 to 338 (5 cells)"),
        ("(b) between systems of one server, throughput [MB/s]", "73.2, 2.00 to 293 (8 cells)"),
        ("(c) between servers, throughput [MB/s]", "60.9, 29.0 to 112 (12 cells)"),
    )
    first = groups_table(section(found, "3.1"), campaigns=False)
    assert first is not None and first.rows[0][1] == "232 (1 cell)"
    assert groups_table(section(found, "3.3"), campaigns=False) is None


def test_means_of_campaigns_stand_beside_the_printed_ones(both: Analysis) -> None:
    made = results(studies()["klein2008"], [both])
    table = groups_table(section(made, "3.2"), campaigns=True)
    assert table is not None and [len(row) for row in table.rows] == [3, 3, 3]
    # Twice 11, 11, 22, 22 and 33: ten times the number of the source and the number of the target.
    assert table.rows[0][2] == "39.6 [36.2, 43.3] (5 cells)"
    assert table.rows[2][2] == "no cells"


def test_cells_of_a_matrix_have_letters_and_so_have_rows_of_pairs(found: StudyResults) -> None:
    rows, cells = words.marks(section(found, "3.2"))
    assert set(rows) == {""}
    assert cells[0] == ("(a)", "(b)", "(c)", "(c)", "(c)") and cells[2] == ("(c)", "(c)", "(a)", "(b)", "(b)")
    rows, cells = words.marks(section(found, "A.1"))
    assert rows == ("(a)", "(b)", "(b)", "(b)", "(c)", "(c)", "(c)", "(b)")
    assert {one for row in cells for one in row} == {""}
    rows, cells = words.marks(section(found, "3.3"))
    assert {*rows, *(one for row in cells for one in row)} == {""}


def test_every_format_has_the_letters_and_the_groups(found: StudyResults) -> None:
    grid = terminal.grid(section(found, "3.2"))
    assert grid is not None and grid.cells[0] == ["323 (a)", "161 (b)", "78 (c)", "112 (c)", "112 (c)"]
    pairs = terminal.grid(section(found, "A.1"))
    assert pairs is not None and pairs.rows[1] == "no7 to vm3 (b)"
    html = page(found)
    assert '<b>323</b> <span class="what">(a)</span>' in html and "no7 to vm3 (b)" in html
    assert html.count("(b) between systems of one server, throughput [MB/s]") == 4
    tex = latex.document(found, "")
    assert "to node6 & 323 (a) & 161 (b) & 78 (c)" in tex and "no7 to vm3 (b) & 87380 &" in tex
    assert tex.count("(b) between systems of one server, throughput {[}MB/s{]}") == 4
