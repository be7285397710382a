"""Further measures: how they are shown, and that a report says what each of them means."""

from __future__ import annotations

import pytest

from tests.sentences import Said
from virtometer import agent_table
from virtometer.analysis.curves import levels
from virtometer.analysis.curves.sweeps import Series
from virtometer.analysis.score.tool_measures import TOOL_MEASURES
from virtometer.report.parts import words
from virtometer.report.parts.glossary import glossary
from virtometer.report.sweeps.curves import title
from virtometer.workloads.registry import WORKLOADS


@pytest.mark.parametrize(
    ("of", "unit", "shown"),
    [
        ((3.2e-6, 2.9e-6, 14e-6), "s", "3.20 µs [2.90 to 14.0]"),
        ((16.2e9, 0.5e9, 16.7e9), "FLOP/s", "16.2 GFLOP/s [0.500 to 16.7]"),
        ((2.0, 2.0, 2.0), "1", "2"),
        ((0.0169, 0.0167, 0.017), "1", "0.0169 [0.0167 to 0.0170]"),
        ((0.886, 0.761, 1.03), "s/s", "88.6 % [76.1 to 103]"),
        ((9.71e-11, 6.55e-11, 1.14e-10), "s/B", "0.0971 µs/KB [0.0655 to 0.114]"),
        ((32768, 32768, 32768), "B", "32 KiB"),
        ((1441792, 1 << 20, 1441792), "B", "1.375 MiB [1 MiB to 1.375 MiB]"),
        ((0.0, 0.0, 0.0), "s", "0 s"),
        ((2.6e9, 2.6e9, 2.6e9), "1/s", "2.60 G/s"),
    ],
)
def test_a_measure_is_reported_with_its_range_in_one_unit(
    of: tuple[float, float, float], unit: str, shown: str
) -> None:
    assert words.measures(*of, unit) == shown


@pytest.mark.parametrize(
    ("bytes_", "shown"), [(87380, "87,380 B"), (100, "100 B"), (64 << 20, "64 MiB"), (1536, "1.5 KiB")]
)
def test_sizes(bytes_: int, shown: str) -> None:
    assert words.size(bytes_) == shown


def test_measures_are_explained_by_the_agent_s_table_and_those_of_tools_by_the_laboratory() -> None:
    assert glossary(["sweeps", "tool-reported", "loss", "nobody-knows", "loss"]) == [
        ("loss", "share of the datagrams sent that did not arrive"),
        ("sweeps", "passes over the grid"),
        ("tool-reported", "the tool's number as it said it"),
    ]
    assert not TOOL_MEASURES.keys() & agent_table.meanings().keys()


def test_the_caches_that_level_averages_look_for_are_measures_of_every_operation_on_arrays() -> None:
    for op in WORKLOADS["memory"].operations:
        measures = agent_table.operation("memory", op).measures
        assert {measures[name].unit for name in levels.MEASURES.values()} == {"B"}, op


def test_a_series_is_called_as_the_plan_calls_it(said: Said) -> None:
    names: dict[tuple[float, ...], str] = {
        (size, span): f"my write span {span:g}M {size:g}K" for size in (1, 2, 4) for span in (1, 2, 4)
    }
    of = Series("my write", "disk", "write", {"threads": 1}, {}, ("span", "size"), names)
    assert title(of) == "my write: disk write"
    fixed = {"direct": False, "align": 4096, "sync": "end"}
    of = Series("my write", "disk", "random-write", fixed, {}, ("size", "span"), names)
    said(title(of))
    orders: dict[tuple[float, ...], str] = {(float(size),): f"linpack {size}" for size in (1000, 2000, 4000)}
    of = Series("linpack", "linpack", "classic", {"runs": 10, "threads": 1}, {}, ("size",), orders)
    assert title(of) == "linpack classic (runs 10)", "not said twice"
