"""Which workloads of a plan Iometer has too, as its access specifications, and why it lacks the others. PURE.

Source: Iometer User's Guide, 2003-12-16, chapter "Access Specifications tab".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from virtometer.model import Plan, PlanWorkload, parse_size
from virtometer.workloads.registry import WORKLOADS

DISK = "disk"
SECTOR = 512
"""Bytes."""
MOST_WORKERS = 128
"""Of one manager."""
IDLE = "Idle"
"""The specification of Iometer itself by which a worker has nothing to do."""

_TOO_MANY = f"Iometer has at most {MOST_WORKERS} workers of one manager"
_LONGEST_NAME = 100
_UNSAID = ("pages", "seed", "verify")
"""Parameters that Iometer lacks, and without which its requests are the same."""


@dataclass(frozen=True, slots=True)
class AccessLine:
    """One size of requests. share, reads, random: percent; shares of a specification add up to 100.

    size, align: bytes. delay: ms after each burst. burst: requests.
    """

    size: int
    share: int
    reads: int
    random: int
    delay: int
    burst: int
    align: int


@dataclass(frozen=True, slots=True)
class AccessSpecification:
    """One workload. name: as Iometer can keep it, other than all others. depth: requests at once of each worker.

    sectors: of the disk that are used. workers: threads. seconds: of the window here.
    """

    name: str
    lines: tuple[AccessLine, ...]
    depth: int
    sectors: int
    workers: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Translated:
    """What of a plan Iometer has.

    unsaid: given parameters that Iometer lacks, and left_out: the reason, without the end of its sentence. Both by the
    names of workloads.
    """

    specifications: tuple[AccessSpecification, ...]
    unsaid: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]


def translated(plan: Plan) -> Translated:
    """The access specifications of a plan, and the workloads that Iometer lacks."""
    found: list[AccessSpecification] = []
    unsaid: dict[str, tuple[str, ...]] = {}
    left_out: dict[str, str] = {}
    for one in plan.workloads:
        values = _values(one)
        reason = _not_in_iometer(one, values)
        if reason:
            left_out[one.name] = reason
            continue
        specification = _specification(one, values, plan, [other.name for other in found])
        if sum(workers([*found, specification]).values()) > MOST_WORKERS:
            left_out[one.name] = _TOO_MANY
            continue
        found.append(specification)
        if without := tuple(name for name in _UNSAID if name in one.parameters):
            unsaid[one.name] = without
    return Translated(tuple(found), unsaid, left_out)


def workers(specifications: Sequence[AccessSpecification]) -> dict[tuple[int, int], int]:
    """How many workers there are with each pair of depth and sectors: Iometer has both for a worker, not for a test."""
    needed: dict[tuple[int, int], int] = {}
    for one in specifications:
        settings = (one.depth, one.sectors)
        needed[settings] = max(needed.get(settings, 0), one.workers)
    return needed


def _values(workload: PlanWorkload) -> dict[str, Any]:
    """All parameters of a disk workload, the agent's defaults included; empty for other workloads."""
    if workload.workload != DISK:
        return {}
    known = WORKLOADS[DISK]
    given = known.parameters.model_validate(workload.parameters).model_dump(exclude_none=True)
    return {**{name: one.default for name, one in known.takes(workload.op).items()}, **given}


def _not_in_iometer(workload: PlanWorkload, values: Mapping[str, Any]) -> str:
    """Why Iometer cannot make these requests; empty where it can."""
    if "think" not in values:  # operations that follow an access specification alone have pauses
        return "Iometer has nothing but single requests to a disk"
    if not values["direct"]:
        return "Iometer always passes the page cache"
    if values.get("sync", "none") != "none":
        return f"Iometer has no sync: {values['sync']}"
    if values["think"] % 1000:
        return f"Iometer has pauses of whole ms, and think is {values['think']} us"
    for line in _lines(workload.op, values):
        for name, number in (("size", line.size), ("align", line.align)):
            if number % SECTOR:
                return f"Iometer has whole sectors of {SECTOR} bytes, and {name} is {number}"
    return ""


def _specification(
    workload: PlanWorkload, values: Mapping[str, Any], plan: Plan, others: Sequence[str]
) -> AccessSpecification:
    return AccessSpecification(
        name=_name(workload.name, others),
        lines=tuple(line for line in _lines(workload.op, values) if line.share),
        depth=values["depth"],
        sectors=(values["span"] or plan.disk_span) // SECTOR,
        workers=workload.threads,
        seconds=workload.seconds or plan.seconds,
    )


def _lines(op: str, values: Mapping[str, Any]) -> Iterator[AccessLine]:
    """A line for each size, as the agent reads `mix`: what a part does not say is as for the whole operation."""
    order, _, direction = op.partition("-")
    plain = AccessLine(
        size=values["size"],
        share=100,
        reads=values["read"] if op == "access" else 100 * (direction == "read"),
        random=values["random"] if op == "access" else 100 * (order == "random"),
        delay=values["think"] // 1000,
        # Without pauses bursts mean nothing.
        burst=values["burst"] if values["think"] else 1,
        align=values["align"],
    )
    for part in (values.get("mix") or "").split(","):
        line = replace(plain, **dict(_part(part)))
        # Where 0 stands for the size of a block here, it stands for a sector there.
        yield replace(line, align=line.align or line.size)


def _part(part: str) -> Iterator[tuple[str, int]]:
    """Fields of a part of a mix, which was found right."""
    for word in part.split():
        name, sign, text = word.rpartition("=")
        number = parse_size(text)
        assert isinstance(number, int)
        yield ({"read": "reads"}.get(name, name) if sign else "size"), number


def _name(name: str, others: Sequence[str]) -> str:
    """A name in the characters of Iometer. No other one has it, and Iometer does not tell small letters from large."""
    plain = iometer_text(name)
    taken = {one.casefold() for one in (*others, IDLE)}
    number = 1
    found = plain
    while found.casefold() in taken:
        number += 1
        ending = f" ({number})"
        found = plain[: _LONGEST_NAME - len(ending)].rstrip() + ending
    return found


def iometer_text(text: str) -> str:
    """Text as Iometer keeps it in its configuration and in its results: ASCII, no commas, at most 100 characters."""
    plain = text.replace("µ", "u").replace("μ", "u").encode("ascii", "backslashreplace").decode()
    one_line = " ".join(plain.split())
    return one_line.translate(str.maketrans(',|"', ";/'"))[:_LONGEST_NAME].rstrip()
