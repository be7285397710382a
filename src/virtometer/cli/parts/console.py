"""The consoles that commands print on: nothing that a guest, a plan or a file brought acts on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from virtometer.cli.parts.encoding import degrade, plain_text
from virtometer.visible import visible


class PlainConsole(Console):
    """A rich console without mark-up, emoji names and highlighting, whose texts hold no control character."""

    def __init__(self, *, stderr: bool = False) -> None:
        """For standard output, or for standard error."""
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)
        degrade()

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Segments of text with hidden characters made visible; rich's own control codes stay.

        What is hidden, and what the encoding lacks, is replaced before a table is laid out, so that its columns stay
        even and no cell is cut.
        """
        for segment in super().render(_plain(renderable, self.encoding), options):
            yield segment if segment.control else segment._replace(text=visible(segment.text, keep="\n"))


def _plain(shown: Any, encoding: str) -> Any:  # noqa: ANN401 - what rich prints
    """A text, or the texts within a table, without what is hidden or what the encoding lacks."""
    if isinstance(shown, str):
        text = visible(shown, keep="\n")
        return text if encoding.startswith("utf") else plain_text(text, encoding)
    if isinstance(shown, Text):
        if _plain(shown.plain, encoding) == shown.plain:
            return shown
        whole = shown.blank_copy()
        for part in shown.divide(_borders(shown)):
            whole.append(_plain(part.plain, encoding), part.spans[0].style if part.spans else None)
        return whole
    if isinstance(shown, Table):
        for column in shown.columns:
            column.header = _plain(column.header, encoding)
            column._cells = [_plain(cell, encoding) for cell in column.cells]
    return shown


def _borders(text: Text) -> list[int]:
    """Where the style of a text changes."""
    return sorted({at for span in text.spans for at in (span.start, span.end)} - {0, len(text)})
