"""Which processors guests work on, and which are left to the laboratory meanwhile. METHODOLOGY: "Placement"."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from virtometer.environments.base import Guest, LabContext, Settings
from virtometer.environments.processors import allowed, place, processor_list
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed
from virtometer.model import Plan, PlanWorkload
from virtometer.workloads.registry import WORKLOADS

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


def needed(workload: PlanWorkload) -> int | None:
    """How many processors a workload of a plan is made for; None: as many as there are."""
    one = WORKLOADS[workload.workload]
    return one.processors(workload.op, one.parameters.model_validate(workload.parameters), workload.threads)


def chosen(settings: Settings, count: int | None, among: Collection[int]) -> frozenset[int]:
    """The processors of a guest for work that is made for `count` of them; None: for all.

    The highest numbers are taken: interrupts and the laboratory usually have the lowest.
    """
    if settings.own_processors is not None:
        return settings.own_processors
    if isinstance(settings.processors, tuple):
        return frozenset(settings.processors)
    if settings.processors == "all" or count is None:
        return frozenset(among)
    return frozenset(sorted(among)[-max(count, settings.fewest_processors) :])


def place_guest(guest: Guest, settings: Settings, count: int | None, among: frozenset[int]) -> Placed:
    """Bind a guest for the next run. A guest that the host does not bind works all the same, and the run says so."""
    wanted = chosen(settings, count, among)
    if settings.own_processors is not None:  # the kernel binds it
        return Placed(wanted, among)
    try:
        guest.place(wanted)
    except EnvironmentFailed as cause:
        return Placed(among, among, cause.reason)
    return Placed(wanted, among)


@contextmanager
def laboratory_aside(plan: Plan, lab: LabContext) -> Iterator[None]:
    """Keep this process, and what it starts beside guests, off the processors on which guests work alone.

    Where nothing would be left for it, nothing moves.
    """
    taken: set[int] = set()
    for environment in plan.environments:
        settings = KINDS[environment.kind].settings_type.model_validate(environment.settings)
        for workload in plan.workloads:
            own = chosen(settings, needed(workload), lab.processors)
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
