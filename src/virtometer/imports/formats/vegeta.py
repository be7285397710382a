"""vegeta: the requests of `vegeta encode`, and `vegeta report -type=json`."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import MOST_BYTES, Content
from virtometer.imports.format import Format
from virtometer.imports.requests import latencies, refuse_failures
from virtometer.imports.value import Origin, Value

_SOURCE = "https://github.com/tsenart/vegeta"


def recognises(content: Content) -> bool:
    """An object with latencies, requests and a throughput."""
    document = content.document
    return document is not None and document.has("latencies", "requests", "throughput")


def read(content: Content) -> Iterator[Value]:
    """Successful requests per second, and latency, which vegeta has in ns."""
    document = content.document
    assert document is not None
    if (success := document.get("success")) is not None:
        refuse_failures(content.name, 1 - success.number())
    yield Value("vegeta", "successful requests", "1/s", "higher", document["throughput"].number(), Origin.RUN)
    for words, key in (("mean latency", "mean"), ("median latency", "50th"), ("p99 latency", "99th")):
        if (found := document["latencies"].get(key)) is not None:
            yield Value("vegeta", words, "s", "lower", 1e-9 * found.number(), Origin.RUN)


def recognises_requests(content: Content) -> bool:
    """JSON lines with a code, a latency and a time stamp."""
    if not content.first_line.startswith("{") or '"latency"' not in content.first_line:
        return False
    try:
        first = next(content.each_object(), None)
    except UsageError:
        return False
    return first is not None and first.has("code", "latency", "timestamp")


def read_requests(content: Content) -> Iterator[Value]:
    """Mean, median and p99 of the latency of successful requests. Raises UsageError where most failed."""
    good = []
    every = 0
    for request in content.each_object():
        every += 1
        error = request.get("error")
        if 200 <= request["code"].number() < 400 and (error is None or not error.value):
            good.append(1e-9 * request["latency"].number())
    refuse_failures(content.name, 1 - len(good) / every)
    yield from latencies("vegeta", good)


VEGETA = Format("vegeta", "vegeta report -type=json", _SOURCE, recognises, read)
VEGETA_REQUESTS = Format("vegeta-requests", "vegeta encode", _SOURCE, recognises_requests, read_requests, MOST_BYTES)
