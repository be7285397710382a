"""Campaigns in the metric format of Bencher."""

from __future__ import annotations

import json

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.report import render

WORKS = [Work("gzip", "command", "time", "s", 0.02), Work("triad", level=18e9)]


def made(blocks: int = 8) -> dict[str, dict[str, dict[str, float]]]:
    places = [Place("native"), Place("box", "runc", {"": 0.5})]
    found = json.loads(render(analyse(simulate(places, WORKS, noise=gaussian(0.01), blocks=blocks)), "bencher"))
    assert isinstance(found, dict)
    return found


def test_each_benchmark_has_its_measures_with_bounds() -> None:
    found = made()
    assert set(found) == {f"{work} ({place})" for work in ("gzip", "triad") for place in ("native", "box")}
    latency = found["gzip (box)"]["latency"]
    assert latency["value"] == pytest.approx(40e6, rel=0.05), "in ns"
    assert latency["lower_value"] < latency["value"] < latency["upper_value"]
    assert found["triad (native)"]["B/s"]["value"] == pytest.approx(18e9, rel=0.05)
    assert found["gzip (box)"]["efficiency"]["value"] == pytest.approx(0.5, rel=0.05)
    assert "efficiency" not in found["gzip (native)"]


def test_without_an_interval_there_are_no_bounds() -> None:
    assert set(made(blocks=2)["gzip (box)"]["latency"]) == {"value"}
