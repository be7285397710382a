"""One trial: prepare everywhere, wait for every ready, start, watch, compare clocks, score.

Nothing here may hang: every wait has a limit. A trial that fails becomes a record with its reason; only what the user
stops (KeyboardInterrupt) and faults of Virtometer itself pass through.
"""

from __future__ import annotations

import select
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from virtometer.model import FailureKind, GuestKey, HostUse, Mark, Run, Trial, TrialRecord
from virtometer.programs import now
from virtometer.runner.execution.overlap import (
    ENOUGH,
    TimedRun,
    account_mark,
    load_marks,
    overlap,
    overlap_mark,
    repeated_mark,
    start_skew_ns,
    stretch,
)
from virtometer.runner.execution.placement_run import PlacementRun
from virtometer.runner.execution.trial_steps import TrialFailed, TrialSteps, guests_of
from virtometer.runner.guests.running import RunningGuest, served_port
from virtometer.runner.watch.foreign import HostWatch
from virtometer.runner.watch.host import Observer
from virtometer.runner.watch.network import NetworkWatch

_SETTLE_S = 0.1
"""How long loads work before what is measured starts."""


class TrialRunner(TrialSteps):
    """Executes the trials of one campaign in guests that are already running."""

    def run(self, trial: Trial, running_guests: Mapping[GuestKey, RunningGuest]) -> TrialRecord:
        """Execute a trial. `running_guests` has a running guest for every one that the trial names.

        Where several placements are measured and run together for too short a time, it is repeated once, longer.
        """
        started_at, begun = now(), time.monotonic()
        running: list[PlacementRun] = []
        repeated: tuple[Mark, ...] = ()
        try:
            done = self._attempt(trial, running_guests, running)
            if isinstance(done, Mark):
                repeated, running = (done,), []
                done = self._attempt(trial, running_guests, running, again=True)
            assert isinstance(done, _Done)
        except TrialFailed as failed_by:
            record = self._failed(trial, failed_by, running, started_at, time.monotonic() - begun)
            return replace(record, marks=repeated)
        marks = (*repeated, *done.marks)
        return TrialRecord(trial, None, started_at, time.monotonic() - begun, done.skew_ns, done.host, marks, done.runs)

    def _attempt(
        self,
        trial: Trial,
        running_guests: Mapping[GuestKey, RunningGuest],
        running: list[PlacementRun],
        *,
        again: bool = False,
    ) -> _Done | Mark:
        """Execute a trial once. A mark: it has to be repeated, and why. `running` is filled with its runs."""
        for placement in trial.placements:
            guest = running_guests[placement.guest_key].agent(placement.instance)
            running.append(self._admit(placement, guest, trial, again=again))
        self._place(running, trial.block)
        services = [one for one in running if one.placement.role == "service"]
        working = [one for one in running if one.placement.role != "service"]
        peers = {one.placement.ordinal: self._serve(one) for one in services}
        for one in working:
            self._address(one, peers)
        network = NetworkWatch([one.running_guest.guest.network for one in working] if self._several(trial) else ())
        with closing(network), closing(self._watch(working, running_guests.values())) as watch:
            late, observer = self._execute(working, services, watch, network, several=self._several(trial))
            self._end(services)
            timed = self._timed(working)
            several = len(trial.measured) > 1
            share = overlap(timed) if several else 1.0
            if share < ENOUGH and not again:
                return repeated_mark(share, "the window", "it was")
            try:
                host, marks, scored = self._scored_over(timed, observer)
            except TrialFailed as cause:
                if again or not several or cause.failure.kind is not FailureKind.SAMPLES:
                    raise
                # Iterations are as long as the stretch: in a longer one some lie within.
                return repeated_mark(share, "the window, without a whole iteration", "it was")
        window = stretch(timed)
        account = account_mark(scored, len(self._lab.processors), (window[1] - window[0]) * 1e-9)
        marks = (*marks, *([account] if account is not None else []))
        if len(working) > 1:
            marks = (*marks, *late, *self._marks_of_several(timed, scored, share))
        runs = tuple(sorted([*scored, *(one.run() for one in services)], key=lambda run: run.placement.ordinal))
        return _Done(start_skew_ns(timed) if several else 0, host, marks, runs)

    def _marks_of_several(self, timed: Sequence[TimedRun], scored: Sequence[Run], share: float) -> list[Mark]:
        """What is wrong with guests that worked at the same time."""
        found = overlap_mark(share, by_tool=any(run.by_tool for run in scored))
        return [*([found] if found is not None else []), *load_marks(timed, stretch(timed))]

    def _several(self, trial: Trial) -> bool:
        """Whether each processor of the host and its interfaces are watched."""
        return len(trial.placements) > 1 or self._plan.scenario(trial.scenario).type != "alone"

    def _serve(self, one: PlacementRun) -> str:
        """Start a service. Returns the address at which other guests reach it."""
        network = one.running_guest.guest.network
        assert network is not None
        one.parameters = {"listen": f"{network.guest_address}:0"}
        with self._guarded(one):
            one.running_guest.session.begin_run()
            self._prepare(one, "serve", threads=1)
        self._wait([one], "ready", self._plan.limits.prepare_s, None)
        with self._guarded(one):
            port = served_port(one.state.conditions)
        self._start([one])
        return f"{network.guest_address}:{port}"

    def _end(self, services: Sequence[PlacementRun]) -> None:
        """Stop what serves or loads, after all that was measured."""
        for one in services:
            if one.state.ended:
                continue
            with self._guarded(one):
                one.running_guest.session.request("stop", {"run": one.state.run}, self._plan.limits.answer_s)
        self._wait(services, "done", self._plan.limits.answer_s, None)

    def _execute(
        self,
        running: Sequence[PlacementRun],
        services: Sequence[PlacementRun],
        watch: HostWatch,
        network: NetworkWatch,
        *,
        several: bool,
    ) -> tuple[list[Mark], Observer]:
        """Barrier and window. Returns the marks of guests that began late, and the observer.

        Loads start before what is measured and are stopped after it. What is measured in several guests has set up its
        first iteration before that, and begins at a moment that is agreed.
        """
        measured = [one for one in running if one.measured]
        loads = [one for one in running if not one.measured]
        longest = max(one.seconds for one in measured)
        limit_s = longest + self._plan.limits.run_extra_s
        for one in loads:
            one.seconds = limit_s + _SETTLE_S
        serving = {id(one.running_guest) for one in services}
        for running_guest in guests_of(running):
            if id(running_guest) not in serving:
                running_guest.session.begin_run()
        self._make_ready(running, services)
        for one in running:
            with self._guarded(one):
                one.clock.before(one.seconds)
        guests = [one.running_guest for one in running]
        observer = Observer(
            [one.whole.cpu_ns for one in guests],
            watch,
            several=several,
            parts=[one.cpu_parts for one in guests],
            network=network,
        )
        together = [one for one in measured if one.state.together]
        self._start(together)
        self._wait(together, "window", self._plan.limits.prepare_s, None, services)
        if loads:
            self._start(loads)
            self._settle(loads, services)
        observer.tick()
        self._start([one for one in measured if not one.state.together])
        late = self._begin_together(together)
        self._wait(measured, "done", limit_s, observer, [*loads, *services])
        observer.tick()
        self._end(loads)
        for one in running:
            with self._guarded(one):
                one.clock.after()
        return late, observer

    def _make_ready(self, running: Sequence[PlacementRun], services: Sequence[PlacementRun]) -> None:
        """Prepare one after the other: work that is calibrated beside other work is calibrated wrongly."""
        for one in running:
            with self._guarded(one):
                one.clock.early()
                self._prepare(one, one.work.agent_op, one.work.threads)
            self._wait([one], "ready", self._plan.limits.prepare_s, None, services)

    def _settle(self, loads: Sequence[PlacementRun], services: Sequence[PlacementRun]) -> None:
        """Let loads work for a while."""
        until = time.monotonic() + _SETTLE_S
        while (left := until - time.monotonic()) > 0:
            select.select([guest.session for guest in guests_of(loads)], [], [], left)
            for one in loads:
                with self._guarded(one):
                    self._take(
                        one, [other for other in [*loads, *services] if other.running_guest is one.running_guest]
                    )
                self._refuse_fault(one)


@dataclass(frozen=True, slots=True)
class _Done:
    """What a trial measured, as in its record."""

    skew_ns: int
    host: HostUse | None
    marks: tuple[Mark, ...]
    runs: tuple[Run, ...]
