"""What the files of published/ must fulfil: closed lists of words, and arithmetic within a row and between rows.

Each function takes rows as texts, by column, and gives the faults in words.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any

from tests.house.tracked import ROOT
from virtometer.studies.units import printed_number, unit_and_factor

PUBLISHED = ROOT / "published"
Row = Mapping[str, str]

COLUMNS = {
    "studies.csv": "study author title work date",
    "items.csv": "study item kind section title rows columns unit_printed conditions draws experiment",
    "values.csv": "id study item row column virtualizer role devices system bits assistance tools options guests "
    "member source target load beside workload operation block_bytes array_order threads_or_processes level metric "
    "statistic n unit better value printed unit_printed relation high printed_high status restored_from inferred "
    "conditions",
    "claims.csv": "study section claim_id subject metric relation reference value high unit statement tested_by",
    "unavailable.csv": "study item not_available",
}
EXPERIMENTS = {
    "tsiouprou2010": "linpack disk net ramspeed-marks ramspeed-mem parallel-linpack parallel-disk parallel-net loaded "
    "guest-to-guest parallel-net-disk parallel-ramspeed",
    "klein2008": "netperf mpi-io partdiff iozone",
    "zupka2008": "network disk system apache ranking smp guests guests-apache devices devices-apache life-cycle",
    "appel2008": "java ramsmp io",
    "lemberger2010": "linpack ramspeed net disk parallel-linpack parallel-ramspeed parallel-net parallel-disk loaded "
    "net-disk guest-to-guest tree",
}
OF_ZUPKA = {"life-cycle", "devices"}
"""Experiments of zupka2008 that items and claims of the others name too."""

# What each column of values.csv may hold, separated by commas; those that may also be empty.
WORDS = {
    "virtualizer": "none, openvz, virtuozzo, xen, kvm, qemu, vmware-server, vmware-esxi, virtualbox",
    "role": "native, dom0, guest",
    "devices": "emulated, paravirtual",
    "system": "linux, windows",
    "bits": "32, 64",
    "assistance": "on, off",
    "tools": "on, off",
    "member": "single, sum, mean, 1, 2, 3",
    "source": "node6, node7, vm2, vm3, vm4, host, guest",
    "target": "node6, node7, vm2, vm3, vm4, host, outside, other-guest",
    "load": "linpack",
    "beside": "disk, net",
    "workload": "linpack, disk, net, memory, netperf, mpi-io, partdiff, lmbench, bonnie, ab, specjvm2008, ranking, "
    "life-cycle",
    "operation": "solve, sequential, write, read, write-sequential, read-sequential, write-random, read-random, int, "
    "int-write, int-read, float-write, float-read, int-copy, int-scale, int-add, int-triad, int-average, float-copy, "
    "float-scale, float-add, float-triad, float-average, tcp-stream, round-trip, context-switch, procedure, fork, "
    "exec, page-fault, file-read, file-write, memory-read-write, pipe, latency, out-per-char, out-block, rewrite, "
    "in-per-char, in-block, mean-of-five, static-page, php-page, composite, create, change-vcpus",
    "level": "L1, L2, RAM",
    "metric": "time, elapsed, throughput, rate, latency, cpu use, cpu time, service demand, efficiency, loss, gain, "
    "ratio, difference, score, count, size, limit, rank",
    "statistic": "one, mean, total, sd, expected",
    "unit": "s, B/s, 1/s, share, 1, s/B, B/(s*CPU), score, B",
    "better": "higher, lower",
    "relation": "=, about, <, >, <=, >=, range, plus-minus",
    "status": "printed, unreadable, restored, dash",
}
NEVER_EMPTY = {"metric", "statistic", "unit", "relation", "status"}
OPTIONS: dict[str, type | set[str]] = {
    "vcpus": int, "memory_bytes": int, "heap_bytes": int, "mode": {"pv", "hvm", "emulation"},
    "stage": {"before", "after"}, "tx_checksum": {"off-in-dom0"}, "txqueuelen": int, "bridge": {"on", "off"},
    "iteration": int, "target_role": {"dom0", "guest"}, "pair": {"same-system", "same-host", "other-host"},
    "receive_socket_bytes": int, "send_socket_bytes": int, "message_bytes": int,
    "end": {"local", "remote", "guest", "host", "client"}, "requests": int, "concurrency": int, "count": int,
    "parallel": int, "process_kbytes": int, "arguments": str, "column_mark": {"none", "asterisk"},
}  # fmt: skip
CONDITIONS: dict[str, type | set[str]] = {
    "host": {
        "athlon64-x2-4800", "xeon-2x2.0", "xeon-2x1.6", "xeon-2x1.6-8gb", "xeon-2x4x2.6", "athlon-x2-2.5-8gb",
        "x3850-8-cores",
    },
    "os": str, "version": str, "array_size": int, "time_limit_s": int, "duration_s": int, "clock": {"time-server"},
    "storage": {"iscsi", "iscsi-partition", "iscsi-image"}, "file_bytes": int,
    "network": {"dedicated-line", "inside-host", "bridge", "no-bridge"}, "file_system": {"PVFS2"}, "legible": str,
}  # fmt: skip
CLAIM_RELATIONS = {
    "equal", "about equal", "faster than", "slower than", "higher than", "lower than", "loss", "gain", "ratio", "value",
    "limit", "needs", "rank", "influence", "no influence", "trend up", "trend down", "unchanged", "fair", "unfair",
    "cause", "unexplained", "expected", "possible", "not possible", "recommended", "not recommended",
}  # fmt: skip

_NUMBER = re.compile(r"\d+(\.\d+)?")
_PRINTED = re.compile(r"\d+(\.\d+)?|\d+/\d+")
_COUNT = re.compile(r"[1-9]\d*")
_ROUNDING = Decimal("0.015")
"""By how much a cell that follows from a sum may differ, in the printed unit: the addends are rounded."""


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of published/ as texts."""
    with (PUBLISHED / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def unknown_experiments(study: str, text: str) -> set[str]:
    """The experiments in a list with semicolons that no study of the two has."""
    return set(filter(None, text.split(";"))) - set(EXPERIMENTS[study].split()) - OF_ZUPKA


def item_faults(row: Row, known: Collection[tuple[str, str]]) -> Iterator[str]:
    """known: all items, as pairs of study and item."""
    if row["kind"] not in {"table", "figure", "text"}:
        yield f"the kind {row['kind']}"
    yield from (f"{name} is empty" for name in ("item", "section", "title") if not row[name])
    yield from (f"the experiment {one}" for one in unknown_experiments(row["study"], row["experiment"]))
    if row["kind"] == "table" and not row["experiment"]:
        yield "a table without experiment"
    drawn = [one for one in row["draws"].split(";") if one]
    if drawn and row["kind"] != "figure":
        yield "only figures draw"
    yield from (f"draws {one}, which is no item" for one in drawn if (row["study"], one) not in known)


def value_faults(row: Row, known: Collection[tuple[str, str]]) -> Iterator[str]:
    """known: all items, as pairs of study and item."""
    if (row["study"], row["item"]) not in known:
        yield "of no item"
    if not re.fullmatch(rf"{row['study']}/\S+/(r[1-9]\d*c[1-9]\d*|[1-9]\d*)", row["id"]):
        yield "the form of the id"
    for name, words in WORDS.items():
        allowed = {*words.split(", ")} | (set() if name in NEVER_EMPTY else {""})
        if row[name] not in allowed:
            yield f"{name} is {row[name]}"
    yield from (f"{name} is empty" for name in ("row", "column") if not row[name])
    for name in ("guests", "array_order", "threads_or_processes", "n"):
        if row[name] and not _COUNT.fullmatch(row[name]):
            yield f"{name} is no number"
    if not re.fullmatch(r"(\d+(;\d+)*)?", row["block_bytes"]):
        yield "block_bytes is no list of numbers"
    if row["member"] in {"1", "2", "3"} and row["guests"] and int(row["member"]) > int(row["guests"]):
        yield "a member beyond the guests"
    if row["member"] == "single" and row["guests"] != "1":
        yield "a single guest is one guest"
    if (row["role"] == "native") != (row["virtualizer"] == "none"):
        yield "native is without a virtualizer"
    yield from detail_faults(row["options"], OPTIONS)
    yield from detail_faults(row["conditions"], CONDITIONS)
    inferred = [one for one in row["inferred"].split(";") if one]
    if set(inferred) - {*COLUMNS["values.csv"].split(), *OPTIONS, *CONDITIONS} or len(set(inferred)) < len(inferred):
        yield "inferred names what does not exist, or twice"
    yield from _number_faults(row)


def detail_faults(text: str, allowed: Mapping[str, type | set[str]]) -> Iterator[str]:
    """Of a JSON object in a cell: sorted names from a closed list, each with its type or words."""
    if not text:
        return
    try:
        found: Any = json.loads(text)
    except ValueError:
        yield "no JSON"
        return
    if not isinstance(found, dict) or not found or list(found) != sorted(found):
        yield "no sorted JSON object"
        return
    for name, given in found.items():
        wanted = allowed.get(name)
        if wanted is None:
            yield f"the name {name}"
        elif not (isinstance(given, wanted) if isinstance(wanted, type) else given in wanted) or isinstance(
            given, bool
        ):
            yield f"{name} is {given}"


def _number_faults(row: Row) -> Iterator[str]:
    """Printed number and value belong to each other, and to status and relation."""
    wrong = [name for name in ("value", "high") if row[name] and not _NUMBER.fullmatch(row[name])]
    wrong += [name for name in ("printed", "printed_high") if row[name] and not _PRINTED.fullmatch(row[name])]
    if wrong:
        yield f"{', '.join(wrong)}: no number"
        return
    try:
        unit, factor = unit_and_factor(row["unit_printed"], row["workload"], row["metric"])
    except KeyError:
        yield f"the unit {row['unit_printed']}"
        return
    if row["unit"] != unit:
        yield f"{row['unit_printed']} is no unit of {row['unit']}"
    status = row["status"]
    if (status == "printed") != bool(row["printed"]):
        yield "status and printed number"
    if (status in {"printed", "restored"}) != bool(row["value"]):
        yield "status and value"
    if (status == "restored") != bool(row["restored_from"]):
        yield "status and source"
    if row["printed"] and row["value"] and Decimal(row["value"]) != printed_number(row["printed"]) * factor:
        yield f"{row['printed']} {row['unit_printed']} is not {row['value']} {unit}"
    several = row["relation"] in {"range", "plus-minus"}
    if several != bool(row["high"]) or several != bool(row["printed_high"]):
        yield "relation and upper end"
    elif several:
        end = printed_number(row["printed_high"]) * factor
        low = Decimal(row["value"])
        if Decimal(row["high"]) != (end + low if row["relation"] == "plus-minus" else end) or end <= 0:
            yield "the upper end does not follow"
        if Decimal(row["high"]) <= low:
            yield "a range in the wrong order"


def restored_faults(row: Row, by_id: Mapping[str, Row]) -> Iterator[str]:
    """A restored cell follows from printed cells, and has in it what is legible."""
    form = re.fullmatch(r"(equal|sum): (\S+(?: - \S+)*)", row["restored_from"])
    names = form[2].split(" - ") if form else []
    if form is None or any(name not in by_id or by_id[name]["status"] != "printed" for name in names):
        yield "restored from what is not printed"
        return
    if (form[1] == "sum") != (len(names) > 1):
        yield "a sum has several parts"
    _, factor = unit_and_factor(row["unit_printed"], row["workload"], row["metric"])
    first, *others = (Decimal(by_id[name]["value"]) for name in names)
    given = Decimal(row["value"])
    if abs(given - (first - sum(others))) > (_ROUNDING * factor if others else 0):
        yield "the restored value does not follow"
    legible = json.loads(row["conditions"] or "{}").get("legible", "")
    if legible not in format((given / factor).normalize(), "f"):
        yield "the restored value lacks what is legible"


def claim_faults(row: Row) -> Iterator[str]:
    """A claim has a statement, known words and a test or a reason."""
    if not re.fullmatch(rf"{row['study']}/c\d{{3}}", row["claim_id"]):
        yield "the form of the id"
    for name in ("section", "subject", "metric", "statement", "tested_by"):
        if not row[name]:
            yield f"{name} is empty"
    if row["relation"] not in CLAIM_RELATIONS:
        yield f"the relation {row['relation']}"
    if any(row[name] and not _NUMBER.fullmatch(row[name]) for name in ("value", "high")):
        yield "no number"
        return
    if bool(row["value"]) != bool(row["unit"]) or row["unit"] not in {"", *WORDS["unit"].split(", ")}:
        yield "value and unit"
    if row["high"] and not (row["value"] and Decimal(row["value"]) < Decimal(row["high"])):
        yield "a range in the wrong order"
    if not row["statement"].endswith(".") or len(row["statement"]) > 130:
        yield "the statement is one short sentence"
    if not re.match(r"cannot be tried here: \S", row["tested_by"]):
        yield from (f"the experiment {one}" for one in unknown_experiments(row["study"], row["tested_by"]))
