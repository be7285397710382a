"""Numbers as people read them."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.model import Estimate, Finding, Verdict
from virtometer.report import render
from virtometer.report.formats import comparison
from virtometer.report.formats.terminal import ResultTable
from virtometer.report.machine import tables
from virtometer.report.machine.findings import FINDING
from virtometer.report.parts import figures, html_tables, words
from virtometer.report.sweeps.section import part
from virtometer.workloads.registry import WORKLOADS


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (18.12e9, "B/s", "18.1 GB/s"),
        (4.0e9, "FLOP/s", "4.00 GFLOP/s"),
        (999.6, "B/s", "1,000 B/s"),
        (12.0, "B/s", "12.0 B/s"),
        (10_312.0, "IO/s", "10,300 IO/s"),
        (749_000.0, "1/s", "749,000 1/s"),
        (2.02e9, "1/s", "2.02 G/s"),
        (2.9e-6, "s", "2.90 µs"),
        (0.31e-9, "s", "0.310 ns"),
        (1.5, "s", "1.50 s"),
        (0.0, "s", "0 ns"),
        (99.99e-9, "s", "100 ns"),
        (9.999, "s", "10.0 s"),
    ],
)
def test_quantities(value: float, unit: str, shown: str) -> None:
    assert words.quantity(value, unit) == shown


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.998, 0.9967, 0.9993, "0.998 ±0.002"),
        (0.99, 0.98, 1.0, "0.99 ±0.01"),
        (0.07, 0.066, 0.074, "0.070 ±0.004"),
        (0.12, 0.10, 0.144, "0.12 [0.10, 0.14]"),
        (1.87, 1.80, 1.94, "1.87 ±0.07"),
        (25.0, 15.0, 41.0, "25.0 [15.0, 41.0]"),
        (12.5, 12.4, 12.6, "12.5 ±0.1"),
        (1.0, 1.0, 1.0, "1.0 ±0.0"),
        (0.93, None, None, "0.93"),
    ],
)
def test_ratios_with_intervals(value: float, low: float | None, high: float | None, shown: str) -> None:
    estimate = Estimate(value, low, high, 8)
    assert f"{words.ratio(estimate)} {words.interval(estimate)}".strip() == shown


@given(st.floats(0.001, 1000), st.floats(1e-6, 0.08))
def test_a_half_width_is_never_reported_smaller_than_it_is(value: float, share: float) -> None:
    estimate = Estimate(value, value * (1 - share), value * (1 + share), 8)
    told = words.interval(estimate)
    assert told.startswith("±")
    half = (value * (1 + share) - value * (1 - share)) / 2
    assert float(told[1:]) >= half * (1 - 1e-6)
    # Rounding up costs at most one unit in the last place that is shown.
    places = len(told.partition(".")[2])
    assert float(told[1:]) <= half + 10**-places * (1 + 1e-6)


@given(st.floats(1e-12, 1e15))
def test_significant_digits_keep_the_value(value: float) -> None:
    shown = words.significant(value)
    assert "e" not in shown
    assert float(shown.replace(",", "")) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, "1 s"), (40, "40 s"), (89, "89 s"), (720, "12 min"), (12_600, "3.5 h")]
)
def test_durations(seconds: float, shown: str) -> None:
    assert words.duration(seconds) == shown


def test_every_verdict_is_explained() -> None:
    assert set(words.GLOSSARY) == set(Verdict)


def test_percent_is_of_the_fraction() -> None:
    assert words.percent(0.072) == "7.2 %"
    assert not math.isnan(float(words.percent(1.5).split()[0]))


def test_the_parameters_that_are_bytes() -> None:
    found = {
        (name, parameter)
        for name, workload in WORKLOADS.items()
        for op in workload.operations
        for parameter in workload.parameters.model_fields
        if words.in_bytes(name, op, parameter)
    }
    net = ("size", "request", "response", "send_buffer", "receive_buffer", "receive_low_water")
    assert found == {
        ("memory", "size"), ("memory", "stride"), ("disk", "size"), ("disk", "span"), ("disk", "align"),
        *(("net", one) for one in net), ("os", "size"), ("os", "block"), ("fio", "size"),
    }  # fmt: skip


def test_a_parameter_has_the_unit_of_its_operation() -> None:
    assert not words.in_bytes("linpack", "classic", "size"), "the order of a matrix"
    assert not words.in_bytes("disk", "char-read", "size"), "an operation without records"
    assert not words.in_bytes("disk", "of another version", "size")
    assert not words.in_bytes("of another version", "read", "size")


STALLS = "between stalls; total 0.88 [0.80, 0.97]"


def qualified(of: Analysis, verdict: Verdict, text: str) -> tuple[Finding, ...]:
    """The findings of an analysis, the subjects' with this verdict and what qualifies it."""
    return tuple(
        one if one.verdict is Verdict.BASELINE else replace(one, verdict=verdict, qualified=text) for one in of.findings
    )


def test_a_verdict_is_one_word_where_nothing_qualifies_it() -> None:
    (_, own) = analyse(simulate([Place("native"), Place("box")])).findings
    assert [words.verdict(replace(own, verdict=one)) for one in Verdict] == [one.value for one in Verdict]


@pytest.mark.parametrize(
    ("verdict", "text", "said"),
    [
        (Verdict.EQUIVALENT, STALLS, f"equivalent {STALLS}"),
        (Verdict.UNDECIDED, "the host was busy", "undecided: the host was busy"),
    ],
)
def test_what_qualifies_a_verdict_is_in_every_table(verdict: Verdict, text: str, said: str) -> None:
    sizes = [
        Work(f"read {n}", "memory", "read", "B/s", 3e9, parameters={"size": n}, of="read", levels={"size": n})
        for n in (1 << 20, 1 << 21)
    ]
    for works, width in ((sizes, 80), (sizes, 200), ([Work()], 40), ([Work()], 60), ([Work()], 200)):
        of = analyse(simulate([Place("native"), Place("box")], works))
        found = qualified(of, verdict, text)
        out = io.StringIO()
        Console(file=out, width=width).print(ResultTable(found, of.sweeps))
        lines = out.getvalue().splitlines()
        assert max(map(len, lines)) <= width
        assert all(word in out.getvalue() for word in said.split())
        assert said in out.getvalue() or width < 200
        assert any(said in cell for row in html_tables.numbers(found, {}).rows for cell in row)
        assert said in figures.efficiency(found, 0.05).alternative
        for sweep in of.sweeps:
            assert all(said in row[-1] for one in part("sweep-1", sweep, found).tables for row in one.rows)
        row = FINDING.row(found[1])
        assert (row["verdict"], row["qualified"]) == (verdict.value, text)


def test_what_qualifies_a_verdict_is_on_the_page_in_csv_and_in_comparisons() -> None:
    campaign = simulate([Place("native"), Place("box")])
    of = analyse(campaign)
    vars(of)["findings"] = qualified(of, Verdict.UNDECIDED, "the host was busy")
    assert ">undecided: the host was busy<" in "".join(render(of, "html").split("\n"))
    assert "undecided,the host was busy,total" in tables.findings_csv(of)
    assert json.loads(render(of, "json"))["findings"][1]["qualified"] == "the host was busy"
    both = compare_campaigns(campaign, campaign, 0.05)
    busy = replace(
        both,
        compared=tuple(
            replace(one, finding=replace(one.finding, verdict=Verdict.UNDECIDED, qualified="the host was busy"))
            for one in both.compared
        ),
    )
    assert "undecided: the host was busy" in comparison.markdown(busy)


def test_a_range_of_differences_names_its_unit_once() -> None:
    assert words.differences(0.045, 0.38) == "differences of 4.5 % to 38 %"
    assert words.differences(0.045, 0.045) == "a difference of 4.5 %"
    assert words.differences(0.045, 2.1) == "a difference of 4.5 % to a factor of 3.1"
