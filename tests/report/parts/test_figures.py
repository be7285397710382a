"""The two plots of a workload: what is drawn, and what is said of it in words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, gaussian, simulate, with_fields, with_runs
from virtometer.analysis import analyse
from virtometer.model import Campaign, Excluded, Failure, FailureKind
from virtometer.report.parts.figures import efficiency, samples
from virtometer.report.parts.plot import Figure

NAME = "memory triad 64 MB"


def drawn(figure: Figure, **fields: Any) -> list[dict[str, Any]]:
    """The rows of a plot's data that have these keys."""
    return [row for rows in figure.spec["datasets"].values() for row in rows if fields.keys() <= row.keys()]


def points(figure: Figure) -> list[dict[str, Any]]:
    return drawn(figure, u=None)


def two(efficiency_there: float = 0.5, **more: Any) -> Campaign:
    places = [Place("native"), Place("box", efficiency={"": efficiency_there})]
    return simulate(places, noise=gaussian(0.01), **more)


def test_the_band_is_the_margin_of_the_plan() -> None:
    figure = efficiency(analyse(two()).findings, 0.25)
    (band,) = {(row["from"], row["to"]) for row in drawn(figure, to=None)}
    assert band == pytest.approx((0.8, 1.25))
    assert "Grey band: 0.800 to 1.25" in figure.caption
    title, _, told = figure.alternative.partition(": ")
    assert title == "Efficiency against native"
    assert re.fullmatch(r"native 1\.00 baseline; box 0\.(50|49)\d ±0\.\d+ slower", told)


@pytest.mark.parametrize(("there", "log"), [(0.5, False), (0.05, True), (20.0, True)])
def test_ratios_that_are_far_apart_are_drawn_on_a_logarithmic_scale(there: float, log: bool) -> None:
    figure = efficiency(analyse(two(there)).findings, 0.05)
    assert (", logarithmic" in figure.caption) == log
    scales = [layer["encoding"]["x"]["scale"] for layer in figure.spec["layer"] if "scale" in layer["encoding"]["x"]]
    assert scales and {one["type"] for one in scales} == {"log" if log else "linear"}
    low, high = scales[0]["domain"]
    assert 0 < low < min(1 / 1.05, there) and high > max(1.05, there), "nothing is at the very edge"


def test_the_words_beside_a_point_stay_within_the_plot() -> None:
    sides = {row["environment"]: row["side"] for row in drawn(efficiency(analyse(two()).findings, 0.05), side=None)}
    assert sides == {"native": "right", "box": "left"}


def test_an_environment_without_a_ratio_has_a_row_and_no_point() -> None:
    places = [Place("native"), Place("kvm", works=False, reason="no /dev/kvm")]
    figure = efficiency(analyse(simulate(places)).findings, 0.05)
    assert [row["environment"] for row in drawn(figure, text=None)] == ["kvm"]
    assert {row["environment"] for row in drawn(figure, what=None)} == {"native"}
    assert "kvm not available here" in figure.alternative


def test_nothing_at_all_is_a_plot_of_the_band() -> None:
    figure = efficiency(analyse(replace(two(), trials=())).findings, 0.05)
    assert "native baseline; box undecided" in figure.alternative
    assert drawn(figure, what=None) == []


def test_what_is_not_alike_is_hollow_and_the_caption_says_so() -> None:
    places = [Place("native"), Place("uml", conditions={NAME: {"io": "buffered"}})]
    unlike = efficiency(analyse(simulate(places)).findings, 0.05)
    assert {row["environment"]: row["unlike"] for row in drawn(unlike, unlike=None)} == {"native": False, "uml": True}
    assert unlike.caption.endswith("Hollow: not comparable.")
    assert "Hollow" not in efficiency(analyse(two()).findings, 0.05).caption


def test_every_sample_is_drawn_where_there_is_room() -> None:
    figure = samples(analyse(two(blocks=3)), NAME, 1000)
    assert figure is not None
    assert len(points(figure)) == 2 * 3 * 4
    assert "Raw samples (24 samples)." in figure.caption
    title, _, told = figure.alternative.partition(": ")
    assert title == f"Raw samples of {NAME}"
    assert re.fullmatch(r"native 1\d\.\d to 1\d\.\d GB/s; box [89]\.\d\d to [89]\.\d\d GB/s", told)
    assert all(0 <= row["t"] <= 1 for row in points(figure))


def test_what_is_left_out_is_reported_and_every_environment_keeps_some() -> None:
    figure = samples(analyse(two(blocks=6)), NAME, 10)
    assert figure is not None
    found = points(figure)
    assert len(found) <= 10 and {row["e"] for row in found} == {"native", "box"}
    assert f"Raw samples ({len(found)} of 48 samples are drawn)" in figure.caption


def test_samples_that_were_not_used_are_crosses() -> None:
    campaign = two(blocks=2)
    first = campaign.trials[0].runs[0].samples
    aside = (replace(first[0], excluded=Excluded.CLOCK_ERROR), *first[1:])
    figure = samples(analyse(with_fields(campaign, {0: {"samples": aside}})), NAME, 1000)
    assert figure is not None
    assert sorted(row["u"] for row in points(figure)) == [0] + [1] * 15
    assert figure.caption.endswith("Red crosses were not used.")
    whole = samples(analyse(campaign), NAME, 1000)
    assert whole is not None and "crosses" not in whole.caption


def test_a_sample_without_work_or_length_is_no_point() -> None:
    campaign = simulate([Place("native")], blocks=1)
    first = campaign.trials[0].runs[0].samples
    odd = (replace(first[0], work=0), replace(first[1], end_ns=first[1].start_ns), *first[2:])
    figure = samples(analyse(with_fields(campaign, {0: {"samples": odd}})), NAME, 1000)
    assert figure is not None and len(points(figure)) == 2


def test_without_a_sample_there_is_no_plot() -> None:
    campaign = two(blocks=1)
    assert samples(analyse(campaign), "another", 1000) is None
    assert samples(analyse(replace(campaign, trials=())), NAME, 1000) is None
    assert samples(analyse(with_runs(campaign, lambda run: replace(run, samples=()))), NAME, 1000) is None
    died = Failure(FailureKind.GUEST, "it died")
    assert samples(analyse(simulate([Place("native")], blocks=1, fail={0: died})), NAME, 1000) is None
