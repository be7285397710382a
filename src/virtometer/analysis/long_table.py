"""A long table of numbers from elsewhere: one row a value, with its block and its treatment."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from virtometer.errors import UsageError
from virtometer.model import Better

REQUIRED = ("block", "metric", "unit", "better", "value")
TREATMENT, REPLICATE, FACTOR = "treatment", "replicate", "factor:"
LARGEST = 1e30
MOST_BYTES = 64 << 20
"""Of a table: about a million rows."""

_MOST_NAMES, _LONGEST = 12, 40  # columns that an error names, and characters of each
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
_BETTER: Mapping[str, Better] = {"higher": "higher", "lower": "lower"}


@dataclass(frozen=True, slots=True)
class Metric:
    """What was measured, with its unit and direction, and the line that says so first."""

    name: str
    unit: str
    better: Better
    line: int


@dataclass(slots=True)
class LongTable:
    """values: by metric, treatment and block, one for each replicate; levels: of each treatment's factors.

    missing: by metric and treatment, how many rows have no value. Metrics and treatments are in the file's order.
    rows: of each metric, treatment, block and value of each row with a value; blocks: the numbers of their blocks. Both
    are in the file's order.
    """

    metrics: dict[str, Metric] = field(default_factory=dict)
    treatments: dict[str, Mapping[str, str]] = field(default_factory=dict)
    values: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)
    missing: dict[tuple[str, str], int] = field(default_factory=dict)
    rows: dict[str, list[tuple[str, str, float]]] = field(default_factory=dict)
    blocks: dict[str, int] = field(default_factory=dict)

    @property
    def factors(self) -> tuple[str, ...]:
        """Names of the factors; empty where treatments have names of their own."""
        return tuple(next(iter(self.treatments.values()), {}))


def read(content: bytes, name: str) -> LongTable:
    """Read a CSV file (RFC 4180, UTF-8, a header line). Raises UsageError with the line for what is wrong in it."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        line = content.count(b"\n", 0, cause.start) + 1
        raise UsageError(f"{name}:{line}: this is not UTF-8", advice="save the table as CSV in UTF-8") from cause
    table = LongTable()
    seen: dict[tuple[str, str, str, str], int] = {}
    for line, row in _rows(text, name):
        treatment, levels = _treatment(row)
        if not treatment:
            raise UsageError(f"{name}:{line}: the treatment is empty")
        if empty := [factor for factor, level in levels.items() if not level]:
            raise UsageError(f"{name}:{line}: the level of {empty[0]} is empty")
        metric = _metric(table, row, line, name)
        table.treatments.setdefault(treatment, levels)
        key = (metric.name, treatment)
        place = (*key, row["block"], row.get(REPLICATE, ""))
        if place in seen:
            raise UsageError(
                f"{name}:{line}: {treatment} has a value of {metric.name} in block {row['block']} already, in line "
                f"{seen[place]}",
                advice="number repeated values in the column replicate",
            )
        seen[place] = line
        value = _value(row["value"], line, name)
        if value is None:
            table.missing[key] = table.missing.get(key, 0) + 1
        else:
            table.values.setdefault(key, {}).setdefault(row["block"], []).append(value)
            table.rows.setdefault(metric.name, []).append((treatment, row["block"], value))
            table.blocks.setdefault(row["block"], len(table.blocks))
    if not seen:
        raise UsageError(f"{name}: the table has no rows")
    return table


def _rows(text: str, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Every row that is not empty, by column, with the line on which it ends."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    try:
        for row in reader:
            line = reader.line_num
            cells = list(map(str.strip, row))
            if not any(cells):
                continue
            if not columns:
                columns = cells
                _ensure(columns, line, name)
                continue
            if len(cells) != len(columns):
                raise UsageError(f"{name}:{line}: the row has {len(cells)} columns, the header has {len(columns)}")
            yield line, dict(zip(columns, cells, strict=True))
    except csv.Error as cause:
        raise UsageError(f"{name}:{reader.line_num}: this is not CSV: {cause}") from cause
    if not columns:
        raise UsageError(f"{name}: the file is empty")


def _ensure(columns: Sequence[str], line: int, name: str) -> None:
    """Raise UsageError for a header that lacks a column, has one twice, or has one that nobody knows."""
    factors = [column for column in columns if column.startswith(FACTOR)]
    lacking = [column for column in REQUIRED if column not in columns]
    separated = [words for sign, words in _SEPARATORS.items() if sign in columns[0]]
    if len(columns) == 1 and separated:
        raise UsageError(
            f"{name}:{line}: the columns are separated by {separated[0]}, not by commas",
            advice="save the table as CSV with commas between columns and a point in numbers",
        )
    if lacking:
        raise UsageError(f"{name}:{line}: the column {lacking[0]} is missing; there are {_named(columns)}")
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise UsageError(f"{name}:{line}: the column {twice} is there twice")
    known = {*REQUIRED, TREATMENT, REPLICATE, *factors}
    if foreign := [column for column in columns if column not in known]:
        raise UsageError(
            f"{name}:{line}: the column {foreign[0]} is not known",
            advice=f"the columns are {', '.join(REQUIRED)}, replicate, and treatment or factor:NAME",
        )
    if FACTOR in factors:
        raise UsageError(f"{name}:{line}: a column {FACTOR} has no name", advice="call it factor:NAME")
    if odd := [column for column in factors if ":" in column.removeprefix(FACTOR)]:
        raise UsageError(
            f"{name}:{line}: the factor {odd[0].removeprefix(FACTOR)} has a colon in its name, which joins factors in "
            "interactions"
        )
    if (TREATMENT in columns) == bool(factors):
        raise UsageError(
            f"{name}:{line}: the treatment must be in one column treatment, or in a column factor:NAME for each factor"
        )


def _named(columns: Sequence[str]) -> str:
    """The first columns of a header, and as much of each as tells it from others."""
    names = [column if len(column) <= _LONGEST else f"{column[:_LONGEST]}..." for column in columns[:_MOST_NAMES]]
    more = f" and {len(columns) - _MOST_NAMES} more" if len(columns) > _MOST_NAMES else ""
    return ", ".join(names) + more


def _treatment(row: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    if TREATMENT in row:
        return row[TREATMENT], {}
    levels = {column.removeprefix(FACTOR): level for column, level in row.items() if column.startswith(FACTOR)}
    return ", ".join(f"{factor}={level}" for factor, level in levels.items()), levels


def _metric(table: LongTable, row: Mapping[str, str], line: int, name: str) -> Metric:
    for column in ("block", "metric"):
        if not row[column]:
            raise UsageError(f"{name}:{line}: the {column} is empty")
    better = _BETTER.get(row["better"])
    if better is None:
        raise UsageError(f"{name}:{line}: better is {row['better'] or 'empty'}, but must be higher or lower")
    known = table.metrics.setdefault(row["metric"], Metric(row["metric"], row["unit"], better, line))
    if (known.unit, known.better) != (row["unit"], better):
        raise UsageError(
            f"{name}:{line}: {known.name} is in {row['unit'] or 'no unit'}, {better} is better; "
            f"in line {known.line} it is in {known.unit or 'no unit'}, {known.better} is better"
        )
    return known


def _value(text: str, line: int, name: str) -> float | None:
    if not text:
        return None
    try:
        if not text.isascii() or "_" in text:  # Python reads 1_000 and digits of other scripts
            raise ValueError(text)
        value = float(text)
    except ValueError as cause:
        raise UsageError(f"{name}:{line}: the value {text[:80]} is not a number") from cause
    if not math.isfinite(value) or not 1 / LARGEST <= value <= LARGEST:
        raise UsageError(f"{name}:{line}: the value is {text[:80]}, but ratios need numbers from 1e-30 to 1e30")
    return value
