"""Footnotes that are numbered once, however many cells share their words."""

from __future__ import annotations

from collections.abc import Iterable

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Footnotes:
    """Numbers texts in the order in which they are first asked for."""

    def __init__(self) -> None:
        """Start without any."""
        self._numbers: dict[str, int] = {}

    def mark(self, texts: Iterable[str]) -> str:
        """The marks that stand in a cell for these texts: ¹ ², or empty."""
        return " ".join(str(number).translate(_SUPERSCRIPT) for number in self.numbers(texts))

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """The numbers of these texts, counted from 1."""
        return sorted({self._numbers.setdefault(text, len(self._numbers) + 1) for text in texts})

    def lines(self) -> list[tuple[int, str]]:
        """Every footnote with its number."""
        return [(number, text) for text, number in self._numbers.items()]
