"""The clocks on the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis.clocks import Belief, beliefs
from virtometer.model import Campaign, TrialRecord
from virtometer.report.clocks import figure, grid

WORK = Work("clock", "clock", "watch", "s", 3e-8)


def campaign() -> Campaign:
    """A good clock, and one that runs 2 % slow."""
    made = simulate([Place("native"), Place("bad")], [WORK])
    extra = {
        "measures": {
            "cost-monotonic": {"unit": "s", "value": 3e-8},
            "resolution-monotonic": {"unit": "s", "value": 1e-8},
            "backward-realtime": {"unit": "1", "value": 3.0},
        },
        "histograms": {"timer-lateness": {"unit": "s", "digits": 2, "counts": [[60_000, 98], [2_000_000, 2]]}},
    }

    def put(record: TrialRecord) -> TrialRecord:
        rate = 1.0 if record.trial.placements[0].environment == "native" else 1.02
        return replace(
            record,
            results=tuple(replace(one, clock=replace(one.clock, rate=rate), **extra) for one in record.results),
        )

    return replace(made, trials=tuple(map(put, made.trials)))


@pytest.fixture(scope="module")
def both() -> tuple[Belief, ...]:
    return beliefs(campaign())


def test_the_table_tells_every_property_that_was_measured(both: tuple[Belief, ...]) -> None:
    rows = {row[0]: row[1:] for row in grid(both).rows}
    assert grid(both).columns == ("property", "native", "bad")
    assert rows["faster than the host's, ppm"][1].startswith("-19,608")
    assert rows["a reading, monotonic"] == ("30.0 ns", "30.6 ns")
    assert rows["readings that went back, real time"] == ("3", "3")
    assert rows["a timer is late, median"][0] == "60.0 µs"
    assert rows["a timer is late, worst"][0] == "2.00 ms"
    assert "steal by the guest's account" not in rows, "what nobody measured has no row"


def test_the_plot_says_from_which_length_on_the_clock_is_right(both: tuple[Belief, ...]) -> None:
    found = figure(both, 0.005)
    assert found is not None
    assert "native from 8.00 µs on" in found.alternative and "bad never" in found.alternative


def test_without_a_run_there_is_no_plot() -> None:
    assert figure((), 0.005) is None
