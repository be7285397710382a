"""Values that commands print: which match counts, which numbers there are, and what is refused."""

from __future__ import annotations

import pytest

from virtometer.errors import UsageError
from virtometer.workloads.printed_value import LONGEST_PATTERN, PrintedValue, number


def read(pattern: str, output: str) -> float:
    found = PrintedValue(pattern, "MB/s", "higher").read(output)
    assert found.work is None
    return found.value


def test_the_last_match_counts_and_its_group() -> None:
    output = "rate: 1.5 MB/s\nrate: 2.5 MB/s after 3 s\n"
    assert read("rate: ([0-9.]+)", output) == 2.5
    assert read("rate: (?:[0-9.]+) MB/s after (?P<value>[0-9]+)", output) == 3
    assert read("(rate): (?P<value>[0-9.]+)", output) == 2.5
    assert read("[0-9]+(?= s$)", output) == 3
    assert read("^rate: ([0-9.]+)", output) == 2.5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5), (" 20k ", 20e3), ("3 Gi", 3 * 2**30), ("1e3", 1e3), (".5", 0.5), ("-2", -2.0), ("5m", 5e-3),
        ("1,5", None), ("1,000", None), ("0x1f", None), ("nan", None), ("inf", None), ("1e999", None), ("", None),
        ("5 MB", None), ("1.2.3", None), ("\u0665", None),
    ],
)  # fmt: skip
def test_numbers_are_those_of_every_language(text: str, value: float | None) -> None:
    assert number(text) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize("output", ["", "rate: fast", "rate: 0", "rate: -1", "rate: 1e400", "rate: 1e35"])
def test_what_is_no_result_is_one_sentence(output: str) -> None:
    with pytest.raises(UsageError):
        read("rate: (\\S+)", output)


def test_a_group_that_took_no_part_is_no_number() -> None:
    with pytest.raises(UsageError):
        read("rate(: ([0-9]+))?", "rate")


@pytest.mark.parametrize("pattern", ["(", "a" * (LONGEST_PATTERN + 1), "(?P<value>a)(?P<value>b)", "a{99999999999}"])
def test_what_is_no_regular_expression_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError):
        PrintedValue(pattern, "s", "lower")


@pytest.mark.parametrize("unit", ["", "M B", "x" * 17, "<b>", "/s", "a\nb"])
def test_what_is_no_unit_is_refused(unit: str) -> None:
    with pytest.raises(ValueError):
        PrintedValue("x", unit, "lower")
    assert PrintedValue("x", "kop/s", "higher").unit == "kop/s"
    assert PrintedValue("x", "%", "higher").unit == "%"
