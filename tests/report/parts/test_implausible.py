"""A finding as JSON and in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from virtometer.analysis.plausible.check import Implausible
from virtometer.report.parts.implausible import expected, expected_words, implausible_object, reason_words

FINDING = Implausible("t", "r", "c", "sum", "why", 22.9, 22.29999999999999, "22.9", "22.3", (("t", "r", "a"),))
ELSEWHERE = replace(FINDING, rule="contradiction", others=(("u", "r", "a"),), expected=365.37, expected_text="365.4")


@pytest.mark.parametrize(
    ("printed", "text", "calculated", "number", "words"),
    [
        ("22.9", "22.3", 22.29999999999999, 22.3, "22.3"), ("223", "22", 22.29999999999999, 22.3, "22.3"),
        ("9.75", "9.50", 9.5, 9.5, "9.50"), ("3108035", "3108", 3108.035, 3108.035, "3108.035"),
        ("1,250", "125", 125.00000000000001, 125.0, "125"), ("7", "", None, None, ""), ("0.5", "0.0", 0.0, 0.0, "0.0"),
    ],
)  # fmt: skip
def test_what_is_expected_has_the_printed_digits(
    printed: str, text: str, calculated: float | None, number: float | None, words: str
) -> None:
    one = replace(FINDING, printed=printed, expected=calculated, expected_text=text)
    assert (expected(one), expected_words(one), implausible_object(one)["expected"]) == (number, words, number)


def test_what_another_table_prints_keeps_its_digits() -> None:
    assert (expected(ELSEWHERE), expected_words(ELSEWHERE)) == (365.37, "365.37")


@pytest.mark.parametrize(("cells", "named", "more"), [(1, 1, ""), (3, 3, ""), (5, 3, "2 more")])
def test_up_to_three_other_cells_are_named(cells: int, named: int, more: str) -> None:
    words = reason_words(replace(FINDING, others=tuple(("t", f"row {at}", "a") for at in range(cells))))
    assert sum(f"row {at}, a" in words for at in range(cells)) == named
    assert more in words and ("more" in words) is bool(more)


def test_the_reason_is_not_repeated() -> None:
    assert reason_words(replace(FINDING, others=())) == "why"
    assert reason_words(ELSEWHERE).startswith("why, ")
    assert implausible_object(FINDING)["others"] == [{"table": "t", "row": "r", "column": "a"}]
