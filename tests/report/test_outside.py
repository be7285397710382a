"""The table of the page that compares three clocks."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import changed, with_runs
from tests.analysis.test_outside import campaign
from virtometer.analysis import analyse
from virtometer.analysis.outside import timed
from virtometer.report import html_tables, render


def test_a_row_an_environment() -> None:
    found = timed(campaign(own=1e9, outside=1.98e9, rate=0.5))
    grid = html_tables.clocks_compared({environment: one for (_, environment), one in found.items()})
    assert grid.rows == [("native", "1.00 GFLOP/s", "2.00 GFLOP/s", "1.98 GFLOP/s", "−1.00 %", "100 µs")]
    assert len(grid.columns) == len(grid.rows[0])


def test_the_page_has_it_where_an_outside_clock_was_asked_and_only_there() -> None:
    asked = campaign(own=1e9, outside=1.98e9, rate=0.5)
    unasked = with_runs(asked, lambda run: changed(run, measures={}))
    assert "by the outside clock" in render(analyse(asked), "html")
    assert "by the outside clock" not in render(analyse(unasked), "html")
