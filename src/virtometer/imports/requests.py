"""Times of single requests of one run become values of the run: requests that overlap are no repetitions."""

from __future__ import annotations

import math
import re
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


class Printed:
    """What a load generator printed of one run, in lines that begin with a name."""

    def __init__(self, name: str, text: str) -> None:
        """name: of the file, for sentences."""
        self._name, self._text = name, text

    def find(self, pattern: str) -> re.Match[str] | None:
        """The first line that begins so."""
        return re.search(f"^{pattern}", self._text, re.MULTILINE | re.ASCII)

    def count(self, pattern: str) -> int:
        """The sum of the numbers in the first line that begins so; 0 where there is none."""
        found = self.find(pattern)
        return sum(int(one) for one in found.groups("0")) if found else 0

    def rate(self, pattern: str, failed: int, every: int) -> float:
        """Requests per second. failed, every: numbers of requests. Raises UsageError as `refuse_failures` does."""
        rate = self.find(pattern)
        if rate is None:
            raise UsageError(f"{self._name} has no rate of requests; the run failed, or the file is cut")
        refuse_failures(self._name, min(1.0, failed / max(1, every)))
        return float(rate[1])


def refuse_failures(name: str, share: float) -> None:
    """Raise UsageError where more than half of all requests failed: errors are often faster than work."""
    if share > 0.5:
        raise UsageError(f"{name}: {100 * share:.0f} % of the requests failed, so its times are of failures")
