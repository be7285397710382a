"""JMH -rf json: each iteration of each fork."""

from __future__ import annotations

import math
from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.units import SECONDS
from virtometer.imports.value import Origin, Value
from virtometer.model import Better


def recognises(content: Content) -> bool:
    """A list whose elements have a benchmark and its primary metric."""
    first = content.document.first() if content.document is not None else None
    return first is not None and first.has("benchmark", "primaryMetric")


def read(content: Content) -> Iterator[Value]:
    """The primary metric. A fork is a start; of an iteration with a histogram the mean counts."""
    assert content.document is not None
    for result in content.document:
        name = result["benchmark"].text()
        if (parameters := result.get("params")) is not None:
            name += " (" + ", ".join(f"{key}={level.value}" for key, level in parameters.items()) + ")"
        metric = result["primaryMetric"]
        unit, better, scale = _unit(metric["scoreUnit"])
        words = "rate" if better == "higher" else "time"
        mode = result.get("mode")
        if mode is not None and mode.value in ("sample", "ss"):
            words = "sampled time" if mode.value == "sample" else "single shot time"
        histogram = metric.get("rawDataHistogram")
        forks = histogram if histogram is not None else metric.get("rawData")
        if forks is None:
            value = scale * metric["score"].number()
            yield Value(name, words, unit, better, value, Origin.SUMMARY)
            continue
        of = list(forks)
        origin = Origin.START if len(of) > 1 else Origin.REPETITION
        for start, fork in enumerate(of, 1):
            for iteration in fork:
                found = _weighted(iteration) if histogram is not None else iteration.number_or_none()
                yield Value(name, words, unit, better, None if found is None else scale * found, origin, start)


def _unit(node: Node) -> tuple[str, Better, float]:
    """ops/ms becomes 1/s, ms/op becomes s."""
    above, _, below = node.text().partition("/")
    if above == "ops" and below in SECONDS:
        return "1/s", "higher", 1 / SECONDS[below]
    if below == "op" and above in SECONDS:
        return "s", "lower", SECONDS[above]
    raise UsageError(f"{node.place}: the unit {node.text()} is neither a time nor a rate")


def _weighted(pairs: Node) -> float | None:
    """The mean of values that each stand beside their number."""
    sums = [(pair[0].number(), pair[1].number()) for pair in map(list, pairs) if len(pair) == 2]
    count = math.fsum(times for _, times in sums)
    return math.fsum(value * times for value, times in sums) / count if count else None


JMH = Format("jmh", "JMH -rf json", "https://github.com/openjdk/jmh (org.openjdk.jmh.results.format)", recognises, read)
