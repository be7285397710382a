"""Tables of text within the width of a terminal. Cells wrap between words, no word and no number is cut. PURE."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

_GAP = "  "
_LEAST_LABELS = 24
_HEADER_LINES = 4


def filled(text: str, width: int, indent: str = "") -> list[str]:
    """A paragraph in lines of at most `width` characters; all but the first begin with `indent`."""
    return _wrapped(text, width, indent)


def listed(header: Sequence[str], rows: Sequence[Sequence[str]], width: int, most: Sequence[int | None]) -> list[str]:
    """Texts in columns, as lines of at most `width` characters where the words are short enough.

    most: the greatest width of each column; None for the one that takes the rest.
    """
    columns = list(zip(header, *rows, strict=True))
    widths = [
        min(max(map(len, column)), max(limit or 0, max(map(_longest_word, column))))
        for column, limit in zip(columns, most, strict=True)
    ]
    for at, limit in enumerate(most):
        if limit is None:
            others = sum(widths) - widths[at] + len(_GAP) * (len(widths) - 1)
            widths[at] = max(_longest_word_of(columns[at]), min(max(map(len, columns[at])), width - others))
    return [line for row in (header, *rows) for line in _row(row, widths, ["<"] * len(widths))]


def folded(
    corner: str, labels: Sequence[str], header: Sequence[str], cells: Sequence[Sequence[str]], width: int
) -> list[str]:
    """A table with row labels and numbers, as lines. Columns that do not fit follow below, with the labels again.

    corner: stands above the labels. header: one text for each column. cells: rows of texts, shaped labels x header.
    """
    columns = list(zip(*cells, strict=True))
    widths = [max(_header_width(label), *map(len, column)) for label, column in zip(header, columns, strict=True)]
    room = width - sum(widths) - len(_GAP) * len(widths)
    natural = max(map(len, (corner, *labels)))
    first = max(_longest_word_of((corner, *labels)), min(natural, max(room, _LEAST_LABELS, width // 3)))
    lines: list[str] = []
    for some in _chunks(widths, width - first):
        lines += [""] if lines else []
        aligns = ["<", *([">"] * len(some))]
        sizes = [first, *(widths[at] for at in some)]
        lines += _row([corner, *(header[at] for at in some)], sizes, aligns, down=True)
        for label, row in zip(labels, cells, strict=True):
            lines += _row([label, *(row[at] for at in some)], sizes, aligns)
    return lines


def _header_width(label: str) -> int:
    """The least width at which the label of a column takes few lines."""
    width = _longest_word(label)
    while len(_wrapped(label, width)) > _HEADER_LINES:
        width += 1
    return width


def _chunks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """The numbers of the columns that stand beside each other; at least one."""
    some: list[int] = []
    taken = 0
    for at, width in enumerate(widths):
        if some and taken + len(_GAP) + width > room:
            yield some
            some, taken = [], 0
        some.append(at)
        taken += len(_GAP) + width
    if some:
        yield some


def _row(cells: Sequence[str], widths: Sequence[int], aligns: Sequence[str], *, down: bool = False) -> list[str]:
    """One row as lines. down: short cells stand at the bottom of the row."""
    wrapped = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, wrapped))
    even = [[""] * (height - len(one)) + one if down else one + [""] * (height - len(one)) for one in wrapped]
    return [
        _GAP.join(f"{one[at]:{align}{width}}" for one, width, align in zip(even, widths, aligns, strict=True)).rstrip()
        for at in range(height)
    ]


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, max(width, 1), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ) or [""]


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _longest_word_of(texts: Sequence[str]) -> int:
    return max(map(_longest_word, texts))
