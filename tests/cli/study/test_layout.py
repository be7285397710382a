"""Tables of text within a width."""

from __future__ import annotations

from virtometer.cli.study.layout import filled, folded, listed

NUMBERS = [["1.5", "20", "unreadable"], ["10.25", "", "3"]]


def test_a_table_that_fits_stands_side_by_side() -> None:
    assert folded("[s]", ["one row", "two"], ["a", "long label", "c"], NUMBERS, 60) == [
        "                 long",
        "[s]          a  label           c",
        "one row    1.5     20  unreadable",
        "two      10.25                  3",
    ]


def test_columns_that_do_not_fit_follow_with_the_labels_again() -> None:
    lines = folded("[s]", ["one row", "two"], ["a", "long label", "c"], NUMBERS, 24)
    assert lines == [
        "                 long",
        "[s]          a  label",
        "one row    1.5     20",
        "two      10.25",
        "",
        "[s]               c",
        "one row  unreadable",
        "two               3",
    ]


def test_long_labels_wrap_and_no_number_is_cut() -> None:
    label = "a label of many words that is longer than the room"
    lines = folded("", [label], ["value"], [["54.9996659756"]], 30)
    assert max(map(len, lines)) <= 24 + 2 + 13
    assert [line for line in lines if "54.9996659756" in line]
    assert " ".join(" ".join(line[:24].split()) for line in lines[1:]).strip() == label


def test_texts_stand_in_columns_and_one_takes_the_rest() -> None:
    rows = [("c001", "a statement that needs some room", "about"), ("c002", "short", "")]
    lines = listed(("id", "statement", "why"), rows, 30, (4, None, 10))
    assert lines == [
        "id    statement          why",
        "c001  a statement that   about",
        "      needs some room",
        "c002  short",
    ]
    assert len(listed(("id", "statement", "why"), rows, 80, (4, None, 10))) == 3


def test_words_longer_than_the_width_are_not_cut() -> None:
    assert filled("a wordthatislong b", 5, "  ") == ["a", "  wordthatislong", "  b"]
    assert listed(("x",), [("wordthatislong",)], 5, (None,)) == ["x", "wordthatislong"]
