"""sysbench: the report of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.value import Origin, Value
from virtometer.model import Better

_KINDS = (
    ("SQL statistics", "database"),
    ("File operations", "fileio"),
    ("memory speed test", "memory"),
    ("Prime numbers limit", "cpu"),
)
_RATES: tuple[tuple[str, str, str, Better, float], ...] = (
    (r"^ *transactions: +\d+ +\(([\d.]+) per sec", "transactions", "1/s", "higher", 1.0),
    (r"^ *queries: +\d+ +\(([\d.]+) per sec", "queries", "1/s", "higher", 1.0),
    (r"^ *reads/s: +([\d.]+)", "reads", "1/s", "higher", 1.0),
    (r"^ *writes/s: +([\d.]+)", "writes", "1/s", "higher", 1.0),
    (r"^ *read, MiB/s: +([\d.]+)", "read throughput", "B/s", "higher", 1024.0**2),
    (r"^ *written, MiB/s: +([\d.]+)", "write throughput", "B/s", "higher", 1024.0**2),
    (r"^.* MiB transferred \(([\d.]+) MiB/sec", "throughput", "B/s", "higher", 1024.0**2),
    (r"^ *events per second: +([\d.]+)", "rate of events", "1/s", "higher", 1.0),
)


def recognises(content: Content) -> bool:
    """The name of the program at the beginning."""
    return content.first_line.startswith("sysbench ")


def read(content: Content) -> Iterator[Value]:
    """Rates as printed; the mean latency from its sum, because sysbench prints hundredths of a ms."""
    text = content.text
    if "General statistics" not in text:
        raise UsageError(f"{content.name} has no results of sysbench; the run failed, or the file is cut")
    name = next((f"sysbench {kind}" for words, kind in _KINDS if words in text), "sysbench")
    metrics = set()
    for pattern, metric, unit, better, scale in _RATES:
        if found := re.search(pattern, text, re.MULTILINE | re.ASCII):
            metrics.add(metric)
            yield Value(name, metric, unit, better, scale * float(found[1]), Origin.RUN)
    events = re.search(r"^ *total number of events: +(\d+)", text, re.MULTILINE | re.ASCII)
    seconds = re.search(r"^ *total time: +([\d.]+)s", text, re.MULTILINE | re.ASCII)
    total = re.search(r"^ *sum: +([\d.]+)", text, re.MULTILINE | re.ASCII)
    if events is None or seconds is None:
        raise UsageError(f"{content.name} has no total time or number of events; the file may be cut")
    count, time = float(events[1]), float(seconds[1])
    if not metrics and time > 0:
        yield Value(name, "rate of events", "1/s", "higher", count / time, Origin.RUN)
    if total is not None and count > 0:
        yield Value(name, "mean latency", "s", "lower", 1e-3 * float(total[1]) / count, Origin.RUN)


SYSBENCH = Format("sysbench", "sysbench TEST run", "https://github.com/akopytov/sysbench", recognises, read)
