"""The units of the studies."""

from __future__ import annotations

from decimal import Decimal

import pytest

from virtometer.studies.units import printed_number, unit_and_factor, unit_words


@pytest.mark.parametrize(
    ("printed", "workload", "metric", "unit", "factor"),
    [
        ("s", "linpack", "time", "s", "1"),
        ("us", "lmbench", "latency", "s", "0.000001"),
        ("MB/s", "memory", "throughput", "B/s", "1048576"),
        ("MB/s", "lmbench", "throughput", "B/s", "1000000"),
        ("Mb/s", "netperf", "throughput", "B/s", "125000"),
        ("%", "net", "loss", "share", "0.01"),
        ("%", "net", "ratio", "1", "0.01"),
        ("word", "net", "gain", "share", "1"),
        ("word", "net", "ratio", "1", "1"),
        ("us/KB", "netperf", "service demand", "s/B", "0.0000000009765625"),
        ("kB/(s*CPU%)", "bonnie", "efficiency", "B/(s*CPU)", "102400"),
        ("Mb/(s*CPU%)", "netperf", "efficiency", "B/(s*CPU)", "12500000"),
        ("GB", "", "limit", "B", "1073741824"),
    ],
)
def test_a_printed_unit_has_a_factor(printed: str, workload: str, metric: str, unit: str, factor: str) -> None:
    assert unit_and_factor(printed, workload, metric) == (unit, Decimal(factor))


def test_a_unit_that_no_study_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        unit_and_factor("MiB/s", "memory", "throughput")


def test_numbers_and_fractions_are_read() -> None:
    assert printed_number("54.30") == Decimal("54.3")
    assert printed_number("1/3") == Decimal("0.333333")
    assert printed_number("1/4") == Decimal("0.25")


def test_what_has_no_unit_stands_alone() -> None:
    assert [unit_words(one) for one in ("MB/s", "%", "count", "rank", "factor", "word")] == [
        "MB/s",
        "%",
        "",
        "",
        "",
        "",
    ]
