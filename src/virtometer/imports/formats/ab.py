"""ab (ApacheBench): its report, the requests of -g, and the percentiles of -e."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import MOST_BYTES, Content
from virtometer.imports.format import Format
from virtometer.imports.requests import Printed, latencies
from virtometer.imports.units import number
from virtometer.imports.value import Origin, Value

_SOURCE = "https://httpd.apache.org/docs/current/programs/ab.html"
_REQUESTS = "starttime\tseconds\tctime\tdtime\tttime\twait"
_COUNT = r"(\d{1,18})"
_PERCENTILES = "Percentage served,Time in ms"


def recognises(content: Content) -> bool:
    """The name of the program at the beginning."""
    return content.first_line.startswith("This is ApacheBench")


def read(content: Content) -> Iterator[Value]:
    """Requests per second, mean time of a request, and throughput. Raises UsageError where most requests failed."""
    text = Printed(content.name, content.text)
    # A length that differs from the first one is no failure: pages may change. ab counts a connection that was reset
    # as received and as an exception; requests that were never sent are not among the complete ones.
    unconnected, cut_off, exceptions = (
        text.count(rf" +\(.*\b{word}: {_COUNT}[,)]") for word in ("Connect", "Receive", "Exceptions")
    )
    unsent = unconnected + max(0, exceptions - cut_off)
    rate = text.rate(
        r"Requests per second: +([\d.]+)",
        failed=unsent + cut_off + text.count(rf"Non-2xx responses: +{_COUNT}"),
        every=unsent + text.count(rf"Complete requests: +{_COUNT}"),
    )
    path = text.find(r"Document Path: +(\S+)")
    name = f"ab {path[1]}" if path else "ab"
    yield Value(name, "requests", "1/s", "higher", rate, Origin.RUN)
    if time := text.find(r"Time per request: +([\d.]+) \[ms\] \(mean\)"):
        yield Value(name, "mean latency", "s", "lower", 1e-3 * float(time[1]), Origin.RUN)
    if throughput := text.find(r"Transfer rate: +([\d.]+) \[Kbytes/sec\] received"):
        yield Value(name, "throughput", "B/s", "higher", 1024 * float(throughput[1]), Origin.RUN)


def recognises_requests(content: Content) -> bool:
    """The header of -g."""
    return content.first_line == _REQUESTS


def read_requests(content: Content) -> Iterator[Value]:
    """Mean, median and p99 of the total time of all requests, which ab writes in whole ms."""
    times = []
    for line_number, line in enumerate(content.lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        time = number(cells[4]) if len(cells) == 6 else None
        if time is None:
            raise UsageError(f"{content.name}:{line_number}: this is no line of ab -g; the file may be cut")
        times.append(1e-3 * time)
    yield from latencies("ab", times)


def recognises_percentiles(content: Content) -> bool:
    """The header of -e."""
    return content.first_line == _PERCENTILES


def read_percentiles(content: Content) -> Iterator[Value]:
    """The median and p99 of latency."""
    shares = dict(line.split(",", 1) for line in content.lines[1:] if "," in line)
    for words, share in (("median latency", "50"), ("p99 latency", "99")):
        time = number(shares.get(share, ""))
        if time is None:
            raise UsageError(f"{content.name} has no percentile {share}; the file may be cut")
        yield Value("ab", words, "s", "lower", 1e-3 * time, Origin.RUN)


AB = Format("ab", "ab URL", _SOURCE, recognises, read)
AB_REQUESTS = Format("ab-requests", "ab -g FILE URL", _SOURCE, recognises_requests, read_requests, MOST_BYTES)
AB_PERCENTILES = Format("ab-percentiles", "ab -e FILE URL", _SOURCE, recognises_percentiles, read_percentiles)
