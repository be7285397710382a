"""Footnotes are numbered once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from virtometer.report.findings.footnotes import Footnotes


def test_footnotes_give_the_same_text_the_same_number() -> None:
    notes = Footnotes()
    assert notes.mark(["a", "b"]) == "¹ ²"
    assert notes.mark(["b"]) == "²"
    assert notes.mark([]) == ""
    assert notes.numbers([f"n{number}" for number in range(10)])[-1] == 12
    assert notes.mark(["n9"]) == "¹²"
    assert notes.lines()[:2] == [(1, "a"), (2, "b")]


def test_without_a_text_there_is_no_footnote() -> None:
    notes = Footnotes()
    assert (notes.mark([]), notes.numbers([]), notes.lines()) == ("", [], [])


@given(st.lists(st.lists(st.sampled_from("abcdef"))))
def test_numbers_go_up_in_a_cell_and_each_text_has_one_line(cells: list[list[str]]) -> None:
    notes = Footnotes()
    marked = [notes.numbers(texts) for texts in cells]
    asked = list(dict.fromkeys(text for texts in cells for text in texts))
    assert notes.lines() == list(enumerate(asked, 1))
    assert marked == [sorted({asked.index(text) + 1 for text in texts}) for texts in cells]


def test_numbers_go_up_in_a_cell_also_where_there_are_many() -> None:
    notes = Footnotes()
    notes.numbers(f"n{number}" for number in range(1, 41))
    assert notes.numbers(["n40", "n8", "n33", "n1"]) == [1, 8, 33, 40]
