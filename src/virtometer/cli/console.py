"""The consoles that commands print on: nothing that a guest, a plan or a file brought acts on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from virtometer.visible import visible


class PlainConsole(Console):
    """A rich console without mark-up, emoji names and highlighting, whose texts hold no control character."""

    def __init__(self, *, stderr: bool = False) -> None:
        """For standard output, or for standard error."""
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Segments of text with hidden characters made visible; rich's own control codes stay."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text, keep="\n"))
