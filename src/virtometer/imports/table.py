"""Values of files become the rows of a table that `virtometer analyse` reads."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256

from virtometer.errors import UsageError
from virtometer.imports.reading import Imported
from virtometer.imports.value import Origin, Value
from virtometer.model import Better
from virtometer.visible import visible

HEADER = ("block", "treatment", "replicate", "metric", "unit", "better", "value")
LARGEST = 1e30
SMALLEST = 1 / LARGEST
"""Of the values of a table; ratios need numbers above 0."""

_LONGEST = 500  # characters of a name


class Block(StrEnum):
    """What values of all environments have one block."""

    FILE = "file"
    REPETITION = "repetition"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table, with what its value is of. value: None where there is none that can be compared."""

    block: str
    treatment: str
    replicate: int
    metric: str
    unit: str
    better: Better
    value: float | None
    origin: Origin
    format: str


def usual_block(files: Sequence[Imported]) -> Block:
    """Files, where an environment has several of them; else repetitions within files."""
    counts = Counter(one.environment for one in files)
    return Block.FILE if any(count > 1 for count in counts.values()) else Block.REPETITION


def rows(files: Sequence[Imported], block: Block) -> list[Row]:
    """The rows of all files: by block where that is a file, else by file. Values outside of the bounds are empty.

    Raises UsageError where a file has no environment, or a metric has two units.
    """
    order: Counter[str] = Counter()
    several = any(count > 1 for count in Counter(one.environment for one in files).values())
    found: list[tuple[int, list[Row]]] = []
    metrics: dict[str, tuple[str, Better, str]] = {}
    replicates: Counter[tuple[str, str, str]] = Counter()
    for file in files:
        order[file.environment] += 1
        number = order[file.environment]
        own = [*_rows(file, number, block, several, replicates)]
        for row in own:
            unit, better, path = metrics.setdefault(row.metric, (row.unit, row.better, str(file.path)))
            if (unit, better) != (row.unit, row.better):
                raise UsageError(
                    f"{file.path}: {row.metric} is in {row.unit}, {row.better} is better; "
                    f"in {path} it is in {unit}, {better} is better",
                    advice="import files of different tools into tables of their own",
                )
        found.append((number, own))
    if block is Block.FILE:
        found.sort(key=lambda pair: pair[0])
    return [row for _, own in found for row in own]


def _rows(
    file: Imported, number: int, block: Block, several: bool, replicates: Counter[tuple[str, str, str]]
) -> Iterator[Row]:
    metrics = [_metric(value) for value in file.values]
    starts: dict[tuple[str, str], set[int]] = {}
    for metric, value in zip(metrics, file.values, strict=True):
        starts.setdefault((metric, value.environment), set()).add(value.start)
    repetitions: Counter[tuple[str, str]] = Counter()
    for metric, value in zip(metrics, file.values, strict=True):
        treatment = _cell(file.environment or value.environment)
        if not treatment:
            raise UsageError(
                f"{file.path} does not say of which environment it is", advice=f"name it: NAME={file.path.name}"
            )
        if file.environment and len({one for _, one in starts}) > 1:
            raise UsageError(f"{file.path} names several environments itself", advice=f"leave out {file.environment}=")
        key = (metric, value.environment)
        repetitions[key] += 1
        if block is Block.FILE:
            place = str(number)
        else:
            within = value.start if len(starts[key]) > 1 else repetitions[key]
            place = f"{number}.{within}" if several else str(within)
        replicates[treatment, metric, place] += 1
        good = value.value is not None and SMALLEST <= value.value <= LARGEST
        yield Row(
            place, treatment, replicates[treatment, metric, place], metric, value.unit, value.better,
            value.value if good else None, value.origin, file.format.name,
        )  # fmt: skip


def _metric(value: Value) -> str:
    return _cell(f"{value.benchmark}: {value.metric}" if value.benchmark else value.metric)


@lru_cache(maxsize=4096)
def _cell(text: str) -> str:
    """A text of a cell: visible, and no longer than names need to be; a long one ends with a hash of the whole."""
    shown = " ".join(visible(text).split())
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST - 20]} ... {sha256(shown.encode()).hexdigest()[:12]}"


def csv_text(of: Sequence[Row]) -> str:
    """The table as CSV with a header line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for row in of:
        value = "" if row.value is None else repr(row.value)
        writer.writerow((row.block, row.treatment, row.replicate, row.metric, row.unit, row.better, value))
    return text.getvalue()
