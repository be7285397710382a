"""What the analysis of groups reads of a trial: its guests, what each reached, and what the host did."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from virtometer.model import Better, GuestUse, HostUse, Role

Shape: TypeAlias = tuple[tuple[tuple[str, str, str], ...], tuple[tuple[str, str], ...], int]
"""Role, environment and workload of all placements, sorted; who exchanges data with whom; the number of guests."""


@dataclass(frozen=True, slots=True)
class Member:
    """One placement of a trial. `guest` names it within the trial, the same in all blocks.

    rate: work per host second over the scored stretch, in `rate_unit`; None where nothing can be used. value: as it is
    compared, in `unit`. latency: `value` is no inverse of the rate, but how long operations took at a given rate.
    host_cpu_s: CPU seconds that the host spent on the whole guest; None where unknown. processors: how many its work
    can use at once; vcpus: of its guest, 0 where unknown. on: numbers of the host's processors that it may use; None:
    all. order: its place in the order of the starts, from 0. instance: the guest that it is in, where several members
    share one; they share its CPU time too. use: what that CPU time was spent for. measures: what its run reported
    beside the value, in host time: unit and number by name.
    """

    guest: str
    environment: str
    workload: str
    role: Role
    rate: float | None
    value: float | None
    unit: str
    better: Better
    host_cpu_s: float | None = None
    processors: float = 1.0
    on: frozenset[int] | None = None
    order: int = 0
    instance: str = ""
    vcpus: float = 0.0
    rate_unit: str = ""
    latency: bool = False
    use: GuestUse | None = None
    measures: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    @property
    def whose(self) -> str:
        """The guest whose CPU time this is: copies of work in one guest share it."""
        return self.instance or self.guest

    @property
    def speed(self) -> float | None:
        """The value turned so that more is better; None where there is none."""
        if self.value is None or self.value <= 0:
            return None
        return self.value if self.better == "higher" else 1 / self.value


@dataclass(frozen=True, slots=True)
class GroupTrial:
    """One finished trial. `window_s` is what its accounts of CPU time are over; `cpus`: of the host.

    overlap_s: the stretch in which all measured members worked; None where that is unknown. In one window both are the
    same; of several windows in turn accounts begin before all work and end after it.

    allowed: how many of these the laboratory and its guests may use, 0 where unknown.

    repeated: whether its windows are longer than planned, because its guests had hardly run at the same time before.

    skew_ns: between the first and the last begin of a window; skew_bound_ns: of its error, for the clocks.

    services: names of members, with the guest that each exchanges data with; addresses: with the address it uses.
    servers: those guests, with their accounts alone; none where they have none.
    """

    index: int
    block: int
    scenario: str
    type: str
    members: tuple[Member, ...]
    window_s: float
    overlap_s: float | None = None
    skew_ns: int = 0
    skew_bound_ns: int = 0
    host: HostUse | None = None
    cpus: int = 0
    allowed: int = 0
    services: tuple[tuple[str, str], ...] = ()
    addresses: tuple[tuple[str, str], ...] = ()
    repeated: bool = False
    servers: tuple[Member, ...] = ()

    @property
    def measured(self) -> tuple[Member, ...]:
        """The members whose value counts."""
        return tuple(member for member in self.members if member.role == "measured")

    @property
    def loads(self) -> tuple[Member, ...]:
        """The members that only work beside the measured ones."""
        return tuple(member for member in self.members if member.role == "load")

    @property
    def guests(self) -> int:
        """How many guests worked, services too; copies of work in one guest count one each."""
        return self.shape[2]

    @property
    def single(self) -> bool:
        """Whether one member worked, with nobody beside it."""
        return len(self.members) == 1 and not self.services and self.members[0].role == "measured"

    def of(self, workload: str) -> tuple[Member, ...]:
        """The measured members of one workload."""
        return tuple(member for member in self.measured if member.workload == workload)

    @property
    def shape(self) -> Shape:
        """What trials of different blocks have in common that are one group."""
        return shape_of(((one.role, one.environment, one.workload, one.guest) for one in self.members), self.services)

    @property
    def demanded(self) -> float:
        """How many processors the work of all members can use at once: in each guest no more than its own."""
        wanted: defaultdict[str, float] = defaultdict(float)
        own: dict[str, float] = {}
        for member in self.members:
            wanted[member.whose] += member.processors
            own[member.whose] = member.vcpus
        return sum(min(count, own[guest] or count) for guest, count in wanted.items())

    @property
    def offered(self) -> int:
        """Number of the host's processors that its guests may use in total; all where one of them is not bound."""
        sets = [member.on for member in self.members]
        bound = frozenset[int]().union(*(one for one in sets if one is not None))
        return (self.allowed or self.cpus) if not bound or None in sets else len(bound)

    def portion(self, member: Member) -> float:
        """The part of the processors for which its work is made that a member has where all share them fairly.

        1 where there are enough, of the guest's and of the host's.
        """
        wanted = sum(one.processors for one in self.members if one.whose == member.whose)
        within = min(1.0, member.vcpus / wanted) if member.vcpus and wanted else 1.0
        return within * (min(1.0, self.offered / self.demanded) if self.offered and self.demanded else 1.0)


def cpu_s(members: Iterable[Member]) -> float | None:
    """CPU seconds of the guests of these, each guest once; None where the account of one is missing."""
    found = {one.whose: one.host_cpu_s for one in members}
    known = [used for used in found.values() if used is not None]
    return math.fsum(known) if len(known) == len(found) else None


def shape_of(placements: Iterable[tuple[str, str, str, str]], services: Iterable[tuple[str, str]] = ()) -> Shape:
    """From role, environment, workload and guest of each placement, and the pairs that exchange data."""
    found, pairs = list(placements), tuple(sorted(services))
    guests = {place[3] for place in found} | {target for _, target in pairs}
    return tuple(sorted(place[:3] for place in found)), pairs, len(guests)
