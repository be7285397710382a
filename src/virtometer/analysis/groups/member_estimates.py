"""What is concluded about one guest of a group, and what its CPU time was spent for."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from virtometer.analysis.groups.further import Measures
from virtometer.analysis.groups.members import GroupTrial, Member
from virtometer.model import Estimate, Quantity

CPU_PARTS = ("code", "vmm", "kernel")
"""What the CPU time of a guest is spent for, as GuestUse has it."""


@dataclass(frozen=True, slots=True)
class MemberEstimate:
    """One guest of a group. The intervals of shares and slowdowns of all guests hold jointly.

    share: of the sum of the measured guests. slowdown: how many times slower than alone.
    host_cpu_s: median over the trials; processors: the same as a number of processors that worked for it. cpu_s: what
    it was spent for, by the names of CPU_PARTS, user and system, medians too; None where unknown, and `cpu_unknown`
    says why. received, sent: bytes per second of the guest's interface; dropped: packets in all trials.
    of: the guest that it works in. Where several members work in one guest, the use of that guest is reported with the
    first alone, so that sums count it once. measures: further ones, by name.
    """

    guest: str
    role: str
    workload: str
    value: Quantity[Estimate | None]
    share: Estimate | None
    slowdown: Estimate | None
    host_cpu_s: float | None
    processors: float | None
    cpu_s: Mapping[str, float | None] = field(default_factory=dict)
    cpu_unknown: str = ""
    received: float | None = None
    sent: float | None = None
    dropped: int | None = None
    of: str = ""
    measures: Measures = field(default_factory=dict)


class Spent(TypedDict):
    """Fields of MemberEstimate that are made of GuestUse."""

    cpu_s: Mapping[str, float | None]
    cpu_unknown: str
    received: float | None
    sent: float | None
    dropped: int | None


def spent(of: Sequence[tuple[GroupTrial, Member]]) -> Spent:
    """Medians over the trials; None for what is unknown in one of them."""
    uses = [(trial.window_s, one.use) for trial, one in of]
    known = [(window_s, use) for window_s, use in uses if use is not None]
    whole = len(known) == len(uses)

    def median(numbers: Sequence[float | None]) -> float | None:
        found = [number for number in numbers if number is not None]
        return statistics.median(found) if whole and found and len(found) == len(numbers) else None

    traffic = [(window_s, use.traffic) for window_s, use in known if use.traffic is not None and window_s > 0]
    complete = whole and bool(traffic) and len(traffic) == len(known)
    return {
        "cpu_s": {name: median([getattr(use, name) for _, use in known]) for name in (*CPU_PARTS, "user", "system")},
        "cpu_unknown": "; ".join(dict.fromkeys(use.unknown for _, use in known if use.unknown)),
        "received": median([one.received_bytes / s for s, one in traffic]) if complete else None,
        "sent": median([one.sent_bytes / s for s, one in traffic]) if complete else None,
        "dropped": sum(one.received_dropped + one.sent_dropped for _, one in traffic) if complete else None,
    }
