"""Numbers of texts, and percentiles."""

import pytest

from virtometer.imports.units import number, percentile


@pytest.mark.parametrize(("text", "value"), [("1", 1.0), ("-2.5e3", -2500.0), (".5", 0.5), ("7.", 7.0)])
def test_numbers(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "x", "1_000", "nan", "inf", "1e999", "٣", "1,5", "9" * 500])
def test_other_texts_are_none(text: str) -> None:
    assert number(text) is None


def test_a_percentile_is_a_value_that_was_there() -> None:
    ordered = [float(one) for one in range(1, 101)]
    assert (percentile(ordered, 0.5), percentile(ordered, 0.99), percentile(ordered, 1.0)) == (50, 99, 100)
    assert percentile([3.0], 0.01) == 3
