"""Names and sentences on one line of a terminal."""

from __future__ import annotations

from virtometer.report.parts.terminal_text import MOST_NOTES, notes, text_line


def test_what_would_break_or_hide_a_part_is_an_escape() -> None:
    shown = text_line("a\x1b[31mb\nc\0\u202e", style="bold")
    assert (shown.plain, shown.style) == (r"a\x1b[31mb\nc\x00\u202e", "bold")
    assert shown.cell_len == len(shown.plain)


def test_notes_that_are_not_shown_are_counted() -> None:
    texts = [f"note {number}" for number in range(MOST_NOTES + 2)]
    assert [str(line).strip() for line in notes(texts[:-1], "--notes")][MOST_NOTES:] == ["1 more note: --notes"]
    assert [str(line).strip() for line in notes(texts, "--notes")][MOST_NOTES:] == ["2 more notes: --notes"]
    assert len(list(notes(texts, None))) == len(texts)
