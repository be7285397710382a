"""Executes trials: makes guests ready, releases the windows that a policy names, waits, and records what came of it.

A trial that fails becomes a record with its reason; only what the user stops (KeyboardInterrupt) and faults of
Virtometer itself pass through.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

from virtometer.analysis.score.overlap import (
    ENOUGH,
    TimedRun,
    attempts,
    load_marks,
    overlap,
    overlap_mark,
    repeated_mark,
    start_skew_ns,
    stretch,
    whole_mark,
)
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.counted_runs import runs_in_block
from virtometer.design.schedule.start_order import started_in_order
from virtometer.environments.base import LabContext
from virtometer.model import ClockFit, FailureKind, GuestKey, Mark, Placement, Trial, TrialRecord
from virtometer.programs import now
from virtometer.runner.execution.admission import Admission
from virtometer.runner.execution.conversation import Conversation, failing, guarded, refuse_clock
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.party import RunKey, Scored, TrialParty, run_key
from virtometer.runner.execution.placement_run import PlacementRun, guests_of
from virtometer.runner.execution.policies import Growing, Turns, Window, WindowAccount, continuous
from virtometer.runner.execution.services import Services
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch.foreign import HostWatch
from virtometer.runner.watch.observer import Observer

_SETTLE_S = 0.1
"""How long loads work before what is measured starts."""

RunningGuests = Mapping[GuestKey, RunningGuest]


class Executor:
    """Executes the trials of one campaign in guests that are already running."""

    def __init__(self, resolved: ResolvedPlan, lab: LabContext, records: Sequence[TrialRecord] = ()) -> None:
        """`records`: of trials that are done.

        What was found out in them of windows in turn is not found out again.
        """
        plan = resolved.plan
        self._plan, self._lab = plan, lab
        self._agents = Conversation(plan.limits, plan.slice_s)
        self._services = Services(lab, self._agents, plan.limits)
        self._admission = Admission(resolved, lab, self._services)
        # Whether long windows count: by whether guests work at the same time, and workload; then by environment.
        self._known: defaultdict[tuple[bool, str], dict[str, bool]] = defaultdict(dict)
        for record in records:
            for run in record.scored:
                if run.in_slices:
                    known = self._known[self._admission.several(record.trial), run.placement.workload]
                    known[run.placement.environment] = run.in_long_windows

    def run(self, trials: Sequence[Trial], guests: RunningGuests, seed: int = 0) -> list[TrialRecord]:
        """Execute one trial, or those with the same `turns`. The records are in their order.

        `guests` has a running guest for every one that the trials name. seed: of the order of windows in turn, and of
        their lengths. A trial has no record where the failure of another one has ended its guest: it is to be executed
        again, in a new guest.
        """
        if trials[0].turns is None:
            return [self._in_a_window(trial, guests) for trial in trials]
        return self._in_turn(trials, guests, seed)

    def _admitted(self, trial: Trial) -> TrialParty:
        seconds = max(map(self._admission.seconds, trial.measured))
        several = self._admission.several(trial)
        return TrialParty(trial, seconds, self._plan, len(self._lab.processors), several=several)

    # Windows in turn: a guest has one run for all its windows, and a failure ends the trials of that guest alone.

    def _in_turn(self, trials: Sequence[Trial], guests: RunningGuests, seed: int) -> list[TrialRecord]:
        started_at, begun = now(), time.monotonic()
        members: dict[RunKey, PlacementRun] = {}
        refused: dict[RunKey, TrialFailed] = {}
        first = {run_key(one): trial for trial in reversed(trials) for one in trial.placements}
        workloads = Counter(guest for guest, _ in first)
        for guest in started_in_order(trial.placements for trial in trials):
            for key in (one for one in first if one[0] == guest):
                placement = Placement(guest.environment, key[1], guest=guest.number)
                try:
                    members[key] = self._admission.admit(placement, guests[guest], first[key])
                except TrialFailed as refusal:
                    refused[key] = refusal
                    continue
                self._each([members[key]], partial(self._make_ready, count=workloads[guest]))
        with ExitStack() as stack:
            watches: dict[GuestKey, HostWatch] = {}
            parties = {trial.index: self._party(trial, members, refused, guests, stack, watches) for trial in trials}
            self._execute(list(members.values()), list(parties.values()), seed)
            rest_s = time.monotonic() - begun - sum(party.took_s for party in parties.values())
            clocks: dict[RunKey, ClockFit] = {}
            ended = [party for party in parties.values() if not party.lost]  # a fault of a record ends no other run
            return [self._record(party, started_at, party.took_s + rest_s / len(trials), clocks) for party in ended]

    def _make_ready(self, one: PlacementRun, count: int) -> None:
        """count: of runs that its guest keeps ready."""
        self._admission.place([one], 0)
        self._services.address(one, {})
        one.session.begin_run(count)
        self._agents.prepare(one)

    def _party(
        self,
        trial: Trial,
        members: Mapping[RunKey, PlacementRun],
        refused: Mapping[RunKey, TrialFailed],
        guests: RunningGuests,
        stack: ExitStack,
        watches: dict[GuestKey, HostWatch],
    ) -> TrialParty:
        party = self._admitted(trial)
        party.members = [members[key] for key in map(run_key, trial.placements) if key in members]
        for placement in trial.placements:
            if (refusal := refused.get(run_key(placement))) is not None and party.refusal is None:
                party.refusal = refusal.of(placement)
        if not party.failed:
            self._place_together(party)
            party.placed = [one.placed for one in party.members]
            party.observer = self._admission.observer(
                trial, party.members, guests.values(), stack, watches=None if party.several else watches
            )
        return party

    def _place_together(self, party: TrialParty) -> None:
        """Bind guests for work with as many others, where they were not."""
        if any(one.beside != party.size for one in party.members):
            self._admission.place(party.members, party.trial.block)

    def _execute(self, members: Sequence[PlacementRun], parties: Sequence[TrialParty], seed: int) -> None:
        longest_s = sum(party.seconds for party in parties)
        limits = self._plan.limits
        self._each(members, lambda one: one.clock.before(longest_s))
        self._each(members, lambda one: self._start(one, limits.answer_s))
        several, workload = parties[0].several, parties[0].trial.placements[0].workload
        known = self._known[several, workload]
        if members[0].work.anew:  # and so is that of others which take turns with it
            known.update({party.environment: False for party in parties})
        policy = (Growing if several else Turns)(parties, self._plan, known, seed)
        by_trial = {party.trial.index: party for party in parties}
        for window in policy.windows():
            self._release(by_trial[window.trial], window)
        self._each(members, lambda one: self._agents.stop([one], limits.run_extra_s + one.work.longest_s))
        self._each(members, lambda one: one.clock.after())
        done = {(party.environment, party.size) for party in parties if not party.failed}
        for party in parties:
            if party.failed and party.refusal is None and (party.environment, party.size) not in done:
                known.pop(party.environment, None)  # nothing is known of its speed

    def _start(self, one: PlacementRun, limit_s: float) -> None:
        """And wait until its first slice waits: another run of its guest is not listened to meanwhile."""
        self._agents.start([one])
        self._agents.wait([one], "slice", limit_s)

    def _each(self, members: Sequence[PlacementRun], step: Callable[[PlacementRun], None]) -> None:
        """A step of every run that has not failed, in a guest that lives."""
        for one in members:
            if one.failure is None and not one.lost:
                with failing(one), guarded(one):
                    step(one)

    def _release(self, party: TrialParty, window: Window) -> None:
        """Let the guests of a trial work for a window, and account for it."""
        begun, observer, members = time.monotonic(), party.observer, party.members
        self._place_together(party)
        self._each(members, lambda one: one.clock.ping_at_rest())
        observer.begin(window.number, long=window.long)
        if not party.failed:
            self._agents.release([members[at] for at in window.order], window.slice, window.seconds)
            limit_s = window.seconds * len(members) + self._plan.limits.run_extra_s + _longest_s(members)
            middle = (time.monotonic() + window.seconds / 2, observer) if party.several else None
            self._agents.wait(members, "slice", limit_s, counting=middle, alone=True)
            observer.end()
            samples = tuple(one.state.samples[one.state.since :] for one in members)
            party.add(WindowAccount(window, samples, time.monotonic() - begun))
        party.took_s += time.monotonic() - begun

    def _record(self, party: TrialParty, started_at: str, wall_s: float, clocks: dict[RunKey, ClockFit]) -> TrialRecord:
        running: list[PlacementRun] = []
        known = self._known[party.several, party.trial.placements[0].workload]
        try:
            if party.refusal is not None:
                raise party.refusal
            running = party.own()
            for one in running:
                if one.failure is not None:
                    raise one.failure.of(one.placement)
            found = party.scored_windows(running, clocks, long=known.get(party.environment, False))
        except TrialFailed as cause:
            return party.failed_by(cause, running, started_at, wall_s)
        return party.done(found, started_at, wall_s)

    # A window of its own: each attempt has runs of its own, and a failure ends the trial.

    def _in_a_window(self, trial: Trial, guests: RunningGuests) -> TrialRecord:
        """Execute a trial whose guests work continuously."""
        started_at, begun = now(), time.monotonic()
        party = self._admitted(trial)
        found: Scored | None = None
        try:
            for window in continuous(party):
                party.members = []
                found = self._attempt(party, window, guests)
        except TrialFailed as cause:
            self._agents.clean_up(party.members, self._plan.limits.run_extra_s + _longest_s(party.members))
            for one in party.members:
                left = len(party.members) > 1 and not one.state.ended  # it works on, or holds what it has prepared
                one.running_guest.broken |= left or one.placement.role == "service"
            return party.failed_by(cause, party.members, started_at, time.monotonic() - begun)
        assert found is not None
        return party.done(found, started_at, time.monotonic() - begun)

    def _attempt(self, party: TrialParty, window: Window, guests: RunningGuests) -> Scored | None:
        """Prepare everywhere, wait for every ready, start, watch, compare clocks, score.

        None: its guests hardly worked at the same time, and it is repeated.
        """
        trial, last = party.trial, window.number == attempts(party.seconds)
        for placement in trial.placements:
            guest = guests[placement.guest_key].agent(placement.instance)
            party.members.append(self._admission.admit(placement, guest, trial, attempt=window.number))
        self._admission.place(party.members, trial.block)
        services = [one for one in party.members if one.placement.role == "service"]
        working = [one for one in party.members if one.placement.role != "service"]
        servers = self._services.serve(services)
        for one in working:
            self._services.address(one, servers)
            runs = runs_in_block(self._plan, one.placement.workload, trial.block)
            if runs is not None:
                one.parameters = {**one.parameters, "runs": runs}
        with ExitStack() as stack:
            party.observer = self._admission.observer(trial, working, guests.values(), stack, services)
            late = self._work(working, services, party.observer)
            for server in servers.values():
                server.stop()
            timed = [_timed(one) for one in working]
            several = len(trial.measured) > 1
            share = overlap(timed) if several else 1.0
            if share < ENOUGH and not last:
                party.repeated = repeated_mark(share, "the window", "it was", window.number)
                return None
            shared = stretch(timed)
            try:
                found = party.scored(working, timed, shared, (shared[1] - shared[0]) * 1e-9)
            except TrialFailed as cause:
                if last or not several or cause.failure.kind is not FailureKind.SAMPLES:
                    raise
                # Iterations are as long as the stretch: in a longer one some lie within.
                whole = "the window, without a whole iteration"
                party.repeated = repeated_mark(share, whole, "it was", window.number)
                return None
        if len(working) > 1:
            mark = overlap_mark(share, by_tool=any(run.by_tool for run in found.runs))
            once = None if mark is not None else whole_mark(timed)
            found.marks += [*late, *(one for one in (mark, once) if one is not None), *load_marks(timed, shared)]
        found.skew_ns = start_skew_ns(timed) if several else 0
        found.runs += party.served(services, len(working), shared)
        return found

    def _work(
        self, running: Sequence[PlacementRun], services: Sequence[PlacementRun], observer: Observer
    ) -> list[Mark]:
        """Barrier and window. Returns the marks of guests that began late.

        Loads start before the measured work and are stopped after it. Measured guests of a group have set up their
        first iteration before that, and begin at a moment that is agreed.
        """
        limits, agents = self._plan.limits, self._agents
        measured = [one for one in running if one.measured]
        loads = [one for one in running if not one.measured]
        limit_s = max(one.seconds for one in measured) + limits.run_extra_s + _longest_s(measured)
        for one in loads:
            one.seconds = limit_s + _SETTLE_S
        serving = guests_of(services)
        for running_guest in guests_of(running):
            if running_guest not in serving:
                running_guest.session.begin_run()
        for one in running:
            agents.prepare(one, services)
        for one in running:
            with guarded(one):
                one.clock.before(one.seconds)
        group = [one for one in measured if one.state.in_group]
        agents.start(group)
        agents.wait(group, "window", limits.prepare_s + _longest_s(group), beside=services)
        if loads:
            agents.start(loads)
            agents.settle(loads, services, _SETTLE_S)
        observer.begin()
        agents.start([one for one in measured if not one.state.in_group])
        late = agents.begin_group(group, observer)
        agents.wait(measured, "done", limit_s, beside=[*loads, *services], watching=observer)
        observer.end()
        agents.stop(loads, limits.answer_s)
        for one in running:
            with guarded(one):
                one.clock.after()
        return late


def _longest_s(running: Sequence[PlacementRun]) -> float:
    """What one iteration of these, or all that are counted, may take beyond the plan's limits, s."""
    return max((one.work.longest_s * one.runs for one in running), default=0.0)


def _timed(one: PlacementRun) -> TimedRun:
    """What a run measured, in host time."""
    refuse_clock(one)
    with guarded(one):
        clock = one.clock.fit(one.state.samples)
        return one.timed(one.run(), clock)
