"""A study on a terminal, as tables of texts."""

from __future__ import annotations

from tests.report.studies.filled import filled, printed, section
from virtometer.report.studies import terminal


def test_rows_have_a_line_for_all_that_is_known() -> None:
    grid = terminal.grid(section(filled(), "5.1"))
    assert grid is not None and grid.corner == "" and len(grid.columns) == 5
    assert grid.rows[:5] == ["1000 x 1000", "  here", "  efficiency then", "  efficiency here", "  here by then"]
    assert grid.cells[1][2] == "0.3353 [0.3067, 0.3667]"
    assert grid.rows[5:8] == ["  host CPU", "2000 x 2000", "  efficiency then"]


def test_without_campaigns_rows_are_short() -> None:
    grid = terminal.grid(section(printed(), "5.3"))
    assert grid is not None and grid.corner == "[MB/s]"
    assert grid.rows[:2] == ["write, not random", "  efficiency then"]


def test_figures_say_what_they_draw_or_that_nothing_is_printed() -> None:
    of = printed("zupka2008")
    assert terminal.grid(section(of, "F5.2")) is None
    assert any("nowhere" in text for text in terminal.notes(section(of, "F5.2"), of))
    of = printed()
    assert "Draws 5.1, 5.2." in terminal.notes(section(of, "F5.1"), of)


def test_head() -> None:
    of = filled()
    assert of.of.question in terminal.head(of)[0] and of.study.citation in terminal.head(of)
