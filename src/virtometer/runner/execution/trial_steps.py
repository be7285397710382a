"""The steps of trials: admit, prepare, start, wait, score. Nothing here may hang: every wait has a limit."""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeVar

from virtometer.analysis.notes import stalls
from virtometer.analysis.score.of_run import NoScore, cut, score
from virtometer.clock import intervals
from virtometer.clock.intervals import Interval
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.base import LabContext
from virtometer.errors import ClockError, EnvironmentFailed, LinkClosed, LinkError, LinkTimeout, RemoteError, UsageError
from virtometer.link.messages import Done, Event, IterationDone, Samples
from virtometer.link.session import Request
from virtometer.model import (
    ClockFit,
    Failure,
    FailureKind,
    GuestUse,
    HostUse,
    Mark,
    Placement,
    Run,
    Trial,
    TrialRecord,
)
from virtometer.runner.execution.clock_monitor import ClockMonitor
from virtometer.runner.execution.overlap import LONGER, TimedRun, late_mark, lead_ns, stretch
from virtometer.runner.execution.placement_run import PlacementRun
from virtometer.runner.execution.state import RunState
from virtometer.runner.guests.processors import Placed, in_turn, shares
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch.cost import WATCH_S
from virtometer.runner.watch.foreign import HostWatch
from virtometer.runner.watch.host import Observer, SliceObserver
from virtometer.runner.watch.network import port_of
from virtometer.visible import one_line, visible
from virtometer.workloads.base import Place

_T = TypeVar("_T")


class TrialFailed(Exception):
    """Ends a trial. `broken` are the guests that must not be used again."""

    def __init__(
        self, kind: FailureKind, reason: str, placement: Placement | None = None, broken: Sequence[RunningGuest] = ()
    ) -> None:
        """`reason` is one sentence, without the name of the environment of `placement`."""
        super().__init__(reason)
        self.failure = Failure(kind, reason, placement.ordinal if placement is not None else None)
        self.broken = tuple(broken)


class TrialSteps:
    """What trials are made of, whatever the order in which their guests work."""

    def __init__(self, resolved: ResolvedPlan, lab: LabContext) -> None:
        """`lab` is where peers are started from."""
        self._plan = resolved.plan
        self._works = resolved.works
        self._lab = lab
        self._probe_costs: dict[str, float] = {}

    def _admit(
        self, placement: Placement, running_guest: RunningGuest, trial: Trial, *, again: bool = False
    ) -> PlacementRun:
        """Refuse a placement that cannot run in its guest. `again`: its trial is repeated, longer."""
        work, guest = self._works[placement.workload], running_guest.guest
        networked = "network" in work.needs or work.time_server is not None
        if "disk" in work.needs and guest.disk is None:
            refusal = running_guest.lacks("disk")
        elif networked and guest.network is None:
            refusal = running_guest.lacks("network")
        elif placement.role == "service" and not (guest.network is not None and guest.network.guest_address):
            refusal = f"{running_guest.plan.name} has no address that other guests reach"
        else:
            refusal = guest.refused_programs.get(work.workload.program, "")
        if refusal:
            raise TrialFailed(FailureKind.UNAVAILABLE, refusal, placement)
        host_timed = running_guest.timing == "laboratory" and placement.role != "service"
        session, limits, costs = running_guest.session, self._plan.limits, self._probe_costs
        monitor = ClockMonitor(session, limits, guest.cpu_ns, costs, host_timed=host_timed)
        name = f"t{trial.index}-{placement.ordinal}{'-again' if again else ''}"
        together = placement.role == "measured" and len(trial.measured) > 1 and trial.turns is None and not host_timed
        state = RunState(name, host_timed=host_timed, in_slices=trial.turns is not None, together=together)
        return PlacementRun(placement, running_guest, work, state, monitor, work.seconds * (LONGER if again else 1.0))

    def _address(self, one: PlacementRun, peers: Mapping[int, str]) -> None:
        """Tell a placement where its disk, its peer and its time server are."""
        running_guest, work, lab = one.running_guest, one.work, self._lab
        try:
            peer = None
            if one.placement.peer is not None:
                peer = peers[one.placement.peer]
            elif "network" in work.needs:
                own = running_guest.peer(lab)
                own.drain()
                peer = own.address
            program = work.workload.program
            # A program of the guest's own image, or where the host has it.
            place = Place(
                running_guest.guest.disk.path if running_guest.guest.disk else None,
                peer,
                running_guest.reference_clock(lab).address(work.time_server) if work.time_server is not None else None,
                running_guest.guest.find_program(program) or lab.program_path(program),
            )
            one.parameters = work.arguments(place)
        except UsageError as cause:  # the plan was checked against a place that has everything: this one has not
            raise TrialFailed(FailureKind.UNAVAILABLE, cause.sentence, one.placement) from cause
        except (EnvironmentFailed, LinkError) as cause:
            raise TrialFailed(FailureKind.START, cause.reason, one.placement, [running_guest]) from cause

    def _place(self, running: Sequence[PlacementRun], block: int) -> None:
        """Bind the guests to processors: those that work together share as many as all their work is made for.

        What serves counts as one that works: it has its guest's processors. Where each guest has processors of its
        own, those that are measured have them in turn: the next ones in the next block.
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
            one.placed = placed[id(guest)]

    def _watch(self, running: Sequence[PlacementRun], living: Iterable[RunningGuest]) -> HostWatch:
        """What reads the counters of the host while these work and the other guests that live are silent."""
        guests = list({id(one): one for one in (*living, *guests_of(running))}.values())
        placed = [one.placed for one in running if one.placed is not None]
        return HostWatch(
            [one.guest for one in guests_of(running)],
            [one.guest for one in guests],
            [server for one in guests for server in one.beside],
            frozenset[int]().union(*(one.processors for one in placed)),
            pinned=all(one.pinned for one in placed),
        )

    def _prepare(self, one: PlacementRun, op: str, threads: int) -> None:
        arguments = {
            "run": one.state.run,
            "kernel": one.work.workload.kernel,
            "op": op,
            "parameters": dict(one.parameters),
            "threads": threads,
            "cpus": None,
            "seconds": one.seconds,
            "timing": one.state.timing,
        }
        if one.state.in_slices:
            arguments["slice_s"] = self._plan.slice_s
        if one.state.together:
            arguments["together"] = True
        one.running_guest.session.request("prepare", arguments, self._plan.limits.answer_s)

    def _start(self, running: Sequence[PlacementRun]) -> None:
        """Send every `start` before any answer is waited for.

        One that fails ends the trial after all answers were taken: their guests can be used again.
        """
        requests = []
        for one in running:
            one.state = one.state.started()
            one.clock.starting()
            with self._guarded(one):
                arguments = {"run": one.state.run}
                requests.append(one.running_guest.session.send("start", arguments, self._plan.limits.answer_s))
        self._answers(running, [one.running_guest.session.answer for one in running], requests)

    def _begin_together(self, running: Sequence[PlacementRun]) -> list[Mark]:
        """Let the windows that wait begin at one moment. Returns the marks of guests that learnt of it too late."""
        longest_ns = []
        for one in running:
            with self._guarded(one):
                longest_ns.append(one.clock.compare())
        moment_ns = time.monotonic_ns() + lead_ns(longest_ns)
        requests = []
        for one in running:
            with self._guarded(one):
                session, at_ns = one.running_guest.session, one.clock.agree(moment_ns)
                requests.append(session.send_release(one.state.run, at_ns, self._plan.limits.answer_s))
            one.state = one.state.released()
        late_ns = self._answers(running, [one.running_guest.session.released for one in running], requests)
        found = [late_mark(one.name, late) for one, late in zip(running, late_ns, strict=True)]
        return [mark for mark in found if mark is not None]

    def _answers(
        self, running: Sequence[PlacementRun], take: Sequence[Callable[[Request], _T]], requests: Sequence[Request]
    ) -> list[_T]:
        """What the agents answer, one after the other. Raises the first failure after all answers were taken."""
        found, failures = [], []
        for one, answer, request in zip(running, take, requests, strict=True):
            try:
                with self._guarded(one):
                    found.append(answer(request))
            except TrialFailed as cause:
                failures.append(cause)
        if failures:
            raise failures[0]
        return found

    def _wait(
        self,
        running: Sequence[PlacementRun],
        phase: str,
        limit_s: float,
        observer: Observer | None,
        beside: Sequence[PlacementRun] = (),
    ) -> None:
        """Take events until every run has reached `phase`; one that fails or is too late ends the trial.

        The phase "window": its window waits until it may begin.
        `beside`: runs that are not waited for, whose events are taken as well. They end the trial where they fail.
        """
        together = [*running, *beside]
        deadline = time.monotonic() + limit_s
        while waiting := [one for one in running if phase not in (one.state.phase, one.state.waits)]:
            left = deadline - time.monotonic()
            if left <= 0:
                for one in waiting:
                    self._refuse_clock(one)
                others = [f"{one.name}: {_late(one, phase, limit_s)}" for one in waiting[1:]]
                late = "; ".join([_late(waiting[0], phase, limit_s), *others])
                broken = [one.running_guest for one in waiting]
                raise TrialFailed(FailureKind.TIME_LIMIT, late, waiting[0].placement, broken)
            listening = [*waiting, *(one for one in beside if not one.state.ended)]
            if not any(one.running_guest.session.pending for one in listening):
                sessions = [running_guest.session for running_guest in guests_of(listening)]
                rest_s = WATCH_S if observer is None else observer.due_in_s
                select.select(sessions, [], [], min(left, WATCH_S, rest_s))
            if observer is not None and observer.due_in_s == 0:
                observer.tick()
            for one in listening:
                with self._guarded(one):
                    if observer is not None and one.placement.role != "service":
                        one.clock.ping()
                    self._take(one, [other for other in together if other.running_guest is one.running_guest])
                for other in together:
                    if other.state.fault is not None:
                        self._stop_others(together, other)
                    self._refuse_fault(other)

    def _take(self, of: PlacementRun, sharing: Sequence[PlacementRun]) -> None:
        """Take the events that came from a guest, each for its run; `sharing` are the runs in this guest."""
        session = of.running_guest.session
        while any(not one.state.ended for one in sharing) and (event := session.next_event(0.0)) is not None:
            name = getattr(event, "run", of.state.run)
            self._apply(next((one for one in sharing if one.state.run == name), of), event, session.event_ns)

    def _apply(self, one: PlacementRun, event: Event, event_ns: int) -> None:
        one.state = one.state.after(event)
        if isinstance(event, Done):
            if one.placement.role != "service":
                one.refuse_other_metric(event)
            one.done_ns = event_ns
        if isinstance(event, Samples) and one.placement.role != "service":
            one.clock.arrived(one.state.samples[-1], event_ns)
        if isinstance(event, IterationDone):
            one.clock.iteration_done(event, event_ns)
        waits = one.state.waits
        if waits is not None and waits != "slice" and waits != "window":
            one.clock.release(one.state.run, waits)
            one.state = one.state.released()

    def _refuse_fault(self, one: PlacementRun) -> None:
        """Raise what the agent reported as the end of the run."""
        if one.state.fault is not None:
            raise _agent_failed(one)

    def _refuse_clock(self, one: PlacementRun) -> None:
        with self._guarded(one):
            if one.state.clock_error is not None:
                raise one.clock.sized(one.state.clock_error)

    def _stop_others(self, running: Sequence[PlacementRun], failed_one: PlacementRun) -> None:
        """The other runs of a failed trial are of no use: their guests are not used again."""
        for one in running:
            if one is not failed_one:
                one.running_guest.broken = True

    @contextmanager
    def _guarded(self, one: PlacementRun) -> Iterator[None]:
        """Turn what can go wrong between laboratory and agent into the trial's reason."""
        try:
            yield
        except RemoteError as cause:
            if cause.code == "not-supported":
                raise TrialFailed(FailureKind.UNAVAILABLE, cause.message, one.placement) from cause
            raise TrialFailed(FailureKind.AGENT, cause.sentence, one.placement) from cause
        except UsageError as cause:  # the output of a tool cannot be read
            raise TrialFailed(FailureKind.TOOL, cause.sentence, one.placement) from cause
        except LinkError as cause:
            reason, kind = cause.reason, _kind(cause)
            if isinstance(cause, ClockError):
                one.clock_fault = cause.fault
            if isinstance(cause, LinkClosed) and one.running_guest.ended():
                words = one_line(one.running_guest.guest.stderr_tail())
                reason = "the guest ended in the middle of the trial" + (f": {words}" if words else "")
            raise TrialFailed(kind, reason, one.placement, [one.running_guest]) from cause

    def _failed(
        self, trial: Trial, cause: TrialFailed, running: Sequence[PlacementRun], started_at: str, wall_s: float
    ) -> TrialRecord:
        """The record of a trial that failed, with what its runs left; guests that it broke are not used again."""
        for running_guest in cause.broken:
            running_guest.broken = True
        several = len(running) > 1
        for one in running:
            left = several and not one.state.ended  # it works on, or holds what it has prepared
            one.running_guest.broken |= left or one.placement.role == "service"
        found = [one.failed_run(cause.failure.reason) for one in running]
        return failed(trial, cause.failure, started_at, wall_s, tuple(run for run in found if run is not None))

    def _timed(self, running: Sequence[PlacementRun]) -> list[TimedRun]:
        """What each run measured, in host time."""
        found = []
        for one in running:
            self._refuse_clock(one)
            with self._guarded(one):
                fit = one.clock.fit(one.state.samples)
                run = one.run()
            found.append(TimedRun(one, run, fit, intervals.of_run(run, fit)))
        return found

    def _score(
        self, running: Sequence[PlacementRun], observer: Observer | SliceObserver
    ) -> tuple[HostUse | None, tuple[Mark, ...], list[Run]]:
        """Convert to host time, cut to the stretch in which all measured placements overlap, add up."""
        return self._scored_over(self._timed(running), observer)

    def _scored_over(
        self, timed: Sequence[TimedRun], observer: Observer | SliceObserver
    ) -> tuple[HostUse | None, tuple[Mark, ...], list[Run]]:
        start, end = stretch(timed)
        if end <= start:
            raise TrialFailed(FailureKind.SAMPLES, "the measured placements never ran at the same time")
        marks = [*observer.marks(start, end, self._plan.rules)]
        runs = []
        for index, found in enumerate(timed):
            run, mark = self._scored_run(index, found, observer, (start, end))
            runs.append(run)
            if mark is not None:
                marks.append(mark)
        return observer.use(start, end), tuple(marks), runs

    def _scored_run(
        self, index: int, found: TimedRun, observer: Observer | SliceObserver, window: tuple[float, float]
    ) -> tuple[Run, Mark | None]:
        """One of several runs scored over a window, with its mark where it was stopped for a while."""
        one = found.of
        guest_cpu_s = observer.guest_cpu_s(index, *window)
        use = observer.guest_use(index, *window, port_of(one.running_guest.guest.network))
        if not one.measured:
            return with_use(self._scored_load(found, window, guest_cpu_s), use), None
        run = self._scored(one, found.run, found.clock, found.intervals, window, guest_cpu_s)
        run = with_use(run, use)
        return run, self._stall(one, found.intervals, run)

    def _scored_load(self, found: TimedRun, window: tuple[float, float], guest_cpu_s: float | None) -> Run:
        """The score of a load in the window of what is measured; over all it did where no sample lies in there."""
        with suppress(TrialFailed):
            return self._scored(found.of, found.run, found.clock, found.intervals, window, guest_cpu_s)
        run = cut(found.run, found.clock, found.intervals, (-math.inf, math.inf), math.inf)
        return replace(run, score=score(run, found.clock, window, guest_cpu_s))

    def _scored(
        self,
        one: PlacementRun,
        run: Run,
        fit: ClockFit,
        timed: Sequence[Interval],
        window: tuple[float, float],
        guest_cpu_s: float | None,
    ) -> Run:
        try:
            # A tool's number is that of its whole run, of which nothing can be cut off.
            within = (-math.inf, math.inf) if run.by_tool else window
            run = cut(run, fit, timed, within, self._plan.limits.clock_error)
            if run.by_tool and not (run.reported.value or 0.0) > 0:
                raise NoScore(FailureKind.TOOL, f"{one.work.workload.name} says that it did nothing")
            run = replace(run, score=score(run, fit, window, guest_cpu_s))
        except NoScore as cause:
            one.clock_fault = cause.fault
            raise TrialFailed(cause.kind, cause.reason, one.placement) from cause
        if not run.by_tool:
            return run
        pairs = zip(timed, run.samples, strict=True)
        return one.with_stopwatch(run, sum(interval.duration_s for interval, sample in pairs if sample.used))

    def _stall(self, one: PlacementRun, timed: Sequence[Interval], run: Run) -> Mark | None:
        """The mark of a run that was stopped for a while; None where it was not."""
        pairs = zip(timed, run.samples, strict=True)
        used = [(interval, sample.work) for interval, sample in pairs if sample.used]
        gaps = not (one.state.host_timed or one.state.in_slices)
        return stalls.stops(used, gaps=gaps).mark(self._plan.rules.max_stall_share, one.name)


def with_use(run: Run, use: GuestUse | None) -> Run:
    """The run with what its guest's CPU time was spent for."""
    return replace(run, score=replace(run.scored, guest_use=use))


def failed(trial: Trial, failure: Failure, started_at: str, wall_s: float, runs: tuple[Run, ...] = ()) -> TrialRecord:
    """The record of a trial without a score. Its reason may quote anybody's text, and becomes one line."""
    failure = replace(failure, reason=visible(" ".join(failure.reason.splitlines())))
    return TrialRecord(trial, failure, started_at, wall_s, 0, None, (), runs)


def guests_of(running: Sequence[PlacementRun]) -> list[RunningGuest]:
    """Their guests, each once."""
    return list({id(one.running_guest): one.running_guest for one in running}.values())


def _kind(cause: LinkError) -> FailureKind:
    for error, kind in (
        (ClockError, FailureKind.CLOCK),
        (LinkTimeout, FailureKind.TIME_LIMIT),
        (LinkClosed, FailureKind.GUEST),
    ):
        if isinstance(cause, error):
            return kind
    return FailureKind.PROTOCOL


def _agent_failed(one: PlacementRun) -> TrialFailed:
    assert one.state.fault is not None
    code, message = one.state.fault.code, one.state.fault.message
    if code == "not-supported":
        return TrialFailed(FailureKind.UNAVAILABLE, message, one.placement)
    return TrialFailed(FailureKind.AGENT, f"the agent says {code}: {message}", one.placement)


def _late(one: PlacementRun, phase: str, limit_s: float) -> str:
    """Which workload did not reach a phase in time, and how far it had come."""
    if phase == "ready":
        return f"{one.placement.workload} was not ready within {limit_s:g} s of being asked to get ready"
    if phase == "window":
        return f"{one.placement.workload} had not set up its first iteration within {limit_s:g} s"
    if one.state.in_slices:
        return f"{one.placement.workload} did not end within {limit_s:g} s of being stopped"
    count = len(one.state.samples)
    came = f"{count} sample{'' if count == 1 else 's'} had come" if count else "no sample had come"
    works = one.state.works and one.state.host_timed
    unended = ", and an iteration that was released had not ended" if works else ""
    return (
        f"{one.placement.workload} was not done within {limit_s:g} s of its start, with a window of {one.seconds:g} s: "
        f"{came}{unended}"
    )
