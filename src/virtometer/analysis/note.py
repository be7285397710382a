"""What is said of a cell beside its numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence in full, with its counts, and `brief`: without what differs from cell to cell.

    Tables show the brief one, so that cells share a footnote.
    """

    text: str
    brief: str
