"""oha --output-format json (before, --json): the summary of a run."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.requests import refuse_failures
from virtometer.imports.value import Origin, Value


def recognises(content: Content) -> bool:
    """An object with a summary and percentiles of latency."""
    document = content.document
    return document is not None and document.has("summary", "latencyPercentiles")


def _accepted(document: Node) -> float:
    """The share of the answers whose status is no failure. Every answer is a success to oha, whatever its status."""
    statuses = document.get("statusCodeDistribution")
    counts = {} if statuses is None else {status: count.number() for status, count in statuses.items()}
    accepted = sum(count for status, count in counts.items() if status.startswith(("2", "3")))
    return accepted / sum(counts.values()) if any(counts.values()) else 1.0


def read(content: Content) -> Iterator[Value]:
    """Requests and bytes per second, and latency."""
    assert content.document is not None
    summary, shares = content.document["summary"], content.document["latencyPercentiles"]
    success = summary.get("successRate")
    refuse_failures(content.name, 1 - (1.0 if success is None else success.number()) * _accepted(content.document))
    yield Value("oha", "requests", "1/s", "higher", summary["requestsPerSec"].number(), Origin.RUN)
    if (throughput := summary.get("sizePerSec")) is not None:
        yield Value("oha", "throughput", "B/s", "higher", throughput.number(), Origin.RUN)
    for words, node in (
        ("mean latency", summary.get("average")),
        ("median latency", shares.get("p50")),
        ("p99 latency", shares.get("p99")),
    ):
        if node is not None:
            yield Value("oha", words, "s", "lower", node.number(), Origin.RUN)


OHA = Format("oha", "oha --output-format json URL", "https://github.com/hatoo/oha", recognises, read)
