"""pgbench: its summary, and the log of transactions (-l)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import MOST_BYTES, Content
from virtometer.imports.format import Format
from virtometer.imports.requests import latencies
from virtometer.imports.value import Origin, Value

_LEAST_COLUMNS, _MOST_COLUMNS = 6, 8  # with the lag of a schedule, and the number of retries
_SOURCE = "https://www.postgresql.org/docs/current/pgbench.html"
_LONGEST_CLIENT = 8  # digits; the first column of an aggregated log is a time, in s since 1970
_TPS = re.compile(r"^tps = ([\d.]+) \((?:without initial|excluding)", re.MULTILINE | re.ASCII)


def recognises(content: Content) -> bool:
    """Lines of its summary."""
    return "\ntransaction type:" in f"\n{content.text[:65536]}" and "scaling factor:" in content.text[:65536]


def read(content: Content) -> Iterator[Value]:
    """Transactions per second without the time of connecting, and mean latency."""
    text = content.text
    rate = _TPS.search(text) or re.search(r"^tps = ([\d.]+)", text, re.MULTILINE | re.ASCII)
    if rate is None:
        raise UsageError(f"{content.name} has no tps; the run failed, or the file is cut")
    script = re.search(r"^transaction type: *(.*)$", text, re.MULTILINE)
    name = "pgbench " + (script[1].strip().removeprefix("<builtin: ").removesuffix(">") if script else "")
    yield Value(name, "transactions", "1/s", "higher", float(rate[1]), Origin.RUN)
    if mean := re.search(r"^latency average = ([\d.]+) ms", text, re.MULTILINE | re.ASCII):
        yield Value(name, "mean latency", "s", "lower", 1e-3 * float(mean[1]), Origin.RUN)


def recognises_log(content: Content) -> bool:
    """Six to eight whole numbers in a line; skipped and failed transactions have a word for their time."""
    cells = content.first_line.split()
    if not _LEAST_COLUMNS <= len(cells) <= _MOST_COLUMNS:
        return False
    return all(cell.isdecimal() or (at == 2 and cell.isalpha()) for at, cell in enumerate(cells))


def read_log(content: Content) -> Iterator[Value]:
    """Of each script: mean, median and p99 of latency, and transactions per second between the first and the last."""
    times: dict[str, list[float]] = {}
    ends: dict[str, tuple[float, float]] = {}
    for line_number, line in enumerate(content.lines, 1):
        cells = line.split()
        if not cells:
            continue
        if not _LEAST_COLUMNS <= len(cells) <= _MOST_COLUMNS:
            raise UsageError(f"{content.name}:{line_number}: this is no line of a pgbench log; the file may be cut")
        client, _, time, script, seconds, microseconds = cells[:_LEAST_COLUMNS]
        if not (client.isdecimal() and seconds.isdecimal() and microseconds.isdecimal()):
            raise UsageError(f"{content.name}:{line_number}: this is no line of a pgbench log")
        if len(client) > _LONGEST_CLIENT:
            raise UsageError(
                f"{content.name} is a log of intervals, not of transactions",
                advice="run pgbench -l without --aggregate-interval",
            )
        if not time.isdecimal():  # skipped or failed
            continue
        times.setdefault(script, []).append(1e-6 * float(time))
        end = float(seconds) + 1e-6 * float(microseconds)
        first, last = ends.get(script, (end, end))
        ends[script] = min(first, end), max(last, end)
    for script, of in times.items():
        name = f"pgbench script {script}"
        yield from latencies(name, of)
        first, last = ends[script]
        if last > first:
            yield Value(name, "transactions", "1/s", "higher", (len(of) - 1) / (last - first), Origin.RUN)


PGBENCH = Format("pgbench", "pgbench", _SOURCE, recognises, read)
PGBENCH_LOG = Format(
    "pgbench-log", "pgbench -l", f"{_SOURCE} (per-transaction logging)", recognises_log, read_log, MOST_BYTES
)
