"""wrk and wrk2: the report of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.requests import Printed
from virtometer.imports.units import SECONDS
from virtometer.imports.value import Origin, Value

_RUNNING = re.compile(r"Running \S+ test @ (\S+)")
_SIZES = {"B": 1.0, "KB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3, "TB": 1024.0**4}  # wrk divides by 1,024
_COUNT = r"(\d{1,18})"
_TIME = r"([\d.]+)(us|ms|s|m|h)\b"


def recognises(content: Content) -> bool:
    """The line that says what runs, and threads below it."""
    return bool(_RUNNING.match(content.first_line)) and "threads and" in content.text[:4096]


def read(content: Content) -> Iterator[Value]:
    """Requests and bytes per second, mean latency; with --latency also its median and p99."""
    text = Printed(content.name, content.text)
    lost = text.count(rf" +Socket errors: connect {_COUNT}, read {_COUNT}, write {_COUNT}")
    late = text.count(rf" +Socket errors: .*, timeout {_COUNT}")
    rate = text.rate(
        r"Requests/sec: +([\d.]+)",
        failed=lost + late + text.count(rf" +Non-2xx or 3xx responses: +{_COUNT}"),
        every=lost + text.count(rf" +{_COUNT} requests in "),  # a late request is among these
    )
    name = f"wrk {_path(content.first_line)}"
    yield Value(name, "requests", "1/s", "higher", rate, Origin.RUN)
    if throughput := text.find(r"Transfer/sec: +([\d.]+)([KMGT]?B)"):
        value = _SIZES[throughput[2]] * float(throughput[1])
        yield Value(name, "throughput", "B/s", "higher", value, Origin.RUN)
    for words, pattern in (
        ("mean latency", rf" +Latency +{_TIME}"),
        ("median latency", rf" +50(?:\.000)?% +{_TIME}"),
        ("p99 latency", rf" +99(?:\.000)?% +{_TIME}"),
    ):
        if found := text.find(pattern):
            yield Value(name, words, "s", "lower", SECONDS[found[2]] * float(found[1]), Origin.RUN)


def _path(line: str) -> str:
    """The address without its host: each environment has another one."""
    found = _RUNNING.match(line)
    try:
        return (urlsplit(found[1]).path if found else "") or "/"
    except ValueError:
        return "/"


WRK = Format("wrk", "wrk --latency URL", "https://github.com/wg/wrk", recognises, read)
