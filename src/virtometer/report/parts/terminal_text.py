"""Texts and tables of a terminal. Of names and sentences, what would break or hide a line is a visible escape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from virtometer.counted import counted
from virtometer.visible import visible


def text_line(text: str, style: str = "") -> Text:
    """The text on one line. Tables are laid out by what is shown: an escape is wider than its character."""
    return Text(visible(text), style=style)


MOST_NOTES = 3
"""That are shown unless all are asked for."""


def notes(texts: Sequence[str], more: str | None) -> Iterator[Text]:
    """Notes, each on a line: the first few, with the command that prints all; all where `more` is None."""
    shown = texts if more is None else texts[:MOST_NOTES]
    yield from (text_line(f" {text}", style="dim") for text in shown)
    if len(shown) < len(texts):
        yield text_line(f" {counted(len(texts) - len(shown), 'more note')}: {more}", style="dim")


def plain_table(title: str = "") -> Table:
    """A table without rows, in the form of all tables of results."""
    shown = text_line(title, style="bold") if title else None
    return Table(
        title=shown, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold",
        collapse_padding=True,
    )  # fmt: skip
