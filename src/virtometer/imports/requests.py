"""Times of single requests of one run become values of the run: requests that overlap are no repetitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from virtometer.errors import UsageError
from virtometer.imports.units import percentile
from virtometer.imports.value import Origin, Value


def latencies(benchmark: str, seconds: Sequence[float], kind: str = "latency") -> Iterator[Value]:
    """The mean, the median and the 99th percentile of times in s; no value where there is no time."""
    if not seconds:
        return
    ordered = sorted(seconds)
    mean = math.fsum(ordered) / len(ordered)
    for metric, value in (
        (f"mean {kind}", mean),
        (f"median {kind}", percentile(ordered, 0.5)),
        (f"p99 {kind}", percentile(ordered, 0.99)),
    ):
        yield Value(benchmark, metric, "s", "lower", value, Origin.RUN)


def refuse_failures(name: str, share: float) -> None:
    """Raise UsageError where more than half of all requests failed: errors are often faster than work."""
    if share > 0.5:
        raise UsageError(f"{name}: {100 * share:.0f} % of the requests failed, so its times are of failures")
