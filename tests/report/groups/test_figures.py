"""Plots of groups of guests: what is drawn, and that each one is a valid plot."""

from __future__ import annotations

import json
from dataclasses import replace

import altair as alt
import pytest

from tests.report.group_campaigns import group_campaign
from virtometer.analysis import Analysis, analyse
from virtometer.model import Estimate
from virtometer.report.groups import figures as group_figures
from virtometer.report.parts.plot import Figure


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(group_campaign(blocks=6))


def checked(figure: Figure | None) -> Figure:
    assert figure is not None
    alt.Chart.from_dict(json.loads(json.dumps(figure.spec)))  # raises for what is no plot
    return figure


def test_sums_over_the_number_of_guests(analysis: Analysis) -> None:
    groups = [one for one in analysis.group_results.groups if one.scenario == "growing"]
    figure = checked(group_figures.growth(groups, ["runc", "native"]))
    assert "native 1: 4" in figure.alternative and "GFLOP/s" in figure.alternative
    assert "dashed" in figure.caption and len(figure.spec["layer"]) == 5
    assert group_figures.growth(groups[:1], []) is None and group_figures.growth([], []) is None


def test_the_hosts_time_is_stacked(analysis: Analysis) -> None:
    groups = [one for one in analysis.group_results.groups if one.scenario == "growing"]
    figure = checked(group_figures.host_time(groups))
    assert "native × 2 user 1.6" in figure.alternative
    assert group_figures.host_time([replace(one, host={}) for one in groups]) is None


def test_bars_lie_where_their_names_would_cover_each_other(analysis: Analysis) -> None:
    groups = [one for one in analysis.group_results.groups if one.scenario == "growing"]
    few = checked(group_figures.host_time(groups[:2]))
    longer = [replace(one, workload=f"linpack of order {number}") for number, one in enumerate(groups * 8)]
    many = checked(group_figures.host_time(longer))
    assert few.spec["layer"][0]["encoding"]["x"]["field"] == "c"
    assert many.spec["layer"][0]["encoding"]["y"]["field"] == "c"


def test_the_guests_time_is_stacked_by_what_it_was_spent_for(analysis: Analysis) -> None:
    groups = [one for one in analysis.group_results.groups if one.scenario == "growing" and one.guests < 3]
    figure = checked(group_figures.guests_time(groups))
    assert "gVisor of 1 guest code 0.74, VMM 0.25" in figure.alternative
    assert "runc #2 of 2 guest code 0.99" in figure.alternative
    bare = [replace(one, members=tuple(replace(each, cpu_s={}) for each in one.members)) for one in groups]
    assert group_figures.guests_time(bare) is None


def test_heat_maps(analysis: Analysis) -> None:
    for matrix in analysis.group_results.matrices:
        figure = checked(group_figures.heat(matrix))
        assert matrix.rows[0] in figure.alternative
    loaded = next(one for one in analysis.group_results.matrices if one.type == "loaded")
    assert "at 66 %" in checked(group_figures.heat(loaded)).alternative
    pair = next(one for one in analysis.group_results.matrices if one.type == "pair")
    assert "not measured" in checked(group_figures.heat(pair)).alternative
    empty = replace(pair, cells=tuple(tuple(None for _ in row) for row in pair.cells))
    assert group_figures.heat(empty) is None
    wide = replace(loaded, cells=((Estimate(1.0, None, None, 1),), (Estimate(20.0, None, None, 1),)))
    assert "logarithmic" in checked(group_figures.heat(wide)).caption


def test_the_time_line_shows_guests_and_the_scored_stretch(analysis: Analysis) -> None:
    record = next(one for one in analysis.campaign.trials if one.trial.scenario == "under load" and len(one.runs) == 3)
    figure = checked(group_figures.time_line(analysis, record))
    assert "runc #3: linpack 0 to 1.002 s" in figure.alternative and "scored 0.002 to 1.002 s" in figure.alternative
    assert group_figures.time_line(analysis, replace(record, runs=record.runs[:1])) is None


def test_the_time_line_of_interleaved_windows_shows_each_window(analysis: Analysis) -> None:
    record = next(one for one in analysis.campaign.trials if one.trial.scenario == "growing" and len(one.runs) == 2)
    runs = tuple(
        replace(run, samples=tuple(replace(one, slice=at // 2) for at, one in enumerate(run.samples)))
        for run in record.runs
    )
    figure = checked(group_figures.time_line(analysis, replace(record, runs=runs)))
    assert "scored in 2 windows from 0.001 to 1.001 s" in figure.alternative
    assert figure.alternative.count("in 2 windows") == 3
