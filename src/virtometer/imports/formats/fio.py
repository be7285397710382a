"""fio: --output-format=json or json+, and the logs of --write_lat_log, --write_bw_log and --write_iops_log."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import MOST_BYTES, Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.requests import latencies
from virtometer.imports.units import number
from virtometer.imports.value import Origin, Value

_DIRECTIONS = ("read", "write", "trim")
_LOG = re.compile(r"(?P<name>.*)_(?P<kind>lat|clat|slat|bw|iops)(?:\.\d+)?\.log")
_KINDS = {"lat": "latency", "clat": "completion latency", "slat": "submission latency"}
_SOURCE = "https://fio.readthedocs.io/en/latest/fio_doc.html"


def recognises(content: Content) -> bool:
    """An object with jobs and the version of fio."""
    return content.document is not None and content.document.has("fio version", "jobs")


def read(content: Content) -> Iterator[Value]:
    """Of each job and direction: throughput, rate, mean latency, and the median and p99 of completion latency.

    Values of a job that ended with an error are empty. Jobs with the same name are numbered.
    """
    assert content.document is not None
    jobs = list(content.document["jobs"])
    named = Counter(job["jobname"].text() for job in jobs)
    seen: Counter[str] = Counter()
    for job in jobs:
        name = job["jobname"].text()
        seen[name] += 1
        label = f"{name} {seen[name]}" if named[name] > 1 else name
        failed = bool((error := job.get("error")) is not None and error.value)
        for direction in _DIRECTIONS:
            side = job.get(direction)
            if side is None or not side["io_bytes"].number():
                continue
            for value in _side(label, direction, side):
                yield Value(label, value.metric, value.unit, value.better, None, Origin.RUN) if failed else value


def _side(label: str, direction: str, side: Node) -> Iterator[Value]:
    bandwidth = side.get("bw_bytes")  # fio 3; before, KiB/s alone
    throughput = bandwidth.number() if bandwidth is not None else 1024 * side["bw"].number()
    yield Value(label, f"{direction} throughput", "B/s", "higher", throughput, Origin.RUN)
    yield Value(label, f"{direction} I/O rate", "1/s", "higher", side["iops"].number(), Origin.RUN)
    for suffix, scale in (("_ns", 1e-9), ("", 1e-6)):  # fio 3, fio 2
        if (latency := side.get(f"lat{suffix}")) is not None:
            mean = scale * latency["mean"].number()
            yield Value(label, f"mean {direction} latency", "s", "lower", mean, Origin.RUN)
        if (completion := side.get(f"clat{suffix}")) is None or (shares := completion.get("percentile")) is None:
            continue
        for words, share in (("median", "50.000000"), ("p99", "99.000000")):
            if (found := shares.get(share)) is not None:
                metric = f"{words} {direction} completion latency"
                yield Value(label, metric, "s", "lower", scale * found.number(), Origin.RUN)


def recognises_log(content: Content) -> bool:
    """Four or more whole numbers, between commas with a blank; the third is a direction. The name tells the unit."""
    cells = content.first_line.split(", ")
    return len(cells) >= 4 and all(map(str.isdecimal, cells[:4])) and cells[2] in ("0", "1", "2")


def read_log(content: Content) -> Iterator[Value]:
    """Of each direction: mean, median and p99 of latencies; the mean of throughput and rate."""
    found = _LOG.fullmatch(content.path.name)
    if found is None:
        raise UsageError(
            f"{content.name}: the unit of a log of fio stands in its name",
            advice="keep the name that fio gave it: NAME_lat.1.log, NAME_bw.1.log or NAME_iops.1.log",
        )
    values: dict[str, list[float]] = {}
    for line_number, line in enumerate(content.lines, 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        value = number(cells[1]) if len(cells) >= 4 else None
        if value is None or cells[2] not in ("0", "1", "2"):
            raise UsageError(f"{content.name}:{line_number}: this is no line of a log of fio; the file may be cut")
        values.setdefault(_DIRECTIONS[int(cells[2])], []).append(value)
    label, kind = found["name"], found["kind"]
    for direction, of in values.items():
        if kind in _KINDS:
            yield from latencies(label, [1e-9 * one for one in of], f"{direction} {_KINDS[kind]}")
        else:
            unit, scale, words = ("B/s", 1024.0, "throughput") if kind == "bw" else ("1/s", 1.0, "I/O rate")
            mean = scale * math.fsum(of) / len(of)
            yield Value(label, f"mean {direction} {words}", unit, "higher", mean, Origin.RUN)


FIO = Format("fio", "fio --output-format=json or json+", f"{_SOURCE}#json-output", recognises, read)
FIO_LOG = Format(
    "fio-log",
    "fio --write_lat_log, --write_bw_log or --write_iops_log",
    f"{_SOURCE}#log-file-formats",
    recognises_log,
    read_log,
    MOST_BYTES,
)
