"""Slips of a single number."""

from __future__ import annotations

import pytest

from virtometer.analysis.plausible.numbers import parsed
from virtometer.analysis.plausible.slips import exchanged_digits, slips


@pytest.mark.parametrize(
    ("text", "values"),
    [("123.4", [213.4, 132.4, 124.3]), ("-12", [-21]), ("11", []), ("10 m2", [1]), ("1e5", []), ("0", []), ("3-4", [])],
)
def test_two_digits_exchanged(text: str, values: list[float]) -> None:
    of = parsed(text, comma=False)
    assert of is not None
    assert list(exchanged_digits(of)) == pytest.approx(values)


def test_decimal_points_units_and_signs() -> None:
    of = parsed("50", comma=False)
    assert of is not None
    found = {(rule, value) for rule, value, _ in slips(of, by_arithmetic=True)}
    assert {("decimal point", 5.0), ("decimal point", 500.0), ("decimal point", 400.0), ("sign", -50.0)} <= found
    assert ("decimal point", 400.0) not in {(rule, value) for rule, value, _ in slips(of, by_arithmetic=False)}
