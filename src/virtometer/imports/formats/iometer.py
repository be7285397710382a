"""Iometer: its results as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.units import number
from virtometer.imports.value import Origin, Value
from virtometer.model import Better

_HEADER = "'Target Type"
_NAME = "Access Specification Name"
_MEBI = 1024.0**2
_COLUMNS: tuple[tuple[tuple[str, ...], str, str, Better, float], ...] = (
    (("IOps",), "I/O rate", "1/s", "higher", 1.0),
    (("Read IOps",), "read I/O rate", "1/s", "higher", 1.0),
    (("Write IOps",), "write I/O rate", "1/s", "higher", 1.0),
    (("MBps (Binary)", "MiBps (Binary)", "MBps"), "throughput", "B/s", "higher", _MEBI),
    (("Average Response Time",), "mean latency", "s", "lower", 1e-3),
    (("Average Read Response Time",), "mean read latency", "s", "lower", 1e-3),
    (("Average Write Response Time",), "mean write latency", "s", "lower", 1e-3),
)


def recognises(content: Content) -> bool:
    """The header of its results, which begins with an apostrophe."""
    return content.first_line.startswith("'") and any(line.startswith(_HEADER) for line in content.lines)


def read(content: Content) -> Iterator[Value]:
    """The row ALL of each access specification: the sum over managers, workers and targets. Zeros are left out.

    This row has no name where workers differed. The rows of workers that had something to do then have the name.
    """
    header: list[str] = []
    rows = 0
    summed: list[Value] = []
    names: set[str] = set()
    for line_number, line in enumerate(content.lines, 1):
        if line.startswith(_HEADER):
            header = [cell.strip().lstrip("'") for cell in line.split(",")]
            if _NAME not in header or "IOps" not in header:
                raise UsageError(f"{content.name}:{line_number}: the header has no {_NAME} or IOps")
        elif header and line.startswith(("ALL,", "WORKER,")):
            cells = [cell.strip() for cell in next(csv.reader([line]))]
            row = dict(zip(header, cells, strict=False))
            if line.startswith("WORKER,"):
                if number(row.get("IOps", "")):  # idle ones have another specification, or none
                    names.add(row.get(_NAME, ""))
                continue
            yield from _named(summed, names)
            rows += 1
            if number(row.get("IOps", "")) is None:
                raise UsageError(f"{content.name}:{line_number}: this row has no IOps; the file may be cut")
            summed, names = list(_row(row)), set()
    yield from _named(summed, names)
    if not rows:
        raise UsageError(f"{content.name} has no row ALL; the test was interrupted, or the file is cut")


def _named(summed: list[Value], names: set[str]) -> Iterator[Value]:
    """Values of a row ALL, by the name of the row, or of all its workers. The tool's name where they have none."""
    of_workers = next(iter(names)) if len(names) == 1 else ""
    yield from (one if one.benchmark else replace(one, benchmark=of_workers or "Iometer") for one in summed)


def _row(row: dict[str, str]) -> Iterator[Value]:
    for columns, metric, unit, better, scale in _COLUMNS:
        text = next((row[column] for column in columns if column in row), "")
        if value := number(text):
            yield Value(row[_NAME], metric, unit, better, scale * value, Origin.RUN)


IOMETER = Format("iometer", "Iometer (results.csv)", "https://iometer.sourceforge.net (User's Guide)", recognises, read)
