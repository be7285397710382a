"""Names and sentences as one line of a terminal: what would break or hide a part of it is a visible escape."""

from __future__ import annotations

from rich.text import Text

from virtometer.visible import visible


def text_line(text: str, style: str = "") -> Text:
    """The text on one line. Tables are laid out by what is shown: an escape is wider than its character."""
    return Text(visible(text), style=style)
