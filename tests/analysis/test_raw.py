"""Raw values: what the guests' own clocks said."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import by_guest_clocks, findings
from virtometer.model import Campaign

RATE = Work("rate", "memory", "triad", "B/s", 1e9)
TIME = Work("time", "os", "fork", "s", 1e-3)


def campaign(rate: float, extra: dict[str, Any] | None = None) -> Campaign:
    """The guest `off` has a clock of which a second lasts `rate` host seconds."""
    made = simulate([Place("native"), Place("off")], [RATE, TIME])
    trials = tuple(
        replace(
            record,
            results=tuple(
                replace(
                    one,
                    clock=replace(one.clock, rate=rate if one.placement.environment == "off" else 1.0),
                    **(extra or {}),
                )
                for one in record.results
            ),
        )
        for record in made.trials
    )
    return replace(made, trials=trials)


@pytest.mark.parametrize("rate", [0.5, 1.0, 2.0])
def test_a_clock_that_is_believed_makes_its_guest_look_quicker_or_slower(rate: float) -> None:
    raw = by_guest_clocks(campaign(rate))
    assert raw.clock == "guest" and raw.recorded is not None and raw.recorded.clock == "host"
    ratios = {(f.workload, f.subject): f.ratio.value for f in findings(raw) if f.ratio}
    # A guest second of two host seconds: twice the work in a second of its own, each operation in half the time.
    assert ratios["rate", "off"] == pytest.approx(rate)
    assert ratios["time", "off"] == pytest.approx(rate)
    fits = [result.clock for record in raw.trials for result in record.results]
    assert all(fit.rate == 1.0 and fit.probes == 0 for fit in fits)
    assert all(math.isnan(fit.relative_bound) and math.isnan(fit.bound_at_ns(0)) for fit in fits), "nobody knows"


def test_a_tools_raw_value_is_what_it_said() -> None:
    told = {"measures": {"tool-says": {"unit": "B/s", "value": 7.0}}}
    raw = by_guest_clocks(campaign(2.0, told))
    assert {result.value for record in raw.trials for result in record.results} == {7.0}
