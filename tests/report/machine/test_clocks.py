"""The quality of clocks, as rows."""

from __future__ import annotations

from dataclasses import replace

from tests.report.showcase import showcase
from virtometer.analysis import analyse
from virtometer.report.machine.clocks import LimitedClock
from virtometer.report.machine.field import SHAPES


def test_what_was_not_measured_is_null() -> None:
    first = analyse(showcase()).clocks[0]
    row = SHAPES["clock_quality"].row(
        LimitedClock(replace(first, measures={}, lateness=None, drift=None, runs=0), 0.005)
    )
    assert [row[name] for name in ("lateness", "drift", "residual_s", "counter_rate", "steal")] == [None] * 5
    assert row["resolution_s"] == dict.fromkeys(("monotonic", "monotonic-raw", "realtime", "counter"))


def test_a_stricter_limit_is_met_by_fewer_clocks() -> None:
    quality = analyse(showcase()).clocks[0]
    found = [SHAPES["clock_quality"].row(LimitedClock(quality, limit))["usable"] for limit in (0.5, 1e-12)]
    assert found == [True, False]
