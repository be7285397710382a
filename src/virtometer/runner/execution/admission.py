"""Who may work, with what, on which processors, and who reads the host meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing

from virtometer.analysis.score.overlap import LONGER
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.base import LabContext
from virtometer.model import FailureKind, GuestKey, Placement, Trial
from virtometer.runner.execution.clock_monitor import ClockMonitor
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.placement_run import PlacementRun, guests_of
from virtometer.runner.execution.services import Services
from virtometer.runner.execution.state import RunState
from virtometer.runner.guests.processors import Placed, in_turn, shares
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch.foreign import HostWatch, SharedWatch
from virtometer.runner.watch.network import NetworkWatch
from virtometer.runner.watch.observer import Observer


class Admission:
    """Makes runs of placements, and gives each its processors."""

    def __init__(self, resolved: ResolvedPlan, lab: LabContext, services: Services) -> None:
        """`services`: whose processes on the host are the laboratory's own."""
        self._plan, self._works, self._lab, self._services = resolved.plan, resolved.works, lab, services
        self._probe_costs: dict[str, float] = {}

    def seconds(self, placement: Placement) -> float:
        """Of its planned window."""
        return self._works[placement.workload].seconds

    def admit(
        self, placement: Placement, running_guest: RunningGuest, trial: Trial, *, attempt: int = 1
    ) -> PlacementRun:
        """Refuse a placement that cannot run in its guest. attempt: above 1 where its trial is repeated, longer."""
        work, guest = self._works[placement.workload], running_guest.guest
        if placement.role == "load":
            work = work.as_load()
        if "disk" in work.needs and guest.disk is None:
            refusal = running_guest.lacks("disk")
        elif work.needs - {"disk"} and guest.network is None:
            refusal = running_guest.lacks("network")
        elif placement.role == "service" and not (guest.network is not None and guest.network.guest_address):
            refusal = f"{running_guest.environment.name} has no address that other guests reach"
        else:
            refusal = guest.refused_programs.get(work.workload.program, "")
        if refusal:
            raise TrialFailed(FailureKind.UNAVAILABLE, refusal, placement)
        host_timed = running_guest.timing == "laboratory" and placement.role != "service"
        session, limits, costs = running_guest.session, self._plan.limits, self._probe_costs
        monitor = ClockMonitor(session, limits, guest.cpu_ns, costs, host_timed=host_timed)
        name = f"t{trial.index}-{placement.ordinal}{f'-{attempt}' if attempt > 1 else ''}"
        in_group = placement.role == "measured" and len(trial.measured) > 1 and trial.turns is None and not host_timed
        state = RunState(name, host_timed=host_timed, in_slices=trial.turns is not None, in_group=in_group)
        return PlacementRun(placement, running_guest, work, state, monitor, work.seconds * LONGER ** (attempt - 1))

    def place(self, running: Sequence[PlacementRun], block: int) -> None:
        """Bind the guests to processors: those that work at the same time share the intended number of all their work.

        A service counts as work: it has its guest's processors. Where each guest has processors of its own, those that
        are measured have them in turn: the next ones in the next block.
        """
        guests = {one.placement.guest_key: one.running_guest for one in running}
        order = in_turn({one.placement.guest_key for one in running if one.measured}, guests, block)
        fewest = {key: guests[key].fewest_processors for key in order}
        needs: list[tuple[int | None, int]] = []
        for key, least in fewest.items():
            counts = [one.work.processors for one in running if one.placement.guest_key == key]
            needs.append((None if None in counts else sum(one or 0 for one in counts), least))
        of_guest = dict(zip(fewest, shares(needs), strict=True))
        placed: dict[int, Placed] = {}
        for one in running:
            guest = one.running_guest
            if id(guest) not in placed:
                placed[id(guest)] = guest.place(of_guest[one.placement.guest_key], self._lab)
            one.placed, one.beside = placed[id(guest)], len(guests)

    def observer(
        self,
        trial: Trial,
        running: Sequence[PlacementRun],
        living: Iterable[RunningGuest],
        stack: ExitStack,
        serving: Sequence[PlacementRun] = (),
        watches: dict[GuestKey, HostWatch] | None = None,
    ) -> Observer:
        """What reads the counters of the host while these work and the other guests that live are silent.

        `stack` closes its files. Each processor and the interfaces are read where several may work. serving: services,
        whose guests have accounts behind those of `running`. watches: those of single guests, which several trials of
        a guest share; what is missing is added.
        """
        several = self.several(trial)
        of = [one.running_guest for one in (*running, *serving)]
        paths = [one.guest.network for one in of] if several else ()
        network = stack.enter_context(closing(NetworkWatch(paths)))
        key = running[0].placement.guest_key if len(running) == 1 and watches is not None else None
        watch = None if watches is None or key is None else watches.get(key)
        if watch is None:
            watch = stack.enter_context(closing(self._watch(running, living, shared=key is not None)))
        if watches is not None and key is not None:
            watches[key] = watch
        return Observer(
            [one.whole.cpu_ns for one in of],
            watch,
            continuous=trial.turns is None,
            several=several,
            parts=[one.cpu_parts for one in of],
            network=network,
        )

    def _watch(self, running: Sequence[PlacementRun], living: Iterable[RunningGuest], *, shared: bool) -> HostWatch:
        guests = list({id(one): one for one in (*living, *guests_of(running))}.values())
        placed = [one.placed for one in running if one.placed is not None]
        return (SharedWatch if shared else HostWatch)(
            [one.guest for one in guests_of(running)],
            [one.guest for one in guests],
            self._services.processes,
            frozenset[int]().union(*(one.processors for one in placed)),
            pinned=all(one.pinned for one in placed),
        )

    def several(self, trial: Trial) -> bool:
        """Whether each processor of the host and its interfaces are watched."""
        return len(trial.placements) > 1 or self._plan.scenario(trial.scenario).type != "alone"
