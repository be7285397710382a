"""Executes trials: makes guests ready, releases the windows that a policy names, waits, and records what came of it.

A trial that fails becomes a record with its reason; only what the user stops (KeyboardInterrupt) and faults of
Virtometer itself pass through.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from virtometer.analysis.score.of_run import NoScore
from virtometer.analysis.score.overlap import (
    ENOUGH,
    ENOUGH_OF_WINDOWS,
    TimedRun,
    load_marks,
    overlap,
    overlap_mark,
    repeated_mark,
    shared_about_s,
    shared_s,
    start_skew_ns,
    stretch,
    within_windows,
)
from virtometer.analysis.score.slices import before_apart, counted_in_slices, disturbed_apart, slices_apart
from virtometer.analysis.score.trial import Readings, scored
from virtometer.design.schedule.start_order import started_in_order
from virtometer.environments.base import LabContext
from virtometer.model import (
    PINGS,
    ClockFit,
    FailureKind,
    GuestKey,
    HostUse,
    Mark,
    Placement,
    Plan,
    Run,
    Trial,
    TrialRecord,
    of_kinds,
)
from virtometer.programs import now
from virtometer.runner.execution.admission import Admission
from virtometer.runner.execution.conversation import Conversation, failing, guarded, refuse_clock
from virtometer.runner.execution.failures import TrialFailed, failed
from virtometer.runner.execution.placement_run import PlacementRun, guests_of
from virtometer.runner.execution.policies import Account, Growing, Party, Turns, Window, continuous
from virtometer.runner.guests.processors import Placed
from virtometer.runner.guests.running import RunningGuest, served_port
from virtometer.runner.watch.network import port_of
from virtometer.runner.watch.observer import Observer

_SETTLE_S = 0.1
"""How long loads work before what is measured starts."""
_WINDOWS = "their windows"

RunningGuests = Mapping[GuestKey, RunningGuest]


class _TrialParty(Party):
    """The guests of one trial. refusal: of one that is no member, because it cannot work."""

    def __init__(self, trial: Trial, seconds: float, plan: Plan) -> None:
        super().__init__(trial, seconds)
        self._rules = plan.rules
        self.members: list[PlacementRun] = []
        self.refusal: TrialFailed | None = None
        self.observer = Observer([])
        self.placed: list[Placed | None] = []
        self.took_s = 0.0

    @property
    def failed(self) -> bool:
        return self.refusal is not None or any(one.failure is not None for one in self.members)

    @property
    def run_in_s(self) -> float:
        return max(one.run_in_s for one in self.members)

    def disturbed(self) -> Mapping[int, str]:
        return self.observer.disturbed(self._rules)

    def hardly_shared(self) -> bool:
        if self.trial.turns is None:
            return self.repeated is not None
        if self.failed or self.size == 1 or any(one.state.host_timed for one in self.members):
            return False
        runs = [
            (counted_in_slices(self.samples(at), one.run_in_s), of_kinds(one.clock.probes, *PINGS))
            for at, one in enumerate(self.members)
        ]
        share = shared_about_s(runs) / max(self.observer.wall_s(-math.inf, math.inf), 1e-9)
        self.repeated = None if share >= ENOUGH_OF_WINDOWS else repeated_mark(share, _WINDOWS, "its rounds were")
        return self.repeated is not None


class Executor:
    """Executes the trials of one campaign in guests that are already running."""

    def __init__(self, plan: Plan, lab: LabContext, records: Sequence[TrialRecord] = ()) -> None:
        """`lab` is where peers are started from. `records`: of trials that are done.

        What was found out in them of windows in turn is not found out again.
        """
        self._plan, self._lab = plan, lab
        self._admission = Admission(plan, lab)
        self._agents = Conversation(plan.limits, plan.slice_s)
        # Whether long windows count: by whether guests work together, and workload; then by environment.
        self._known: defaultdict[tuple[bool, str], dict[str, bool]] = defaultdict(dict)
        for record in records:
            for run in record.scored:
                if run.in_slices:
                    known = self._known[self._admission.several(record.trial), run.placement.workload]
                    known[run.placement.environment] = run.in_long_windows

    def run(self, trials: Sequence[Trial], guests: RunningGuests, seed: int = 0) -> list[TrialRecord]:
        """Execute one trial, or those with the same `turns`. The records are in their order.

        `guests` has a running guest for every one that the trials name. seed: of the order of windows in turn, and of
        their lengths.
        """
        if trials[0].turns is None:
            return [self._in_a_window(trial, guests) for trial in trials]
        return self._in_turn(trials, guests, seed)

    # Windows in turn: a guest has one run for all its windows, and a failure ends the trials of that guest alone.

    def _in_turn(self, trials: Sequence[Trial], guests: RunningGuests, seed: int) -> list[TrialRecord]:
        started_at, begun = now(), time.monotonic()
        members: dict[GuestKey, PlacementRun] = {}
        refused: dict[GuestKey, TrialFailed] = {}
        first = {key: trial for trial in reversed(trials) for key in trial.guests}
        for key in started_in_order(trial.placements for trial in trials):
            placement = Placement(key.environment, first[key].placements[0].workload, guest=key.number)
            try:
                members[key] = self._admission.admit(placement, guests[key], first[key])
            except TrialFailed as refusal:
                refused[key] = refusal
                continue
            with failing(members[key]):
                self._make_ready([members[key]])
        with ExitStack() as stack:
            parties = {trial.index: self._party(trial, members, refused, guests, stack) for trial in trials}
            self._execute(list(members.values()), list(parties.values()), seed)
            rest_s = time.monotonic() - begun - sum(party.took_s for party in parties.values())
            clocks: dict[GuestKey, ClockFit] = {}
            return [
                self._record(party, started_at, party.took_s + rest_s / len(trials), clocks)
                for party in parties.values()
            ]

    def _make_ready(self, running: Sequence[PlacementRun]) -> None:
        self._admission.place(running, 0)
        for one in running:
            self._admission.address(one, {})
            one.running_guest.session.begin_run()
            self._agents.prepare(one)

    def _party(
        self,
        trial: Trial,
        members: Mapping[GuestKey, PlacementRun],
        refused: Mapping[GuestKey, TrialFailed],
        guests: RunningGuests,
        stack: ExitStack,
    ) -> _TrialParty:
        party = _TrialParty(trial, max(map(self._admission.seconds, trial.placements)), self._plan)
        party.members = [members[key] for key in trial.guests if key in members]
        for placement in trial.placements:
            if (refusal := refused.get(placement.guest_key)) is not None and party.refusal is None:
                party.refusal = _of(refusal, placement)
        if not party.failed:
            self._place_together(party)
            party.placed = [one.placed for one in party.members]
            party.observer = self._admission.observer(trial, party.members, guests.values(), stack)
        return party

    def _place_together(self, party: _TrialParty) -> None:
        """Bind guests for work with as many others, where they were not."""
        if any(one.beside != party.size for one in party.members):
            self._admission.place(party.members, party.trial.block)

    def _execute(self, members: Sequence[PlacementRun], parties: Sequence[_TrialParty], seed: int) -> None:
        longest_s = sum(party.seconds for party in parties)
        limits = self._plan.limits
        self._each(members, lambda one: one.clock.before(longest_s))
        self._each(members, lambda one: self._agents.start([one]))
        self._each(members, lambda one: self._agents.wait([one], "slice", limits.answer_s))
        several, workload = self._admission.several(parties[0].trial), parties[0].trial.placements[0].workload
        known = self._known[several, workload]
        policy = (Growing if several else Turns)(parties, self._plan, known, seed)
        by_trial = {party.trial.index: party for party in parties}
        for window in policy.windows():
            self._release(by_trial[window.trial], window)
        self._each(members, lambda one: self._agents.stop([one], limits.run_extra_s))
        self._each(members, lambda one: one.clock.after())
        done = {(party.environment, party.size) for party in parties if not party.failed}
        for party in parties:
            if party.failed and party.refusal is None and (party.environment, party.size) not in done:
                known.pop(party.environment, None)  # nothing is known of its speed

    def _each(self, members: Sequence[PlacementRun], step: Callable[[PlacementRun], None]) -> None:
        """A step of every guest that has not failed."""
        for one in members:
            if one.failure is None:
                with failing(one), guarded(one):
                    step(one)

    def _release(self, party: _TrialParty, window: Window) -> None:
        """Let the guests of a trial work for a window, and account for it."""
        begun, observer, members = time.monotonic(), party.observer, party.members
        self._place_together(party)
        self._each(members, lambda one: one.clock.ping_at_rest())
        observer.begin(window.number, long=window.long)
        if not party.failed:
            self._agents.release([members[at] for at in window.order], window.slice, window.seconds)
            limit_s = window.seconds * len(members) + self._plan.limits.run_extra_s
            middle = (time.monotonic() + window.seconds / 2, observer) if self._admission.several(party.trial) else None
            self._agents.wait(members, "slice", limit_s, counting=middle, alone=True)
            observer.end()
            samples = tuple(one.state.samples[one.state.since :] for one in members)
            party.add(Account(window, samples, time.monotonic() - begun))
        party.took_s += time.monotonic() - begun

    def _record(
        self, party: _TrialParty, started_at: str, wall_s: float, clocks: dict[GuestKey, ClockFit]
    ) -> TrialRecord:
        marks = [party.repeated] if party.repeated is not None else []
        if party.refusal is not None:
            return failed(party.trial, party.refusal.failure, started_at, wall_s)
        running = [self._own(party, at) for at in range(party.size)]
        for one in running:
            if one.failure is not None:
                return _failed(party, running, _of(one.failure, one.placement), started_at, wall_s)
        try:
            found = self._scored_windows(party, running, clocks)
        except TrialFailed as cause:
            return _failed(party, running, cause, started_at, wall_s)
        skew_ns, host, found_marks, runs = found
        return TrialRecord(party.trial, None, started_at, wall_s, skew_ns, host, (*marks, *found_marks), tuple(runs))

    def _own(self, party: _TrialParty, at: int) -> PlacementRun:
        """The part of a guest's run that belongs to this trial."""
        one = party.members[at]
        placed = party.placed[at] if party.placed else one.placed
        state = replace(one.state, samples=party.samples(at))
        return replace(one, placement=party.trial.placements[at], state=state, placed=placed)

    def _scored_windows(
        self, party: _TrialParty, running: Sequence[PlacementRun], clocks: dict[GuestKey, ClockFit]
    ) -> _Scored:
        several, observer = self._admission.several(party.trial), party.observer
        long = self._known[several, running[0].placement.workload].get(party.environment, False)
        disturbed = {} if long else party.disturbed()
        timed = []
        for one, member in zip(running, party.members, strict=True):
            refuse_clock(one)
            samples = disturbed_apart(before_apart(one.state.samples, party.first_round), disturbed)
            samples = slices_apart(samples) if long else counted_in_slices(samples, one.run_in_s)
            one.state = replace(one.state, samples=samples)
            with guarded(one):
                key = one.placement.guest_key
                clock = clocks[key] = clocks.get(key) or one.clock.fit(member.state.samples)
                run = one.run()
            # What the agent says of the whole run holds for one of its trials, but for what is a sum over all of them.
            report = replace(run.reported, value=None, measures={}, histograms={}) if several else run.report
            timed.append(one.timed(replace(run, report=report), clock))
        cut, windows = within_windows([(one.run.samples, one.intervals) for one in timed])
        if not windows and party.size > 1:
            raise TrialFailed(FailureKind.SAMPLES, "the measured placements never ran at the same time")
        timed = [replace(one, run=replace(one.run, samples=samples)) for one, samples in zip(timed, cut, strict=True)]
        used = (sample for one in timed for sample in one.run.samples if sample.used)
        observer.of_long_windows = all((sample.slice or 0) < 0 for sample in used)
        rounds = {one.window.number for one in party.accounts if not one.window.long}
        observer.set_apart({number for number in rounds if number < party.first_round or number in disturbed})
        whole_s = observer.wall_s(-math.inf, math.inf)
        observer.set_apart({one for one in rounds if one in disturbed or (party.size > 1 and one not in windows)})
        # What is within is decided: these are the ends of all its work.
        first_ns = min(float(one.intervals.start_ns[0]) for one in timed)
        window = (first_ns, max(float(one.intervals.end_ns[-1]) for one in timed))
        _, host, marks, runs = self._scored(running, timed, window, observer, observer.wall_s(*window))
        together_s = shared_s(windows.values())
        if several and host is not None:
            host = replace(host, overlap_s=together_s)
        if party.size == 1:
            return 0, host, marks, runs
        share, twice = together_s / max(whole_s, 1e-9), party.repeated is not None
        mark = overlap_mark(share, of=_WINDOWS, enough=ENOUGH_OF_WINDOWS, repeated=twice)
        skew_ns = max(one.skew_ns for one in windows.values())
        return skew_ns, host, [*marks, *([mark] if mark is not None else [])], runs

    # A window of its own: each attempt has runs of its own, and a failure ends the trial.

    def _in_a_window(self, trial: Trial, guests: RunningGuests) -> TrialRecord:
        """Execute a trial whose guests work continuously."""
        started_at, begun = now(), time.monotonic()
        party = _TrialParty(trial, max(map(self._admission.seconds, trial.measured)), self._plan)
        found: _Scored | None = None
        try:
            for window in continuous(party):
                party.members = []
                found = self._attempt(party, window, guests)
        except TrialFailed as cause:
            for one in party.members:
                left = len(party.members) > 1 and not one.state.ended  # it works on, or holds what it has prepared
                one.running_guest.broken |= left or one.placement.role == "service"
            return _failed(party, party.members, cause, started_at, time.monotonic() - begun)
        assert found is not None
        skew_ns, host, marks, runs = found
        marks = [*([party.repeated] if party.repeated is not None else []), *marks]
        runs = sorted(runs, key=lambda run: run.placement.ordinal)
        return TrialRecord(trial, None, started_at, time.monotonic() - begun, skew_ns, host, tuple(marks), tuple(runs))

    def _attempt(self, party: _TrialParty, window: Window, guests: RunningGuests) -> _Scored | None:
        """Prepare everywhere, wait for every ready, start, watch, compare clocks, score.

        None: its guests hardly worked together, and it is repeated.
        """
        trial, again = party.trial, window.number > 1
        for placement in trial.placements:
            guest = guests[placement.guest_key].agent(placement.instance)
            party.members.append(self._admission.admit(placement, guest, trial, again=again))
        self._admission.place(party.members, trial.block)
        services = [one for one in party.members if one.placement.role == "service"]
        working = [one for one in party.members if one.placement.role != "service"]
        peers = {one.placement.ordinal: self._serve(one) for one in services}
        for one in working:
            self._admission.address(one, peers)
        with ExitStack() as stack:
            observer = self._admission.observer(trial, working, guests.values(), stack)
            late = self._work(working, services, observer)
            self._agents.stop(services, self._plan.limits.answer_s)
            timed = [self._timed(one) for one in working]
            several = len(trial.measured) > 1
            share = overlap(timed) if several else 1.0
            if share < ENOUGH and not again:
                party.repeated = repeated_mark(share, "the window", "it was")
                return None
            shared = stretch(timed)
            try:
                _, host, marks, runs = self._scored(working, timed, shared, observer, (shared[1] - shared[0]) * 1e-9)
            except TrialFailed as cause:
                if again or not several or cause.failure.kind is not FailureKind.SAMPLES:
                    raise
                # Iterations are as long as the stretch: in a longer one some lie within.
                party.repeated = repeated_mark(share, "the window, without a whole iteration", "it was")
                return None
        if len(working) > 1:
            mark = overlap_mark(share, by_tool=any(run.by_tool for run in runs))
            marks += [*late, *([mark] if mark is not None else []), *load_marks(timed, shared)]
        return start_skew_ns(timed) if several else 0, host, marks, [*runs, *(one.run() for one in services)]

    def _serve(self, one: PlacementRun) -> str:
        """Start a service. Returns the address at which other guests reach it."""
        network = one.running_guest.guest.network
        assert network is not None
        one.parameters = {"listen": f"{network.guest_address}:0"}
        with guarded(one):
            one.running_guest.session.begin_run()
            self._agents.ask(one, "serve", threads=1)
        self._agents.wait([one], "ready", self._plan.limits.prepare_s)
        with guarded(one):
            port = served_port(one.state.conditions)
        self._agents.start([one])
        return f"{network.guest_address}:{port}"

    def _work(
        self, running: Sequence[PlacementRun], services: Sequence[PlacementRun], observer: Observer
    ) -> list[Mark]:
        """Barrier and window. Returns the marks of guests that began late.

        Loads start before what is measured and are stopped after it. What is measured in several guests has set up its
        first iteration before that, and begins at a moment that is agreed.
        """
        limits, agents = self._plan.limits, self._agents
        measured = [one for one in running if one.measured]
        loads = [one for one in running if not one.measured]
        limit_s = max(one.seconds for one in measured) + limits.run_extra_s
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
        together = [one for one in measured if one.state.together]
        agents.start(together)
        agents.wait(together, "window", limits.prepare_s, beside=services)
        if loads:
            agents.start(loads)
            agents.settle(loads, services, _SETTLE_S)
        observer.begin()
        agents.start([one for one in measured if not one.state.together])
        late = agents.begin_together(together)
        agents.wait(measured, "done", limit_s, beside=[*loads, *services], watching=observer)
        observer.end()
        agents.stop(loads, limits.answer_s)
        for one in running:
            with guarded(one):
                one.clock.after()
        return late

    def _timed(self, one: PlacementRun) -> TimedRun:
        """What a run measured, in host time."""
        refuse_clock(one)
        with guarded(one):
            clock = one.clock.fit(one.state.samples)
            return one.timed(one.run(), clock)

    def _scored(
        self,
        running: Sequence[PlacementRun],
        timed: Sequence[TimedRun],
        window: tuple[float, float],
        observer: Observer,
        wall_s: float,
    ) -> _Scored:
        """What the analysis makes of these runs over a window (host ns), with what was read of the host."""
        rules = self._plan.rules
        ports = [port_of(one.running_guest.guest.network) for one in running]
        readings = Readings(
            observer.use(*window),
            observer.marks(*window, rules),
            [
                (observer.guest_cpu_s(at, *window), observer.guest_use(at, *window, port))
                for at, port in enumerate(ports)
            ],
            len(self._lab.processors),
            wall_s,
        )
        limits = {"clock_error": self._plan.limits.clock_error, "max_stall_share": rules.max_stall_share}
        try:
            runs, marks = scored(timed, window, readings, **limits)
        except NoScore as cause:
            for one in running:
                if one.placement == cause.placement:
                    one.clock_fault = cause.fault
            raise TrialFailed(cause.kind, cause.reason, cause.placement) from cause
        return 0, readings.host, marks, runs


_Scored = tuple[int, HostUse | None, list[Mark], list[Run]]
"""What a trial measured, as in its record: skew (ns), host, marks, runs."""


def _failed(
    party: _TrialParty, running: Sequence[PlacementRun], cause: TrialFailed, started_at: str, wall_s: float
) -> TrialRecord:
    """The record of a trial that failed, with what its runs left."""
    for running_guest in cause.broken:
        running_guest.broken = True
    found = [one.failed_run(cause.failure.reason) for one in running]
    marks = [party.repeated] if party.repeated is not None else []
    return failed(party.trial, cause.failure, started_at, wall_s, [run for run in found if run is not None], marks)


def _of(cause: TrialFailed, placement: Placement) -> TrialFailed:
    """The failure of a guest, in a trial that has it as this placement."""
    return TrialFailed(cause.failure.kind, cause.failure.reason, placement, cause.broken)
