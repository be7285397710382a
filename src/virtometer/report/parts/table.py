"""A table of texts, which the page and the terminal show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TextTable:
    """A plain table: the first value of a row is its heading. `right` and `code` are columns, counted from 0."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    code: frozenset[int] = field(default_factory=frozenset)
