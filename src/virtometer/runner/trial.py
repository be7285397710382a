"""One trial: prepare everywhere, wait for every ready, start, watch, compare clocks, score.

Nothing here may hang: every wait has a limit. A trial that fails becomes a record with its reason; only what the user
stops (KeyboardInterrupt) and faults of Virtometer itself pass through.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing

from virtometer.model import GuestKey, Trial, TrialRecord
from virtometer.programs import now
from virtometer.runner.host import Observer
from virtometer.runner.host_watch import HostWatch
from virtometer.runner.placement_run import PlacementRun
from virtometer.runner.running_guest import RunningGuest, served_port
from virtometer.runner.trial_steps import TrialFailed, TrialSteps, guests_of


class TrialRunner(TrialSteps):
    """Executes the trials of one campaign in guests that are already running."""

    def run(self, trial: Trial, running_guests: Mapping[GuestKey, RunningGuest]) -> TrialRecord:
        """Execute a trial. `running_guests` has a running guest for every one that the trial names."""
        started_at, begun = now(), time.monotonic()
        running: list[PlacementRun] = []
        try:
            for placement in trial.placements:
                running.append(self._admit(placement, running_guests[placement.guest_key], trial))
            self._place(running)
            services = [one for one in running if one.placement.role == "service"]
            working = [one for one in running if one.placement.role != "service"]
            peers = {one.placement.ordinal: self._serve(one) for one in services}
            for one in working:
                self._address(one, peers)
            with closing(self._watch(working, running_guests.values())) as watch:
                skew_ns, observer = self._execute(working, watch)
                self._end(services)
                host, marks, scored = self._score(working, observer)
        except TrialFailed as failed_by:
            return self._failed(trial, failed_by, running, started_at, time.monotonic() - begun)
        wall_s = time.monotonic() - begun
        runs = tuple(sorted([*scored, *(one.run() for one in services)], key=lambda run: run.placement.ordinal))
        return TrialRecord(trial, None, started_at, wall_s, skew_ns, host, marks, runs)

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
        """Stop what serves, after all that was measured."""
        for one in services:
            with self._guarded(one):
                one.running_guest.session.request("stop", {"run": one.state.run}, self._plan.limits.answer_s)
        self._wait(services, "done", self._plan.limits.answer_s, None)

    def _execute(self, running: Sequence[PlacementRun], watch: HostWatch) -> tuple[int, Observer]:
        """Barrier and window. Returns the skew of the starts in ns and the observer."""
        for running_guest in guests_of(running):
            running_guest.session.begin_run()
        for one in running:
            with self._guarded(one):
                one.clock.early()
                self._prepare(one, one.workload.agent_op(one.planned.op), one.planned.threads)
        self._wait(running, "ready", self._plan.limits.prepare_s, None)
        for one in running:
            with self._guarded(one):
                one.clock.before(one.seconds)
        observer = Observer([one.running_guest.guest.cpu_ns for one in running], watch)
        observer.tick()
        skew_ns = self._start(running)
        longest = max(one.seconds for one in running)
        self._wait(running, "done", longest + self._plan.limits.run_extra_s, observer)
        observer.tick()
        for one in running:
            with self._guarded(one):
                one.clock.after()
        return skew_ns, observer
