"""Measures and histograms over trials, put into host time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate
from virtometer.analysis.measures import further_measures, histograms, names
from virtometer.model import Campaign

WORK = Work("disk", "disk", "random-read", "IO/s", 1000)
KEY = ("disk", "native")


def campaign(of: list[dict[str, Any]], rate: float = 1.0) -> Campaign:
    """One trial for each entry, whose run has it."""
    made = simulate([Place("native")], [WORK], blocks=len(of))
    trials = tuple(
        replace(
            record,
            runs=tuple(changed(one, **extra, clock=replace(one.scored.clock, rate=rate)) for one in record.runs),
        )
        for record, extra in zip(made.trials, of, strict=True)
    )
    return replace(made, trials=trials)


def test_a_measure_is_told_by_its_median_and_range() -> None:
    found = further_measures(
        campaign([{"measures": {"loss": {"unit": "1", "value": value}}} for value in (0.5, 0, 0.25)])
    )
    figure = found[KEY]["loss"]
    assert (figure.unit, figure.median, figure.low, figure.high, figure.trials) == ("1", 0.25, 0, 0.5, 3)


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("solve", "s", 4.0),
        ("cpu", "s/B", 4.0),
        ("rate", "IO/s", 1.0),
        ("loss", "1", 2.0),
        ("service-demand-remote", "s/B", 2.0),
        ("cpu-local", "s/s", 2.0),
        ("cpu-remote", "s/s", 1.0),
    ],
)
def test_guest_time_becomes_host_time(name: str, unit: str, expected: float) -> None:
    """A guest second lasts two host seconds here."""
    found = further_measures(campaign([{"measures": {name: {"unit": unit, "value": 2.0}}}], rate=2.0))
    assert found[KEY][name].median == expected


def test_histograms_are_added_up_and_put_into_host_time() -> None:
    one = {"latency": {"unit": "s", "digits": 2, "counts": [[1000, 98], [9000, 1]]}}
    two = {"latency": {"unit": "s", "digits": 2, "counts": [[1000, 100], [50_000, 1]]}}
    times = histograms(campaign([{"histograms": one}, {"histograms": two}], rate=2.0))[KEY]["latency"]
    assert times.total == 200
    assert [times.quantile(q) for q in (0.5, 0.99, 0.995, 1.0)] == pytest.approx([2e-6, 2e-6, 18e-6, 100e-6])


def test_results_without_extras_have_none() -> None:
    assert further_measures(campaign([{}])) == {}
    assert histograms(campaign([{}])) == {}


def test_names_are_in_the_order_in_which_they_occur() -> None:
    assert names([{"b": 1}, {"a": 1, "b": 1}]) == ["b", "a"]
