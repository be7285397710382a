"""go test -bench: each line of each benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.units import SECONDS, number
from virtometer.imports.value import Origin, Value
from virtometer.model import Better

_LINE = re.compile(r"(Benchmark\S+)\s+(\d+)\s+(\S+ \S+.*|\S+\s+\S+.*)", re.ASCII)
_UNIT = re.compile(r"Unit\s+(\S+)\s+(?:\S+=\S+\s+)*better=(higher|lower)\b")
_PROCESSORS = re.compile(r"-\d+\Z", re.ASCII)
_NAMES = {"ns/op": "time", "MB/s": "throughput", "B/op": "memory allocated", "allocs/op": "allocations"}


def recognises(content: Content) -> bool:
    """A line of a benchmark with its time for each operation."""
    return any(line.startswith("Benchmark") and "/op" in line and _LINE.match(line) for line in content.lines)


def read(content: Content) -> Iterator[Value]:
    """All values of a line whose direction is known: from the unit, or from a line `Unit NAME better=higher`."""
    package = ""
    directions: dict[str, Better] = {}
    found: list[tuple[str, str, list[tuple[float, str]]]] = []
    for line in content.lines:
        if line.startswith("pkg:"):
            package = line.removeprefix("pkg:").strip()
        elif described_unit := _UNIT.match(line):
            directions[described_unit[1]] = "higher" if described_unit[2] == "higher" else "lower"
        elif benchmark := _LINE.fullmatch(line.rstrip()):
            cells = benchmark[3].split()
            numbers = map(number, cells[0::2])
            pairs = [(value, unit) for value, unit in zip(numbers, cells[1::2], strict=False) if value is not None]
            found.append((package, benchmark[1], pairs))
    # The number of processors at the end of a name is the machine's, and the same in all names of a run.
    ends = {match[0] if (match := _PROCESSORS.search(name)) else "" for _, name, _ in found}
    end = ends.pop() if len(ends) == 1 else ""
    several = len({package for package, _, _ in found}) > 1
    for package, name, pairs in found:
        label = name.removesuffix(end) if end else name
        for value, unit in pairs:
            described = _described(unit, directions.get(unit))
            if described is not None:
                metric, base, better, scale = described
                named = f"{package} {label}" if several else label
                yield Value(named, metric, base, better, scale * value, Origin.REPETITION)


def _described(unit: str, direction: Better | None) -> tuple[str, str, Better, float] | None:
    """Name, unit and direction of a value, and what makes it that unit; None where nobody says what is better."""
    above, _, below = unit.partition("/")
    if below == "op" and above in SECONDS:
        return _NAMES.get(unit, "time"), "s", direction or "lower", SECONDS[above]
    if unit == "MB/s":
        return _NAMES[unit], "B/s", direction or "higher", 1e6
    if unit in _NAMES:
        return _NAMES[unit], {"B/op": "B"}.get(unit, "1"), direction or "lower", 1.0
    if direction is not None or below == "s":
        return unit, unit, direction or "higher", 1.0
    return None


GO_TEST = Format(
    "go-test",
    "go test -bench . -count N",
    "https://go.dev/design/14313-benchmark-format",
    recognises,
    read,
)
