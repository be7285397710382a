"""Text of a table becomes grids: a plain table, or rows with the columns of published values."""

from __future__ import annotations

import codecs
import csv
import io
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from virtometer.analysis.plausible.grid import Grid, Printed
from virtometer.analysis.plausible.numbers import LARGEST, decimal_comma, is_missing, parsed, too_large
from virtometer.errors import UsageError

MOST_BYTES = 10 << 20
"""Of a table."""
_LONG = frozenset({"row", "column", "value"})
"""A header with these columns is that of a long table: one value a line."""

_MOST_CELLS = 5_000_000
_MOST_SHOWN = 40  # characters of a text in an error
_NO_QUANTITY = frozenset(
    [
        "id",
        "item",
        "row",
        "column",
        "value",
        "printed",
        "high",
        "printed_high",
        "status",
        "restored_from",
        "inferred",
        "n",
    ]
)
"""Columns of a long table that say where and how a value is printed, and not what it is."""


def read(content: bytes, name: str) -> list[Grid]:
    """All tables of a text. Raises UsageError where it is no table, with the line."""
    lines = _lines(content, name)
    header = [one.strip().casefold() for one in lines[0][1]]
    if set(header) >= _LONG:
        return _long(lines, header, name)
    return [_plain(lines, name)]


def _text(content: bytes, name: str) -> str:
    """UTF-8, UTF-16 with a byte order mark, or else Windows' characters of Western Europe."""
    try:
        marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise UsageError(f"{name} has a byte 0 in line {line}; this is no text")
    if not text.strip():
        raise UsageError(f"{name} is empty", advice="a table has a header and at least one row with numbers")
    return text


def _lines(content: bytes, name: str) -> list[tuple[int, list[str]]]:
    """The lines that are not empty: the number of each, and its fields."""
    text = _text(content, name)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    lines, before = [], 0
    try:
        for fields in reader:
            stripped = [field.strip() for field in fields]
            if any(stripped):
                lines.append((reader.line_num, stripped))
            before = reader.line_num
    except csv.Error as cause:
        what = "a quote that does not close" if "unexpected end" in str(cause) or "limit" in str(cause) else str(cause)
        raise UsageError(f"{name}:{before + 1}: {what}", advice="a field with quotes has them on both ends") from cause
    if len(lines) < 2 or len(lines[0][1]) < 2:
        lacks = "there are no rows" if len(lines) < 2 else "there is one column alone"
        long = bool(lines) and {one.casefold() for one in lines[0][1]} >= _LONG
        advice = (
            "a long table has a header with row, column and value, then one value in each line"
            if long
            else "a table has a header with labels of columns, then rows that begin with a label"
        )
        raise UsageError(f"{name} has no table: {lacks}", advice=advice)
    return lines


def _separator(text: str) -> str:
    """Tab, semicolon or comma: the first of them, in this order, that stands in the header outside of quotes."""
    header = re.sub(r'"[^"]*"', "", next(line for line in text.splitlines() if line.strip()))
    return next((one for one in "\t;" if one in header), ",")


def _plain(lines: Sequence[tuple[int, list[str]]], name: str) -> Grid:
    """A header with labels of columns, and rows whose first field is a label. Columns of text belong to the labels."""
    header = lines[0][1]
    width = len(header)
    for number, fields in lines[1:]:
        if len(fields) > width and any(fields[width:]):
            raise UsageError(f"{name}:{number}: the row has {len(fields)} columns, the header has {width}")
        del fields[width:]
        fields.extend([""] * (width - len(fields)))
    numbers = [number for number, _ in lines[1:]]
    texts = [*zip(*(fields for _, fields in lines[1:]), strict=True)]
    number_of = _Numbers(comma=decimal_comma(field for column in texts[1:] for field in column))
    labels, columns = [texts[0]], {}
    for at in range(1, width):
        made = [number_of[field] for field in texts[at]]
        bad = [row for row, one in enumerate(made) if one is None and not is_missing(texts[at][row])]
        if bad and not any(made) and not any(map(too_large, texts[at])):
            labels.append(texts[at])
            continue
        if bad:
            row = next((one for one in bad if too_large(texts[at][one])), bad[0])
            where = f"{name}:{numbers[row]}: {_quoted(texts[at][row])} in the column {_quoted(header[at])}"
            raise UsageError(f"{where} {_refusal(texts[at][row])}")
        columns[at] = made
    if not any(one is not None for column in columns.values() for one in column):
        raise UsageError(f"{name} has no numbers", advice="a table has labels first, then numbers")
    rows = [" ".join(part for part in parts if part) for parts in zip(*labels, strict=True)]
    cells = tuple(zip(*columns.values(), strict=True))
    return Grid("", _different(rows), _different([header[at] for at in columns]), cells)


class _Numbers(dict[str, Printed | None]):
    """The number of each text, made once."""

    def __init__(self, *, comma: bool) -> None:
        super().__init__()
        self._comma = comma

    def __missing__(self, text: str) -> Printed | None:
        self[text] = made = parsed(text, comma=self._comma)
        return made


def _refusal(text: str) -> str:
    return f"is not between {1 / LARGEST:g} and {LARGEST:g}" if too_large(text) else "is no number"


def _quoted(text: str) -> str:
    """As Python shows it, and not longer than a line."""
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}...")


def _different(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels, with a number where one stands for the second time or later."""
    seen: Counter[str] = Counter()
    made = []
    for label in labels:
        seen[label] += 1
        made.append(label if seen[label] == 1 else f"{label} #{seen[label]}".strip())
    return tuple(made)


def _long(lines: Sequence[tuple[int, list[str]]], header: Sequence[str], name: str) -> list[Grid]:
    """The grids of a long table."""
    for number, fields in lines[1:]:
        if len(fields) != len(header):
            raise UsageError(f"{name}:{number}: the row has {len(fields)} columns, the header has {len(header)}")
    made = grids_of(((number, dict(zip(header, fields, strict=True))) for number, fields in lines[1:]), name)
    if not made:
        column = "printed" if "printed" in header else "value"
        raise UsageError(f"{name} has no numbers", advice=f"the column {column} has none; it has one in each row")
    return made


def grids_of(lines: Iterable[tuple[int, Mapping[str, str]]], name: str) -> list[Grid]:
    """One grid for each study and item, in their order. `printed` and `high` are used where they stand.

    lines: the number of each line, and its fields by column. Raises UsageError for a text in `value`, with the line.
    Cells with `restored_from` and a value have no text. They stand in the grid in the unit in which others are printed.
    """
    tables: dict[str, _Table] = {}
    number_of = _Numbers(comma=False)
    lines = [*lines]
    factors = _factors((of for _, of in lines), number_of)
    for number, of in lines:
        text = of.get("printed", of["value"])  # what is not printed has a value in another unit, and is left out
        restored = _restored(of, factors) if of.get("restored_from") and is_missing(text) else None
        if is_missing(text) and restored is None:
            continue
        if (made := restored or number_of[text]) is None and "printed" not in of:
            raise UsageError(f"{name}:{number}: {_quoted(text)} {_refusal(text)}")
        if made is None:
            continue  # printed in words, or as 1/4
        exact = of.get("relation", "") in ("", "=")
        if (high := number_of[of.get("printed_high", "")]) is not None and of.get("relation") != "plus-minus":
            made = Printed(f"{text}-{high.text}", made.value, made.step, high.value)
        table = tables.setdefault(_table_of(of), _Table())
        place = of["row"], of["column"]
        while place in table.cells:  # a table may print two cells under one pair of labels
            place = place[0], f"{place[1]}'"
        table.cells[place] = made
        if restored is not None:
            table.restored.add(place)
            continue
        if exact and of.get("workload") and of.get("metric"):
            table.quantities[place] = tuple(text for column, text in of.items() if column not in _NO_QUANTITY)
    return [table.grid(key) for key, table in tables.items()]


def _table_of(of: Mapping[str, str]) -> str:
    return " ".join(of[part] for part in ("study", "item") if of.get(part))


def _unit_in(of: Mapping[str, str]) -> tuple[str, ...]:
    """What decides by which factor a value differs from what is printed: the table, and both units."""
    return _table_of(of), of.get("unit", ""), of.get("unit_printed", "")


def _factors(lines: Iterable[Mapping[str, str]], number_of: _Numbers) -> Mapping[tuple[str, ...], float]:
    """Values by what is printed for them, the median of each unit of a table."""
    found: dict[tuple[str, ...], list[float]] = {}
    for of in lines:
        printed, value = number_of[of.get("printed", "")], number_of[of["value"]]
        if printed is not None and value is not None and printed.value and value.value:
            found.setdefault(_unit_in(of), []).append(value.value / printed.value)
    return {unit: statistics.median(some) for unit, some in found.items()}


def _restored(of: Mapping[str, str], factors: Mapping[tuple[str, ...], float]) -> Printed | None:
    """What a cell without text should print, with the digits of its value; None where its unit is unknown."""
    factor = factors.get(_unit_in(of))
    try:
        value = float(of["value"]) if factor is not None else None
    except ValueError:
        return None
    return None if value is None or factor is None else parsed(f"{value / factor:.9g}", comma=False)


@dataclass(frozen=True, slots=True)
class _Table:
    """Cells of a long table, and what they say, by the labels of row and column."""

    cells: dict[tuple[str, str], Printed | None] = field(default_factory=dict)
    quantities: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    restored: set[tuple[str, str]] = field(default_factory=set)

    def grid(self, name: str) -> Grid:
        rows = {row: at for at, row in enumerate(dict.fromkeys(row for row, _ in self.cells))}
        columns = {column: at for at, column in enumerate(dict.fromkeys(column for _, column in self.cells))}
        if len(rows) * len(columns) > _MOST_CELLS:
            raise UsageError(f"{name or 'the table'} has {len(rows)} rows x {len(columns)} columns, mostly empty")
        cells = tuple(tuple(self.cells.get((row, column)) for column in columns) for row in rows)
        quantities = {(rows[row], columns[column]): of for (row, column), of in self.quantities.items()}
        restored = frozenset((rows[row], columns[column]) for row, column in self.restored)
        return Grid(name, tuple(rows), tuple(columns), cells, quantities, restored)
