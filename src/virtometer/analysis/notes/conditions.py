"""Comparable conditions: which two results may be compared, and sentences where they may not.

Conditions are strings that the agent and the environment report of a run (`io: direct`, `network: veth`). They must be
the same on both sides. Keys ending in `_reason` explain another key and are not compared. Nothing is dropped: the
finding is made, and every report marks it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from virtometer.analysis.compare.blocks import TreatmentData
from virtometer.analysis.note import Note
from virtometer.analysis.notes import page_cache
from virtometer.analysis.notes.circumstances import NAMED

_UNLIKE = "not comparable"
# Where a file or a peer is found from inside differs by nature and says nothing about the work. How an environment
# reaches the disk file (virtio-blk, ubd, bind mount) is no condition that differs but the thing that is measured, as
# is the source of its clock. Arguments of a program name the file; the rest of them is the plan's, alike on both sides.
# A block may have one run more than another.
# The timer of the iterations stands with the clock's bound. Whether caches may hold the arrays has a note of its own,
# because guests see other caches than the host has. What a command finds otherwise is named beside the findings.
_NOT_COMPARED = frozenset(
    {
        "file",
        "folder",
        "peer",
        "runs",
        "listen",
        "time-server",
        "disk_path",
        "arguments",
        "timing",
        "cached",
        page_cache.LEFT,
        *NAMED,
    }
)
_FILES, _CHECKED = "files", "check-files"  # what a command has left in files, and their paths as the agent takes them
# Both lead to the laboratory's bridge. The device in between is what is measured.
_BRIDGED = frozenset({"veth", "tap"})
_NAMES = {
    "io": "disk access",
    "host_cache": "host page cache",
    "host_cache_begins": "host page cache at the beginning",
    "network_path": "network path",
    "root": "image of the root directory",
    "simd": "vector instruction set",
    "generator": "generator of the matrix",
    "store": "kind of stores",
    "huge_pages": "huge pages",
    "page_bytes": "page size",
    "pinned": "pinning to a processor",
    "guest_processors": "processors of the guest",
    "scheduling_group": "scheduling group",
    "program_digest": "program",
    "interpreter_digest": "interpreter of the program",
    "loader_digest": "loader of the program",
    "c_library_digest": "C library",
    "locale": "variables of the locale",
    "standard_input": "standard input",
    "standard_output": "standard output",
    "page_cache": "page cache",
    "status": "exit status",
    "answer": "output",
}

ANSWER: Mapping[str, str] = {"status": _NAMES["status"], "answer": _NAMES["answer"], "files": "content of files"}
"""Conditions that are the answer of a command, with their names: where one differs, the other side did other work.

`files` has no name above, because it is also a parameter of disk operations.
"""


def differences(subject: TreatmentData, against: TreatmentData) -> dict[str, str]:
    """Every difference between the conditions, threads and parameters of two treatments: its name and a sentence."""
    if not subject.results or not against.results:
        return {}
    here, there = _conditions(subject), _conditions(against)
    why_here, why_there = _reasons(subject), _reasons(against)
    said = {}
    caches = _shares(subject), _shares(against)
    for key in sorted(here.keys() | there.keys()):
        own, other = _words(here.get(key)), _words(there.get(key))
        if key == page_cache.CONDITION and caches[0] is not None and caches[1] is not None:
            if not page_cache.differ(caches[0], caches[1]):
                continue
            own, other = page_cache.words(caches[0]), page_cache.words(caches[1])
        if own == other:
            continue
        left = f"{own} here{_because(key, own, why_here)}" if own else "not reported here"
        right = f"{other or 'not reported'} in {against.environment}{_because(key, other, why_there)}"
        said[key] = f"{_UNLIKE}: {_name(key, subject)}: {left}, {right}"
    return said


def notes(data: TreatmentData) -> list[Note]:
    """Sizes that a cache may hold, within one environment."""
    why = {run.conditions["cached_reason"] for _, run in data.results if "cached_reason" in run.conditions}
    said = [f"caches may hold what is measured: {reason}" for reason in sorted(why)]
    return [Note(f"in {data.environment} {text}", text) for text in said]


def changes(data: TreatmentData) -> dict[str, str]:
    """Every condition that changed from trial to trial within one environment: its name and a sentence."""
    said = {}
    for key, seen in sorted(_conditions(data).items()):
        cache = _shares(data) if key == page_cache.CONDITION else None
        if page_cache.changed(cache) if cache is not None else len(seen) > 1:
            counted = ", ".join(f"{value} in {count}" for value, count in sorted(seen.items()))
            if cache is not None:
                counted = f"{min(cache):.0%} to {max(cache):.0%} of its files in memory, {counted}"
            name = _name(key, data)
            said[key] = f"{_UNLIKE}: in {data.environment}, {name} changed between trials ({counted} of them)"
    return said


def _name(key: str, data: TreatmentData) -> str:
    """Of a condition, in a sentence: the files that a command has written stand in it by their paths."""
    checked = next((run.parameters[_CHECKED] for _, run in data.results if _CHECKED in run.parameters), None)
    if key == _FILES and checked is not None:
        return f"contents of {', '.join(json.loads(str(checked)))}"
    return _NAMES.get(key, key)


def _shares(data: TreatmentData) -> list[float] | None:
    return page_cache.shares(run for _, run in data.results)


def _conditions(data: TreatmentData) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for _, run in data.results:
        told: dict[str, Any] = {
            **run.parameters,
            "threads": run.threads,
            **{key: value for key, value in run.conditions.items() if not key.endswith("_reason")},
        }
        for key, value in told.items():
            if key in _NOT_COMPARED:
                continue
            if key == "guest_processors" and value != "all":
                value = "kept on a few"  # on which, and on how many, follows from the work and the host
            if key == "network_path" and value in _BRIDGED:
                value = "port of the bridge"
            found.setdefault(key, Counter())[str(value)] += 1
    # A key that only some trials report is a change too.
    for seen in found.values():
        missing = len(data.results) - seen.total()
        if missing:
            seen["not reported"] += missing
    return found


def _reasons(data: TreatmentData) -> dict[str, str]:
    return {key: value for _, run in data.results for key, value in run.conditions.items() if key.endswith("_reason")}


def _words(seen: Mapping[str, int] | None) -> str:
    return " or ".join(sorted(seen)) if seen else ""


def _because(key: str, value: str, reasons: Mapping[str, str]) -> str:
    reason = reasons.get(f"{key}_reason", "")
    return f" ({reason})" if reason and value else ""
