"""Profiles on the page."""

from __future__ import annotations

from tests.analysis.profile_campaigns import profiled
from virtometer.report import render
from virtometer.report.profile.section import section


def test_tables_have_the_prediction_and_each_class() -> None:
    made = section(profiled(measured=4.0).profiles)
    assert made is not None
    (part,) = made.parts
    whole, each = part.tables
    assert whole.rows[0][0] == "box"
    assert whole.rows[0][-1] == "simple calls"
    assert each.rows[0][:2] == ("box", "simple calls")
    assert all(len(row) == len(table.columns) for table in part.tables for row in table.rows)
    assert section(()) is None


def test_the_page_has_it() -> None:
    assert 'id="profiles"' in render(profiled(), "html")
