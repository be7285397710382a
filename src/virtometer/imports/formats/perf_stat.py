"""perf stat -j: counters of one run; with -r their means over several runs."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.units import SECONDS, number
from virtometer.imports.value import Origin, Value

_PARTS = ("cpu", "core", "socket", "node", "thread", "cgroup")


def recognises(content: Content) -> bool:
    """JSON lines with a counter and an event."""
    return '"counter-value"' in content.text[:65536] and any(
        one.has("counter-value", "event") for one in content.objects[:20]
    )


def read(content: Content) -> Iterator[Value]:
    """Each counter that was counted; less is better, because the work is the same.

    Raises UsageError for counters of intervals (-I).
    """
    for counter in content.objects:
        if not counter.has("counter-value", "event"):
            continue  # a metric of its own
        if counter.has("interval"):
            raise UsageError(
                f"{content.name} has counters of intervals, in which the time is fixed, and not the work",
                advice="run perf stat without -I, so that each counter is of the whole work",
            )
        text = counter["counter-value"]
        value = number(text.text().strip()) if isinstance(text.value, str) else text.number()
        if value is None:
            if not text.value.strip().startswith("<not "):
                raise UsageError(f"{text.place} is not a number")
            continue
        unit_node = counter.get("unit")
        unit = unit_node.text() if unit_node is not None else ""
        scale = SECONDS.get(unit)
        origin = Origin.SUMMARY if counter.has("variance") else Origin.RUN
        event = counter["event"].text()
        yield Value(_label(counter), event, "s" if scale else unit or "1", "lower", value * (scale or 1), origin)


def _label(counter: Node) -> str:
    parts = [f"{key} {counter.value[key]}" for key in _PARTS if counter.has(key)]
    return " ".join(["perf", *parts])


PERF_STAT = Format(
    "perf-stat", "perf stat -j", "https://man7.org/linux/man-pages/man1/perf-stat.1.html", recognises, read
)
