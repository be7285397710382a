"""pytest-benchmark --benchmark-json: each round of each benchmark."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.value import Origin, Value


def recognises(content: Content) -> bool:
    """An object with the machine, and benchmarks that have statistics."""
    document = content.document
    if document is None or not document.has("machine_info", "benchmarks"):
        return False
    first = document["benchmarks"].first()
    return first is None or first.has("stats")


def read(content: Content) -> Iterator[Value]:
    """The time of one call in each round; the mean where the rounds were not saved."""
    assert content.document is not None
    for benchmark in content.document["benchmarks"]:
        name = benchmark["fullname"].text()
        stats = benchmark["stats"]
        rounds = stats.get("data")
        if rounds is None:
            yield Value(name, "time", "s", "lower", stats["mean"].number(), Origin.SUMMARY)
            continue
        for one in rounds:
            yield Value(name, "time", "s", "lower", one.number(), Origin.REPETITION)


PYTEST_BENCHMARK = Format(
    "pytest-benchmark",
    "pytest --benchmark-json=FILE",
    "https://pytest-benchmark.readthedocs.io/en/latest/usage.html",
    recognises,
    read,
)
