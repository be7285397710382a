"""Virtometer's own operations that stand for what a command does, and how often the command does each. PURE."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from virtometer.analysis.profile import calls
from virtometer.analysis.profile.counts import Counts

COMPUTING = "computing"
FAULTS = "page faults"
SWITCHES = "switches"
READING = "read"

_HALVES = 4.0
"""Calls of a round trip over TCP: two of each side."""


@dataclass(frozen=True, slots=True)
class Priced:
    """A class of what commands do, and the operation that says what one costs.

    op, parameters: of the workload `os`; of starts of programs there is none, because each command has been measured
    beside empty programs. count: how many, of a command; of computing they are seconds. most_s: no environment takes
    more for one; fewer than matter at this price are not measured. each: so many are in one operation. in_time: what is
    counted is time. on_file: the operation takes a file.
    """

    name: str
    op: str
    parameters: Mapping[str, Any]
    count: Callable[[Counts], float]
    most_s: float
    each: float = 1.0
    in_time: bool = False
    on_file: bool = False

    def workload(self, of: Counts) -> str:
        """The name of the workload that measures it; of reads there is one for each size."""
        return f"{READING} {of.read_size} B" if self.name == calls.READ else self.name

    def values(self, of: Counts, file: str) -> dict[str, Any]:
        """The parameters of the workload. file: that all environments have."""
        block = {"block": of.read_size} if self.name == calls.READ else {}
        return {**self.parameters, **block, **({"file": file} if self.on_file else {})}


def _of(name: str) -> Callable[[Counts], float]:
    return lambda counts: float(counts.classes.get(name, 0))


def _simple(of: Counts) -> float:
    """Calls without a class, those that wait, and those that no other operation has in it.

    A switch has a read and a write of a pipe in it.
    """
    with_others = max(of.classes.get(calls.CLOSE, 0) - of.classes.get(calls.OPEN, 0), 0)
    with_others += max(of.classes.get(calls.UNMAP, 0) - of.classes.get(calls.MAPPING, 0), 0)
    known = sum(of.classes.get(name, 0) for name in (calls.SIMPLE, calls.WAIT))
    return known + with_others + max(of.classes.get(calls.PIPE, 0) - 2 * _switches(of), 0.0)


def _forks(of: Counts) -> float:
    """Those that executed nothing. The command itself is started by its caller."""
    return float(max(of.classes.get(calls.FORK, 0) - max(of.classes.get(calls.PROCESS, 0) - 1, 0), 0))


def _faults(of: Counts) -> float:
    """Without those of starts and mappings, whose operations have them."""
    started = of.classes.get(calls.PROCESS, 0) * of.start_faults + of.classes.get(calls.MAPPING, 0)
    return float(max(of.minor_faults - started, 0))


def _switches(of: Counts) -> float:
    """Without those in round trips of the network, and without the waiting for processes that are started."""
    within = of.classes.get(calls.NETWORK, 0) / 2 + of.classes.get(calls.FORK, 0)
    return max(of.waits - within, 0.0)


PRICED: tuple[Priced, ...] = (
    Priced(COMPUTING, "procedure", {}, lambda counts: counts.user_s, 0.0, in_time=True),
    Priced(calls.SIMPLE, "system-call", {"call": "null"}, _simple, 1e-4),
    Priced(calls.METADATA, "system-call", {"call": "stat"}, _of(calls.METADATA), 3e-4, on_file=True),
    Priced(calls.DESCRIPTOR, "system-call", {"call": "fstat"}, _of(calls.DESCRIPTOR), 1e-4, on_file=True),
    Priced(calls.OPEN, "system-call", {"call": "open"}, _of(calls.OPEN), 1e-3, on_file=True),
    Priced(calls.READ, "file-reread", {"size": "64K"}, _of(calls.READ), 1e-3, on_file=True),
    Priced(calls.WRITE, "system-call", {"call": "write"}, _of(calls.WRITE), 1e-4),
    Priced(calls.MAPPING, "mmap", {"size": "4K"}, _of(calls.MAPPING), 1e-3),
    Priced(FAULTS, "page-fault", {}, _faults, 1e-4),
    Priced(calls.PROCESS, "", {}, _of(calls.PROCESS), 0.1),
    Priced(calls.FORK, "fork", {}, _forks, 0.05),
    Priced(SWITCHES, "context-switch", {}, _switches, 1e-3),
    Priced(calls.NETWORK, "tcp", {}, _of(calls.NETWORK), 1e-3, each=_HALVES),
)
"""All classes that have a price, in the order of tables."""

UNPRICED: tuple[str, ...] = (calls.SYNC, calls.THREAD)
"""Classes of system calls for which there is no operation."""

_MATTERS = 0.01  # of the time natively


def needed(counts: Iterable[Counts]) -> dict[str, tuple[Priced, Counts]]:
    """Workloads that could explain 1 % of the time of a command or more, by name, each with a command that needs it."""
    found: dict[str, tuple[Priced, Counts]] = {}
    for one in counts:
        for priced in PRICED:
            if priced.op and (priced.in_time or priced.count(one) * priced.most_s > _MATTERS * one.wall_s):
                found.setdefault(priced.workload(one), (priced, one))
    return found
