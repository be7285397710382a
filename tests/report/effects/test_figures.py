"""The plots of effects: what is drawn, and what is said of it in words."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, experiment, response
from virtometer.analysis.effects.effect import MetricEffects
from virtometer.analysis.effects.of_experiment import effects
from virtometer.report.effects import figures as effect_figures
from virtometer.report.parts.plot import Figure

ALL = (AIO, CACHE, DUMMY)


def metric(**more: Any) -> MetricEffects:
    own = response(ALL, lambda one: 0.2 * (one["aio"] == "io_uring" and one["cache"] == "none"), **more)
    return effects(experiment(own), 0.05).metrics[0]


def drawn(figure: Figure, *keys: str) -> list[dict[str, Any]]:
    """The rows of a plot's data that have these keys."""
    return [row for rows in figure.spec["datasets"].values() for row in rows if set(keys) <= row.keys()]


def test_effects_are_sorted_with_their_intervals_and_the_band_of_the_margin() -> None:
    figure = effect_figures.pareto(metric(), 0.05)
    assert figure is not None
    rows = drawn(figure, "t", "low")
    assert rows[0]["t"] == "aio:cache io_uring, none" and rows[0]["low"] < rows[0]["v"] < rows[0]["high"]
    (band,) = {(row["from"], row["to"]) for row in drawn(figure, "to")}
    assert band == pytest.approx((100 / 1.05 - 100, 5.0))
    assert "aio:cache io_uring, none +" in figure.alternative and "influence" in figure.alternative


def test_claimed_interactions_alone_are_drawn() -> None:
    figures = effect_figures.interactions(metric())
    assert len(figures) == 1 and figures[0].alternative.startswith("Interaction of aio and cache in read: ")
    rows = drawn(figures[0], "e", "v")
    assert len({(row["x"], row["e"]) for row in rows}) == 6
    assert next(row["v"] for row in rows if (row["x"], row["e"]) == ("threads", "writeback")) == 0


def test_the_half_normal_plot_names_what_is_claimed() -> None:
    figure = effect_figures.half_normal(metric())
    assert figure is not None
    assert "aio:cache (io_uring, none)" in {row["label"] for row in drawn(figure, "label")}
    assert "with influence: " in figure.alternative


def test_residuals_are_in_run_order_and_thinned_where_they_are_many() -> None:
    figure = effect_figures.residuals(metric())
    assert figure is not None and [row["x"] for row in drawn(figure, "b")] == list(range(1, 97))
    many = effect_figures.residuals(metric(blocks=160))
    assert many is not None and len(drawn(many, "b")) <= 1_500 and "are drawn" in many.caption


def test_without_effects_nothing_is_drawn() -> None:
    nothing = response((AIO,), lambda _: 0.0, skip=lambda one: one["aio"] == "threads")
    (of,) = effects(experiment(nothing, variables=(AIO,)), 0.05).metrics
    assert effect_figures.pareto(of, 0.05) is None and effect_figures.details(of) == []


def test_the_specifications_are_right() -> None:
    first = effect_figures.pareto(metric(), 0.05)
    assert first is not None
    for figure in (first, *effect_figures.details(metric())):
        alt.Chart.from_dict(json.loads(json.dumps({"$schema": alt.SCHEMA_URL, **figure.spec})), validate=True)
