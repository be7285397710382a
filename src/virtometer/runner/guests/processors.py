"""Which processors guests work on, and which are left to the laboratory meanwhile. See docs/methods/placement.md."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.base import Guest, LabContext, Settings
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.processors import allowed, place, processor_list
from virtometer.model import GuestKey

ALL = "all"
"""What the condition says of a guest that may use every processor of the laboratory."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a guest works. `reason`: why not where it was to work; empty where it does."""

    processors: frozenset[int]
    among: frozenset[int]
    reason: str = ""

    @property
    def pinned(self) -> bool:
        """Whether it leaves processors to others."""
        return not self.processors >= self.among

    @property
    def conditions(self) -> dict[str, str]:
        """For the run."""
        found = {"guest_processors": processor_list(self.processors) if self.pinned else ALL}
        return found | ({"guest_processors_reason": self.reason} if self.reason else {})


@dataclass(frozen=True, slots=True)
class Share:
    """What guests that work at the same time need. None: as many as there are.

    count: intended number of processors of all their work. own: of one guest. before: those that the guests before it
    have, where each has its own.
    """

    count: int | None
    own: int | None
    before: int | None = 0


def shares(needs: Sequence[tuple[int | None, int]]) -> list[Share]:
    """The share of each guest, from the intended number of processors of its work and the least of its kind."""
    found = []
    before: int | None = 0
    work = [own for own, _ in needs if own is not None]
    total = sum(work) if len(work) == len(needs) else None
    for own, fewest in needs:
        found.append(Share(total, own, before))
        before = None if before is None or own is None else before + max(own, fewest)
    return found


def in_turn(measured: Collection[GuestKey], guests: Iterable[GuestKey], block: int) -> list[GuestKey]:
    """The guests in the order in which they get processors of their own: measured ones first, by number.

    The first one is another guest in each block, whatever the order in which they start: neither a guest nor its place
    in the order of starts stands for a processor.
    """
    ordered = sorted(measured)
    first = block % max(len(ordered), 1)
    return [*ordered[first:], *ordered[:first], *(one for one in guests if one not in measured)]


def chosen(settings: Settings, share: Share, among: Collection[int]) -> frozenset[int]:
    """The processors of a guest for its work.

    The highest numbers are taken: interrupts and the laboratory usually have the lowest.
    """
    if settings.own_processors is not None:
        return settings.own_processors
    if isinstance(settings.processors, tuple):
        return frozenset(settings.processors)
    downwards = sorted(among, reverse=True)
    if settings.processors == "apart" and share.own is not None and share.before is not None:
        count = min(max(share.own, settings.fewest_processors), len(downwards))
        return frozenset(downwards[(share.before + number) % len(downwards)] for number in range(count))
    needed_here = share.own if settings.processors == "shared" else share.count
    if settings.processors in ("all", "apart") or needed_here is None:
        return frozenset(among)
    return frozenset(downwards[: max(needed_here, settings.fewest_processors)])


def place_guest(guest: Guest, settings: Settings, share: Share, among: frozenset[int]) -> Placed:
    """Bind a guest for the next run. A guest that the host does not bind works all the same, and the run says so."""
    wanted = chosen(settings, share, among)
    if settings.own_processors is not None:  # the kernel binds it
        return Placed(wanted, among)
    try:
        guest.place(wanted)
    except EnvironmentFailed as cause:
        return Placed(among, among, cause.reason)
    return Placed(wanted, among)


@contextmanager
def laboratory_aside(resolved: ResolvedPlan, lab: LabContext) -> Iterator[None]:
    """Keep this process, and what it starts beside guests, off the processors on which guests work alone.

    Where nothing would be left for it, nothing moves.
    """
    taken: set[int] = set()
    for settings in resolved.settings.values():
        for work in resolved.works.values():
            own = chosen(settings, Share(work.processors, work.processors), lab.processors)
            taken |= own if not own >= lab.processors else set()
    before = allowed(os.getpid())
    rest = before - taken
    if not taken & before or not rest:
        yield
        return
    try:
        place(_this_process, rest)
        yield
    finally:
        place(_this_process, before)


def _this_process() -> list[int]:
    return [os.getpid()]
