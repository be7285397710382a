"""PerfKitBenchmarker: the samples of perfkitbenchmarker_results.json."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.units import BYTES, SECONDS
from virtometer.imports.value import Origin, Value
from virtometer.model import Better

_RATES = ("ops/s", "ops/sec", "ops/second", "ops", "transactions/second", "requests/sec", "iops", "qps", "req/s")

_OF_A_REPETITION = re.compile(r"iteration|run_number|(?:start|end)_time|(?:.*_)?(?:date|timestamp|uri|uuid)")
"""Labels of which every repetition has its own value."""

_OF_A_MACHINE = re.compile(r"ids?|(?:.*_)?(?:(?:host|instance|machine|vm)_ids?|hostname|ips?|ip_address(?:es)?)")
"""Labels that name a machine. Each run has new machines, so only those within a run tell what was measured."""

_MEASURED = re.compile(r"(?:.*_)?(?:min|max|mean|median|avg|average|agg|std_?dev|dev|p[0-9]+(?:\.[0-9]+)?)")
"""Labels that have numbers of the sample's own, as those of fio have its percentiles."""

_FRACTION = re.compile(r"-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?")

_LEAST_URI = 6  # characters: shorter ones may be in a label by chance


def recognises(content: Content) -> bool:
    """JSON lines with a metric, its unit, and the test and run that they are of."""
    if not content.first_line.startswith("{") or '"run_uri"' not in content.text[:65536]:
        return False
    first = content.objects[0] if content.objects else None
    return first is not None and first.has("metric", "value", "unit", "test", "run_uri")


def read(content: Content) -> Iterator[Value]:
    """Samples whose unit says what is better: times are lower, data and operations per second are higher.

    Labels that differ between samples of a test and a metric are part of the name of the benchmark.
    """
    runs: dict[str, int] = {}
    telling = _telling(content.objects)
    for sample in content.objects:
        described = _described(sample["unit"].text())
        start = runs.setdefault(sample["run_uri"].text(), len(runs) + 1)
        if described is None:
            continue
        unit, better, scale = described
        value = sample["value"].number_or_none()
        yield Value(
            _name(sample, telling[_group(sample)]), sample["metric"].text(), unit, better,
            None if value is None else scale * value, Origin.RUN, start,
        )  # fmt: skip


def _name(sample: Node, keys: Sequence[str]) -> str:
    """The test, and its values of these labels."""
    labels = _labels(sample)
    words = [f"{key} {labels[key]}" for key in keys if key in labels]
    return f"{sample['test'].text()} ({', '.join(words)})" if words else sample["test"].text()


def _group(sample: Node) -> tuple[str, str]:
    return sample["test"].text(), sample["metric"].text()


def _telling(samples: Sequence[Node]) -> dict[tuple[str, str], Sequence[str]]:
    """Of each test and metric: the labels that tell its configurations from each other, sorted."""
    groups: dict[tuple[str, str], list[Node]] = {}
    for sample in samples:
        groups.setdefault(_group(sample), []).append(sample)
    found: dict[tuple[str, str], Sequence[str]] = {}
    for group, members in groups.items():
        anywhere, in_a_run = _differing(members)
        measured = {key for key in anywhere if _is_measured(key, members, within=key in in_a_run)}
        found[group] = sorted(
            key
            for key in anywhere - measured
            if not _OF_A_REPETITION.fullmatch(key.lower())
            and (key in in_a_run or not _OF_A_MACHINE.fullmatch(key.lower()))
        )
    return found


def _is_measured(key: str, samples: Sequence[Node], *, within: bool) -> bool:
    """Whether a label is a result and no configuration: by its name, or a fraction that no run sets more than once.

    within: it differs between two samples of one run.
    """
    if _MEASURED.fullmatch(key.lower()):
        return True
    values = [found for sample in samples if (found := _labels(sample).get(key)) is not None]
    return not within and len(values) == len(set(values)) and all(_FRACTION.fullmatch(one) for one in values)


def _differing(samples: Sequence[Node]) -> tuple[set[str], set[str]]:
    """Labels that differ between any two samples, and those that differ between two samples of one run."""
    anywhere: set[str] = set()
    in_a_run: set[str] = set()
    first: dict[str, str] | None = None
    first_of: dict[str, dict[str, str]] = {}
    for sample in samples:
        labels = _labels(sample)
        first = labels if first is None else first
        own = first_of.setdefault(sample["run_uri"].text(), labels)
        for other, found in ((first, anywhere), (own, in_a_run)):
            if other is not labels:
                found |= {key for key in other.keys() | labels.keys() if other.get(key) != labels.get(key)}
    return anywhere, in_a_run


def _labels(sample: Node) -> dict[str, str]:
    """Such as |cloud:GCP|,|threads:4|; in newer versions an object of metadata. The run's own id in a value is *."""
    node = sample.get("labels") or sample.get("metadata")
    if node is None:
        return {}
    if isinstance(node.value, dict):
        found = {key: str(value) for key, value in node.value.items()}
    else:
        parts = node.text().removeprefix("|").removesuffix("|").split("|,|")
        found = {key: value for key, _, value in (one.partition(":") for one in parts) if key}
    uri = sample["run_uri"].text()
    return {key: value.replace(uri, "*") for key, value in found.items()} if len(uri) >= _LEAST_URI else found


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
