"""PerfKitBenchmarker: the samples of perfkitbenchmarker_results.json."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.units import BYTES, SECONDS
from virtometer.imports.value import Origin, Value
from virtometer.model import Better

_RATES = ("ops/s", "ops/sec", "ops/second", "ops", "transactions/second", "requests/sec", "iops", "qps", "req/s")


def recognises(content: Content) -> bool:
    """JSON lines with a metric, its unit, and the test and run that they are of."""
    if not content.first_line.startswith("{") or '"run_uri"' not in content.text[:65536]:
        return False
    first = content.objects[0] if content.objects else None
    return first is not None and first.has("metric", "value", "unit", "test", "run_uri")


def read(content: Content) -> Iterator[Value]:
    """Samples whose unit says what is better: times are lower, data and operations per second are higher."""
    runs: dict[str, int] = {}
    for sample in content.objects:
        described = _described(sample["unit"].text())
        start = runs.setdefault(sample["run_uri"].text(), len(runs) + 1)
        if described is None:
            continue
        unit, better, scale = described
        value = sample["value"].number_or_none()
        yield Value(
            sample["test"].text(), sample["metric"].text(), unit, better, None if value is None else scale * value,
            Origin.RUN, start,
        )  # fmt: skip


def _described(unit: str) -> tuple[str, Better, float] | None:
    """Unit, direction and factor; None where nothing says what is better."""
    if unit in SECONDS:
        return "s", "lower", SECONDS[unit]
    if unit.lower() in _RATES:
        return "1/s", "higher", 1.0
    size, _, per = unit.partition("/")
    if per in ("s", "sec", "second") and size in BYTES:
        return "B/s", "higher", BYTES[size]
    return None


PERFKIT = Format(
    "perfkit",
    "pkb.py (perfkitbenchmarker_results.json)",
    "https://github.com/GoogleCloudPlatform/PerfKitBenchmarker",
    recognises,
    read,
)
