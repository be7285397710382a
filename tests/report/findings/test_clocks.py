"""The clocks on the page."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, lied, simulate, with_runs
from tests.sentences import Said
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.analysis.describe.clocks import ClockQuality, Drift, clock_qualities
from virtometer.model import Campaign, ClockFault, Run
from virtometer.report.findings.clocks import figure, grid
from virtometer.report.formats.html import page

WORK = Work("clock", "clock", "watch", "s", 3e-8)


def campaign() -> Campaign:
    """A good clock, and one that runs 2 % slow."""
    made = simulate([Place("native"), Place("bad")], [WORK])
    measures = {
        "cost-monotonic": {"unit": "s", "value": 3e-8},
        "resolution-monotonic": {"unit": "s", "value": 1e-8},
        "backward-realtime": {"unit": "1", "value": 3.0},
        **{f"resolution-{name}": {"unit": "s", "value": 2e-8} for name in ("monotonic-raw", "realtime", "counter")},
        "cost-counter": {"unit": "s", "value": 1e-8},
        "counter-rate": {"unit": "1/s", "value": 2_599_998_734.0},
        "steal": {"unit": "1", "value": 0.0123},
    }
    histograms = {"timer-lateness": {"unit": "s", "digits": 2, "counts": [[60_000, 98], [2_000_000, 2]]}}

    def put(run: Run) -> Run:
        clock = replace(run.scored.clock, rate=1.0 if run.placement.environment == "native" else 1.02)
        return changed(run, clock=clock, measures=measures, histograms=histograms)

    given = {"facts": {"architecture": "x86_64"}}
    guests = tuple(replace(guest, effective=given) for guest in made.guests)
    return replace(with_runs(made, put), guests=guests)


@pytest.fixture(scope="module")
def both() -> tuple[ClockQuality, ...]:
    return clock_qualities(campaign())


def test_the_table_tells_every_property_that_was_measured(both: tuple[ClockQuality, ...]) -> None:
    rows = {row[0]: row[1:] for row in grid(both).rows}
    assert grid(both).columns == ("property", "native", "bad")
    assert rows["faster than the host's, ppm"][1].startswith("-19,608")
    assert rows["a reading, monotonic"] == ("30.0 ns", "30.6 ns")
    assert rows["readings that went back, real time"] == ("3", "3")
    assert rows["a timer is late, median"][0] == "60.0 µs"
    assert rows["a timer is late, worst"][0] == "2.00 ms"
    assert rows["smallest advance, real time"] == ("20.0 ns", "20.4 ns")
    assert rows["smallest advance, monotonic raw"][0] == rows["smallest advance, TSC"][0] == "20.0 ns"
    assert rows["a reading, TSC"][0] == "10.0 ns"
    assert rows["TSC's rate"][0] == "2,599.999 MHz", "as many digits as are known"
    assert rows["steal by the guest's account"][0] == "1.2 %"
    assert "largest jump of real time" not in rows, "what nobody measured has no row"
    assert "offset drift between the runs of one guest" not in rows, "no guest had two runs"


def test_a_counter_of_another_kind_is_not_called_tsc(both: tuple[ClockQuality, ...]) -> None:
    names = [row[0] for row in grid([both[0], replace(both[1], counter="")]).rows]
    assert "a reading, processor's counter" in names and not any("TSC" in name for name in names)


def test_the_drift_of_the_offset_has_its_bound_and_its_time(both: tuple[ClockQuality, ...]) -> None:
    drifting = [replace(both[0], drift=Drift(1.2e-3, 4e-5, 720.0)), replace(both[1], drift=Drift(-3.0, 0.001, 30.0))]
    rows = {row[0]: row[1:] for row in grid(drifting).rows}
    told = rows["offset drift between the runs of one guest"]
    assert told == ("+1.20 ms ±40.0 µs in 12 min", "-3.00 s ±1.00 ms in 30 s")
    assert rows["the same as a rate, ppm"] == ("+1.7 ±0.056", "-100,000 ±33")


def test_the_plot_says_from_which_length_on_the_clock_is_right(both: tuple[ClockQuality, ...]) -> None:
    found = figure(both, 0.005)
    assert found is not None
    assert "native from 8.00 µs on" in found.alternative and "bad never" in found.alternative
    assert found.caption.endswith("The results above are corrected.")
    assert "Dotted" not in found.caption
    believing = figure(both, 0.005, raw=True)
    assert believing is not None and believing.caption.endswith("The results above are not corrected.")


def test_the_plot_says_what_was_not_measured(both: tuple[ClockQuality, ...]) -> None:
    """Without the workload nobody knows what a short duration is wrong by: no length is told, and nothing is zero."""
    unknown = replace(both[0], measures={}, rate_ppm=0.4, max_abs_ppm=1.4)
    found = figure([unknown, both[1]], 0.005)
    assert found is not None
    assert "native by rate, from which length on is not known" in found.alternative
    assert "Dotted (native)" in found.caption and "The workload clock measures" in found.caption
    lines = found.spec["datasets"][found.spec["layer"][1]["data"]["name"]]
    assert {row["v"] for row in lines if row["e"] == "native"} == {1.4e-6}, "with the bound, whatever the length"
    assert {(row["e"], row["k"]) for row in lines} == {("native", 0), ("bad", 1)}


def test_a_rate_that_is_not_known_well_enough_is_not_called_wrong(both: tuple[ClockQuality, ...]) -> None:
    vague = replace(both[0], max_abs_ppm=8000.0, min_abs_ppm=-7000.0)
    found = figure([vague], 0.005)
    assert found is not None and "native perhaps: the rate is not known so well" in found.alternative


def test_a_clock_that_jumps_by_more_than_an_hour_makes_up_for_is_never_used(both: tuple[ClockQuality, ...]) -> None:
    found = figure([replace(both[0], residual_s=20.0), both[1]], 0.005)
    assert found is not None and "native never within 60 min; bad never" in found.alternative
    found = figure([replace(both[0], residual_s=15.0), both[1]], 0.005)
    assert found is not None and "native from 3,000 s on" in found.alternative


def test_a_raw_page_says_that_clocks_are_used_and_how_wrong_that_is(said: Said) -> None:
    made = campaign()
    right, raw = (page(analyse(one), scripts=False) for one in (made, by_guest_clocks(made)))
    assert "Every duration above is in host time" in right and "The results above are corrected" in right
    [believed] = re.findall(r"Every duration above is by [^<]*", raw)
    assert "own clocks" in believed
    said(html.unescape(believed))
    assert "Every duration above is in host time" not in raw and "known in host time" not in raw
    assert "The results above are not corrected" in raw and "±nan" not in raw
    assert "-19,608 ±" in right and "-19,608 ±" in raw, "the comparison is the same"


def test_clocks_that_cannot_be_used_are_in_the_table_and_the_plot() -> None:
    """One good guest, and a liar of each kind without a single result."""
    faults = {
        "still": ClockFault("stood-still", None, 0.4),
        "wide": ClockFault("uncertain", bound=0.0064),
        "nonsense": ClockFault("contradicts"),
        "leapt": ClockFault("stepped", 3.0, 0.4),
        "back": ClockFault("went-back", -2.0, 0.4),
    }
    made = simulate([Place("native"), *(Place(name) for name in faults)], [WORK], blocks=2)
    trials = tuple(
        lied(record, faults[name]) if (name := record.trial.placements[0].environment) in faults else record
        for record in made.trials
    )
    found = clock_qualities(replace(made, trials=trials))
    table = grid(found)
    assert table.columns == ("property", "native", *faults)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["runs that failed by it"] == (
        "0",
        "2 stood still",
        "2 not known within the limit (±0.64 %)",
        "2 contradicted itself",
        "2 stepped (up to 3.00 s)",
        "2 went back (up to 2.00 s)",
    )
    assert rows["samples excluded because of the clock"] == ("0", *["8"] * 5)
    drawn = figure(found, 0.005)
    assert drawn is not None
    for name in faults:
        assert f"{name} never (2 " in drawn.caption
        assert {row["v"] for row in _drawn(drawn.spec, name)} == {1.0}, "the top, where no other is worse"
    assert max(row["v"] for row in _drawn(drawn.spec, "native")) < 1.0


def test_ticks_go_over_the_whole_range_and_a_hopeless_clock_is_at_its_top(both: tuple[ClockQuality, ...]) -> None:
    """One clock leaps by hours, which makes short durations wrong by a factor of 10^9 and more; one stood still."""
    leaping = replace(both[1], environment="leaping", residual_s=2348.0)
    still = replace(both[1], environment="still", faults={"stood-still": [ClockFault("stood-still")]})
    found = figure([both[0], leaping, still], 0.005)
    assert found is not None
    y = found.spec["layer"][1]["encoding"]["y"]
    (bottom, top), ticks = y["scale"]["domain"], y["axis"]["values"]
    assert {row["v"] for row in _drawn(found.spec, "still")} == {top}
    worst = max(row["v"] for row in _drawn(found.spec, "leaping"))
    assert worst == pytest.approx(2.348e9, rel=0.01) and worst <= top == 1e10
    assert top / ticks[-1] < 1e3 and ticks[0] / bottom < 1e3, "no part without a scale"
    assert 5 <= len(ticks) <= 8 and 1.0 in ticks


def test_few_decades_have_a_tick_each(both: tuple[ClockQuality, ...]) -> None:
    found = figure([replace(both[0], max_abs_ppm=100.0, rate_ppm=99.0)], 0.005)
    assert found is not None
    y = found.spec["layer"][1]["encoding"]["y"]
    assert y["axis"]["values"] == pytest.approx([1e-4, 1e-3, 1e-2, 0.1, 1.0])


def _drawn(spec: dict[str, Any], environment: str) -> list[dict[str, Any]]:
    return [row for rows in spec["datasets"].values() for row in rows if row.get("e") == environment]


def test_without_a_run_there_is_no_plot() -> None:
    assert figure((), 0.005) is None
