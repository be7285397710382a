"""Rows of several guests. What is in them is tested by `test_crowds.py`, with the schema."""

from __future__ import annotations

from virtometer.model import Estimate
from virtometer.report.groups.rows import bounds


def test_a_figure_has_three_fields() -> None:
    assert bounds("cv", Estimate(0.1, 0.05, 0.2, 6)) == {"cv": 0.1, "cv_low": 0.05, "cv_high": 0.2}
    assert bounds("cv", None) == {"cv": None, "cv_low": None, "cv_high": None}
