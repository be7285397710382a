"""The picture that a page opens with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate
from tests.report.showcase import showcase
from virtometer.analysis import analyse
from virtometer.model import Estimate, Failure, FailureKind, Finding
from virtometer.report.findings.overview import Overview, overview

PLACES = [Place("native"), Place("half", efficiency={"": 0.5}), Place("same")]


def drawn(count: int = 1, *places: Place) -> Overview:
    found = overview(analyse(simulate(places or PLACES, [Work(f"w{n}") for n in range(count)])).findings, 0.05)
    assert found is not None
    return found


def layers(found: Overview, panel: int = 0) -> list[list[dict[str, Any]]]:
    """The rows of each layer of a panel."""
    spec = found.panels[panel].spec
    return [list(spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"]]


def test_a_panel_a_workload_and_a_row_an_environment_without_the_baseline() -> None:
    found = drawn(3)
    assert [panel.caption for panel in found.panels] == ["w0", "w1", "w2"]
    points = layers(found)[3]
    assert [row["environment"] for row in points] == ["half", "same"]
    assert [row["verdict"] for row in points] == ["slower", "equivalent"]
    assert "half 0.5" in found.panels[0].alternative


def test_the_margin_is_shaded_and_all_panels_have_one_logarithmic_axis() -> None:
    found = drawn(2)
    assert layers(found)[0] == [{"from": pytest.approx(1 / 1.05), "to": 1.05}]
    scales = [panel.spec["layer"][3]["encoding"]["x"]["scale"] for panel in found.panels]
    assert scales[0] == scales[1] and scales[0]["type"] == "log"
    low, high = scales[0]["domain"]
    assert low < 0.5 and high > 1.05


def test_an_interval_that_is_very_wide_does_not_take_the_axis() -> None:
    (native, half, same) = analyse(simulate(PLACES)).findings
    wide = replace(half, ratio=replace(half.ratio, estimate=Estimate(0.5, 1e-9, 1e9, 8)))
    found = overview((native, wide, same), 0.05)
    assert found is not None
    low, high = found.panels[0].spec["layer"][3]["encoding"]["x"]["scale"]["domain"]
    assert low > 0.01 and high < 20
    (row, _) = layers(found)[2]
    assert (row["low"], row["high"]) == (low, high)
    assert "Intervals that leave the axis are cut." in found.caption and "cut" not in drawn().caption


def test_what_is_not_available_says_so_in_its_row_and_what_is_not_comparable_is_hollow() -> None:
    findings = analyse(showcase()).findings
    found = overview(findings, 0.05)
    assert found is not None
    assert {"environment": "KVM", "text": "not available here"} in layers(found)[-1]
    assert "Hollow: not comparable." in found.caption
    assert any(row["unlike"] for panel in range(len(found.panels)) for row in layers(found, panel)[3])


def test_of_many_workloads_those_with_a_difference_are_drawn_and_the_caption_counts() -> None:
    works = [Work(f"w{n}") for n in range(30)]
    slow = Place("box", efficiency={"": 1.0, "w29": 0.5})
    found = overview(analyse(simulate([Place("native"), slow], works)).findings, 0.05)
    assert found is not None
    assert len(found.panels) == 24 and "w29" in [panel.caption for panel in found.panels]
    assert "24 of 30 workloads are drawn" in found.caption


@pytest.mark.parametrize("swept", [frozenset(), frozenset({"w0"})])
def test_sweeps_have_curves_of_their_own(swept: frozenset[str]) -> None:
    findings = analyse(simulate(PLACES, [Work("w0"), Work("w1")])).findings
    found = overview(findings, 0.05, swept)
    assert found is not None
    assert [panel.caption for panel in found.panels] == [name for name in ("w0", "w1") if name not in swept]


def test_long_names_are_called_by_the_words_that_differ() -> None:
    names = [f"qemu with a long name cache={cache} aio={aio}" for cache in ("none", "writeback") for aio in ("a", "b")]
    found = drawn(1, Place("native"), *map(Place, names))
    rows = layers(found)[3]
    assert [row["environment"] for row in rows] == [name.removeprefix("qemu with a long name ") for name in names]
    assert names[0] in found.panels[0].alternative


def test_a_workload_without_a_ratio_has_a_panel_that_says_so() -> None:
    failing = Place("box", fails={"w0": Failure(FailureKind.AGENT, "no space")})
    found = drawn(2, Place("native"), failing)
    assert [panel.caption for panel in found.panels] == ["w0", "w1"]
    assert layers(found)[-1] == [{"environment": "box", "text": "undecided: 8 of 8 trials failed"}]


def test_without_a_ratio_there_is_no_picture() -> None:
    none: tuple[Finding, ...] = ()
    assert overview(none, 0.05) is None
    assert overview(analyse(simulate([Place("native")])).findings, 0.05) is None
