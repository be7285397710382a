"""The plot of latency under rising load."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.analysis.loaded_campaigns import loaded
from virtometer.analysis import analyse
from virtometer.model import MIN_BLOCKS
from virtometer.report.drawing.drawer import DRAWER
from virtometer.report.parts.plot import Figure
from virtometer.report.sweeps.knee_figures import latency_curve
from virtometer.report.sweeps.knees import groups


def test_each_environment_has_a_line_and_a_mark_where_its_knee_is() -> None:
    (group,) = groups(analyse(loaded({"native": 50_000, "box": 12_000, "fast": 1e6})).knees)
    figure = latency_curve(group)
    assert figure is not None
    text = json.dumps(figure.spec)
    marks = marks_of(figure)
    assert [(row["e"], row["from"], row["to"]) for row in marks] == [("native", 16_000, 32_000), ("box", 4000, 8000)]
    assert all(row["from"] <= row["x"] <= row["to"] for row in marks), "no mark for a knee that is above the rates"
    assert "99 % of the requests took no longer" in text
    assert figure.alternative.startswith("latency (99 %) of open loop: net open-loop")
    assert "; knees: native " in figure.alternative and "fast above 64,000 requests/s" in figure.alternative
    svg = DRAWER.svg({**figure.spec, "width": 400})
    assert svg.count("stroke-dasharray") >= 2


def test_bounds_that_are_not_known_end_at_the_measured_rates() -> None:
    (group,) = groups(analyse(loaded({"native": 50_000}, blocks=8)).knees)
    assert group[0].at is not None
    for n, ends in ((MIN_BLOCKS, (1000, 64_000)), (MIN_BLOCKS - 1, (None, None))):
        known = replace(group[0].at, low=None, high=None, n=n)
        figure = latency_curve([replace(group[0], at=known)])
        assert figure is not None
        marks = marks_of(figure)
        assert (marks[0]["from"], marks[0]["to"]) == ends
        assert ("Band" in figure.caption) == (n == MIN_BLOCKS)


def marks_of(figure: Figure) -> list[dict[str, Any]]:
    """The rows of the marks among the data of a plot."""
    sets = json.loads(json.dumps(figure.spec))["datasets"].values()
    (marks,) = [rows for rows in sets if "from" in rows[0]]
    return list(marks)
