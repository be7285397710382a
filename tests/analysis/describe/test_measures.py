"""Measures and histograms over trials, put into host time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate
from virtometer.analysis.describe.measures import further_measures, histograms, merged_times, names
from virtometer.model import Campaign, Estimate

WORK = Work("disk", "disk", "random-read", "IO/s", 1000)
KEY = ("disk", "native")


def campaign(of: list[dict[str, Any]], rate: float = 1.0, work: Work = WORK) -> Campaign:
    """One trial for each entry, whose run has it."""
    made = simulate([Place("native")], [work], blocks=len(of))
    trials = tuple(
        replace(
            record,
            runs=tuple(changed(one, **extra, clock=replace(one.scored.clock, rate=rate)) for one in record.runs),
        )
        for record, extra in zip(made.trials, of, strict=True)
    )
    return replace(made, trials=trials)


def test_a_measure_is_reported_by_its_median_and_range() -> None:
    found = further_measures(
        campaign([{"measures": {"loss": {"unit": "1", "value": value}}} for value in (0.5, 0, 0.25)])
    )
    figure = found[KEY]["loss"]
    assert (figure.subject, figure.unit, figure.estimate) == (KEY[1], "1", Estimate(0.25, 0, 0.5, 3, 1.0))


MEASURES = [
    # by the guest
    ("linpack", "classic", "solve-time", "s", 4.0),
    ("net", "stream", "service-demand-local", "s/B", 4.0),
    ("disk", "sequential-read", "io-rate", "IO/s", 1.0),
    # no time, or the guest's by the guest's
    ("net", "udp-stream", "loss", "1", 2.0),
    ("net", "stream", "cpu-local", "s/s", 2.0),
    # by the host, and by the host over a time of the guest's
    ("net", "stream", "service-demand-remote", "s/B", 2.0),
    ("net", "stream", "cpu-remote", "s/s", 1.0),
    ("linpack", "classic", "reference-rate", "FLOP/s", 2.0),
    ("linpack", "classic", "reference-round-trip", "s", 2.0),
    # about the guest's clock
    ("linpack", "classic", "guest-rate", "FLOP/s", 2.0),
    ("command", "run", "tool-reported", "1/s", 2.0),
    ("command", "run", "tool-by-wall-clock", "1/s", 2.0),
    # within the work
    ("clock", "watch", "cost-monotonic", "s", 4.0),
    # of another agent
    ("disk", "of another version", "rest", "s", 4.0),
    ("disk", "of another version", "outside-of-the-table", "1/s", 1.0),
    ("disk", "of another version", "share", "s/s", 2.0),
]


@pytest.mark.parametrize(("kernel", "op", "name", "unit", "expected"), MEASURES)
def test_a_measure_becomes_host_time_from_the_clock_that_its_table_names(
    kernel: str, op: str, name: str, unit: str, expected: float
) -> None:
    """A guest second lasts two host seconds here."""
    work = Work("disk", kernel, op, unit)
    found = further_measures(campaign([{"measures": {name: {"unit": unit, "value": 2.0}}}], 2.0, work))
    assert found[KEY][name].estimate.value == expected


@pytest.mark.parametrize(("kernel", "op", "name", "unit", "expected"), MEASURES)
def test_where_the_laboratory_timed_the_work_the_guests_time_beside_it_is_not_known(
    kernel: str, op: str, name: str, unit: str, expected: float
) -> None:
    timing = {"conditions": {"timing": "laboratory"}, "measures": {name: {"unit": unit, "value": 2.0}}}
    found = further_measures(campaign([timing], 2.0, Work("disk", kernel, op, unit))).get(KEY, {})
    unknown = {"solve-time", "service-demand-local", "io-rate", "rest", "outside-of-the-table"}
    assert {name: one.estimate.value for name, one in found.items()} == ({} if name in unknown else {name: expected})


def test_histograms_are_added_up_and_put_into_host_time() -> None:
    one = {"latency": {"unit": "s", "digits": 2, "counts": [[1000, 98], [9000, 1]]}}
    two = {"latency": {"unit": "s", "digits": 2, "counts": [[1000, 100], [50_000, 1]]}}
    times = histograms(campaign([{"histograms": one}, {"histograms": two}], rate=2.0))[KEY]["latency"]
    assert times.total == 200
    assert [times.quantile(q) for q in (0.5, 0.99, 0.995, 1.0)] == pytest.approx([2e-6, 2e-6, 18e-6, 100e-6])


def test_results_without_extras_have_none() -> None:
    assert further_measures(campaign([{}])) == {}
    assert histograms(campaign([{}])) == {}


def test_the_histograms_of_some_runs_are_added_up_too() -> None:
    latency = {"latency": {"unit": "s", "digits": 2, "counts": [[1000, 3], [2000, 1]]}}
    runs = [run for record in campaign([{"histograms": latency}] * 2, rate=2.0).trials for run in record.scored]
    times = merged_times(runs, "latency")
    assert times is not None and times.total == 8
    assert [times.quantile(share) for share in (0.5, 1.0)] == pytest.approx([2e-6, 4e-6])
    assert merged_times(runs, "other") is None and merged_times([], "latency") is None


def test_names_are_in_the_order_in_which_they_occur() -> None:
    assert names([{"b": 1}, {"a": 1, "b": 1}]) == ["b", "a"]
