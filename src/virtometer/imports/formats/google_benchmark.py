"""Google Benchmark --benchmark_format=json: each repetition of each benchmark."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.units import SECONDS
from virtometer.imports.value import Origin, Value

_AGGREGATES = ("_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS")


def recognises(content: Content) -> bool:
    """An object with a context, and benchmarks that have a time of the CPU or an error."""
    document = content.document
    if document is None or not document.has("context", "benchmarks"):
        return False
    first = document["benchmarks"].first()
    return first is not None and (first.has("name", "cpu_time") or first.has("name", "error_occurred"))


def read(content: Content) -> Iterator[Value]:
    """Time, processor time and rates of each repetition; the means, where only those are there."""
    assert content.document is not None
    every = list(content.document["benchmarks"])
    single = [one for one in every if not _aggregate(one)]
    chosen = single or [one for one in every if one["name"].text().endswith("_mean")]
    origin = Origin.REPETITION if single else Origin.SUMMARY
    for one in chosen:
        run_name = one.get("run_name")
        name = one["name"].text().removesuffix("_mean") if run_name is None else run_name.text()
        error = one.get("error_occurred")
        if error is not None and error.value:
            for metric in ("time", "processor time"):
                yield Value(name, metric, "s", "lower", None, origin)
            continue
        unit = one["time_unit"]
        if unit.text() not in SECONDS:
            raise UsageError(f"{unit.place}: the unit {unit.text()} is no time")
        scale = SECONDS[unit.text()]
        yield Value(name, "time", "s", "lower", scale * one["real_time"].number(), origin)
        yield Value(name, "processor time", "s", "lower", scale * one["cpu_time"].number(), origin)
        for key, metric, per_second in (
            ("bytes_per_second", "throughput", "B/s"),
            ("items_per_second", "rate of items", "1/s"),
        ):
            if (rate := one.get(key)) is not None:
                yield Value(name, metric, per_second, "higher", rate.number(), origin)


def _aggregate(one: Node) -> bool:
    kind = one.get("run_type")  # since 1.5
    return one["name"].text().endswith(_AGGREGATES) if kind is None else kind.value == "aggregate"


GOOGLE_BENCHMARK = Format(
    "google-benchmark",
    "PROGRAM --benchmark_out=FILE --benchmark_repetitions=N",
    "https://github.com/google/benchmark/blob/main/docs/user_guide.md",
    recognises,
    read,
)
