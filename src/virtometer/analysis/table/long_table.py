"""A long table of numbers from elsewhere: one row a value, with its block and its treatment."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from virtometer.errors import UsageError
from virtometer.model import Better

REQUIRED = ("block", "metric", "unit", "better", "value")
TREATMENT, REPLICATE, FACTOR = "treatment", "replicate", "factor:"
LARGEST = 1e30

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
    rows = _rows(text, name)
    _, columns = next(rows)
    block_at, value_at = columns.index("block"), columns.index("value")
    replicate_at = columns.index(REPLICATE) if REPLICATE in columns else None
    metric_of = itemgetter(*(columns.index(column) for column in ("metric", "unit", "better")))
    treatment_of = itemgetter(*(at for at, one in enumerate(columns) if one == TREATMENT or one.startswith(FACTOR)))
    # What many rows share is checked once, and kept once.
    metrics: dict[tuple[str, ...], str] = {}
    treatments: dict[str | tuple[str, ...], str] = {}
    blocks: dict[str, str] = {}
    seen: dict[tuple[str, str, str, str], int] = {}
    for line, cells in rows:
        treatment = treatments.get(named := treatment_of(cells))
        if treatment is None:
            treatment = treatments[named] = _treatment(table, columns, cells, line, name)
        block = blocks.setdefault(cells[block_at], cells[block_at])
        if not block:
            raise UsageError(f"{name}:{line}: the block is empty")
        metric = metrics.get(described := metric_of(cells))
        if metric is None:
            metric = metrics[described] = _metric(table, described, line, name)
        place = (metric, treatment, block, cells[replicate_at] if replicate_at is not None else "")
        if seen.setdefault(place, line) != line:
            raise UsageError(
                f"{name}:{line}: {treatment} has a value of {metric} in block {block} already, in line {seen[place]}",
                advice="number repeated values in the column replicate",
            )
        value = _value(cells[value_at], line, name)
        key = (metric, treatment)
        if value is None:
            table.missing[key] = table.missing.get(key, 0) + 1
            continue
        table.values.setdefault(key, {}).setdefault(block, []).append(value)
        table.rows.setdefault(metric, []).append((treatment, block, value))
        table.blocks.setdefault(block, len(table.blocks))
    if not seen:
        raise UsageError(f"{name}: the table has no rows")
    return table


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not empty, with the line on which it ends. The first is the header, and right."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not columns:
                columns = cells
                _ensure(columns, reader.line_num, name)
            elif len(cells) != len(columns):
                raise UsageError(
                    f"{name}:{reader.line_num}: the row has {len(cells)} columns, the header has {len(columns)}"
                )
            yield reader.line_num, cells
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


def _treatment(table: LongTable, columns: Sequence[str], cells: Sequence[str], line: int, name: str) -> str:
    """The name of a row's treatment, which the table has from now on with its levels."""
    levels: dict[str, str] = {}
    if TREATMENT in columns:
        treatment = cells[columns.index(TREATMENT)]
    else:
        given = zip(columns, cells, strict=True)
        levels = {column.removeprefix(FACTOR): level for column, level in given if column.startswith(FACTOR)}
        treatment = ", ".join(f"{factor}={level}" for factor, level in levels.items())
    if not treatment:
        raise UsageError(f"{name}:{line}: the treatment is empty")
    if empty := [factor for factor, level in levels.items() if not level]:
        raise UsageError(f"{name}:{line}: the level of {empty[0]} is empty")
    table.treatments.setdefault(treatment, levels)
    return treatment


def _metric(table: LongTable, described: Sequence[str], line: int, name: str) -> str:
    """The name of a row's metric, which the table has from now on. described: the name, the unit and the direction."""
    metric, unit, direction = described
    if not metric:
        raise UsageError(f"{name}:{line}: the metric is empty")
    better = _BETTER.get(direction)
    if better is None:
        raise UsageError(f"{name}:{line}: better is {direction or 'empty'}, but must be higher or lower")
    known = table.metrics.setdefault(metric, Metric(metric, unit, better, line))
    if (known.unit, known.better) != (unit, better):
        raise UsageError(
            f"{name}:{line}: {known.name} is in {unit or 'no unit'}, {better} is better; "
            f"in line {known.line} it is in {known.unit or 'no unit'}, {known.better} is better"
        )
    return known.name


def _value(text: str, line: int, name: str) -> float | None:
    if not text:
        return None
    try:
        if not text.isascii() or "_" in text:  # Python reads 1_000 and digits of other scripts
            raise ValueError(text)
        value = float(text)
    except ValueError as cause:
        raise UsageError(f"{name}:{line}: the value {text[:80]} is not a number") from cause
    if not 1 / LARGEST <= value <= LARGEST:  # nor is this so of what is no number, or not finite
        raise UsageError(f"{name}:{line}: the value is {text[:80]}, but ratios need numbers from 1e-30 to 1e30")
    return value
