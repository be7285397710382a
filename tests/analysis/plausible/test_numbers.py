"""Texts of cells and the numbers that stand there."""

from __future__ import annotations

import pytest

from virtometer.analysis.plausible.numbers import decimal_comma, is_missing, parsed, too_large


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [
        ("12", 12, 1), ("-1.50", -1.5, 0.01), ("−3", -3, 1), ("1,234.5", 1234.5, 0.1), ("1,234,567", 1234567, 1),
        ("1 234", 1234, 1), ("45 %", 45, 1), ("about 7.5 MB/s", 7.5, 0.1), ("<3", 3, 1), ("1.5e3", 1500, 100),
        ("12 µs", 12, 1), ("5.0*", 5, 0.1), ("1'234", 1234, 1),
    ],
)  # fmt: skip
def test_numbers_and_their_last_digit(text: str, value: float, step: float) -> None:
    made = parsed(text, comma=False)
    assert made is not None
    assert made.value == value
    assert made.step == pytest.approx(step)


def test_a_decimal_comma() -> None:
    made = parsed("1.234,5", comma=True)
    assert made is not None
    assert made.value == 1234.5
    assert made.step == pytest.approx(0.1)


def test_a_range_has_two_ends() -> None:
    made = parsed("10-20", comma=False)
    assert made is not None
    assert (made.value, made.high) == (10, 20)


@pytest.mark.parametrize("text", ["inf", "nan", "1e308", "1e400", "abc", "1/4", "", "²", "9" * 200, "1e99999999999"])
def test_no_numbers(text: str) -> None:
    assert parsed(text, comma=False) is None


def test_missing_and_too_large() -> None:
    assert is_missing(" N/A ")
    assert not is_missing("0")
    assert too_large("1e308")
    assert not too_large("abc")


@pytest.mark.parametrize(
    ("fields", "comma"), [(["1,5"], True), (["1,500"], False), (["1.5", "1,5"], False), (["1500,250", "2,000"], True)]
)
def test_which_sign_is_the_decimal_point(fields: list[str], comma: bool) -> None:
    assert decimal_comma(fields) is comma
