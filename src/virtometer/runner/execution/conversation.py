"""What the laboratory says to the agents of trials, and what it hears: prepare, start, release, wait, stop.

Nothing here may hang: every wait has a limit.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TypeVar

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import ClockError, EnvironmentFailed, LinkClosed, LinkError, LinkTimeout, RemoteError, UsageError
from virtometer.link.messages import LONGEST_LEAD_NS, Done, Event, IterationDone, Samples
from virtometer.link.session import Request
from virtometer.model import FailureKind, Limits, Mark, MarkKind
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.placement_run import PlacementRun, guests_of
from virtometer.runner.watch.observer import Observer
from virtometer.runner.watch.reading_budget import WATCH_S
from virtometer.visible import one_line

_LEAD_NS = 20_000_000  # so that agents that share processors have obeyed, and sleep
_LONGEST_LEAD_NS = LONGEST_LEAD_NS // 2  # the guests' clocks may be wrong
_AWAKE_NS = 8_000_000  # guests wake for the first time 6 ms before they begin

_KINDS = (
    (ClockError, FailureKind.CLOCK),
    (LinkTimeout, FailureKind.TIME_LIMIT),
    (LinkClosed, FailureKind.GUEST),
    (LinkError, FailureKind.PROTOCOL),
)
"""Of what goes wrong between laboratory and agent: the first that fits."""

_T = TypeVar("_T")


class Conversation:
    """Talks to the agents of trials."""

    def __init__(self, limits: Limits, slice_s: float) -> None:
        """`limits` say how long everything may take; `slice_s`: for which agents calibrate, where they take turns."""
        self._limits = limits
        self._slice_s = slice_s

    def prepare(self, one: PlacementRun, beside: Sequence[PlacementRun] = ()) -> None:
        """Ping a new guest, have it prepare its run, and wait until it is ready, as `wait`.

        One after the other: work that is calibrated beside other work is calibrated wrongly.
        """
        with guarded(one):
            one.clock.early()
            self.ask(one, one.work.agent_op, one.work.threads)
        self.wait([one], "ready", self._limits.prepare_s + one.work.longest_s, beside=beside)

    def ask(self, one: PlacementRun, op: str, threads: int) -> None:
        """Send `prepare`."""
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
            arguments["slice_s"] = self._slice_s
        if one.state.in_group:
            arguments["together"] = True
        one.session.request("prepare", arguments, self._limits.answer_s)

    def start(self, running: Sequence[PlacementRun]) -> None:
        """Send every `start` before any answer is waited for."""

        def send(one: PlacementRun) -> Request:
            one.state = one.state.started()
            one.clock.starting()
            return one.session.send("start", {"run": one.state.run}, self._limits.answer_s)

        self._ask_all(running, send, lambda one, request: one.session.answer(request))

    def begin_group(self, running: Sequence[PlacementRun], watching: Observer) -> list[Mark]:
        """Let the windows that wait begin at one moment. Returns the marks of guests that learnt of it too late.

        watching: takes a point shortly before that moment. Without it, accounts would be interpolated over the rest
        before the work.
        """
        longest_ns = []
        for one in running:
            with guarded(one):
                longest_ns.append(one.clock.ping_before_agreeing())
        moment_ns = time.monotonic_ns() + lead_ns(longest_ns)

        def send(one: PlacementRun) -> Request:
            at_ns = one.clock.agree(moment_ns)
            one.state = one.state.released()
            return one.session.send_release(one.state.run, self._limits.answer_s, at_ns=at_ns)

        late_ns = self._ask_all(running, send, lambda one, request: one.session.released(request))
        if running and (rest_ns := moment_ns - _AWAKE_NS - time.monotonic_ns()) > 0:
            time.sleep(rest_ns * 1e-9)
            watching.tick()
        found = [late_mark(one.name, late) for one, late in zip(running, late_ns, strict=True)]
        return [mark for mark in found if mark is not None]

    def release(self, running: Sequence[PlacementRun], number: int, seconds: float) -> None:
        """Let a window of these begin at a message. A failure ends a run alone, as `failing`.

        `number`: that their samples get as that of their slice.
        """

        def send(one: PlacementRun) -> Request:
            one.state = one.state.released(number)
            return one.session.send_release(one.state.run, self._limits.answer_s, slice_s=seconds)

        self._ask_all(running, send, lambda one, request: one.session.answer(request), alone=True)

    def stop(self, running: Sequence[PlacementRun], limit_s: float, *, beside: Sequence[PlacementRun] = ()) -> None:
        """Stop those that have not ended, and wait for their ends. `beside`: as `wait`."""
        for one in running:
            if not one.state.ended:
                with guarded(one):
                    one.session.request("stop", {"run": one.state.run}, self._limits.answer_s)
        self.wait(running, "done", limit_s, beside=beside)

    def clean_up(self, running: Sequence[PlacementRun], limit_s: float) -> None:
        """Stop runs that have set something up and were never started, so that their clean-up is made.

        A failure of one of them is no further failure of the trial: its guest is ended anyway.
        """
        for one in running:
            if one.state.phase == "ready" and "cleanup" in one.parameters and not one.running_guest.broken:
                with suppress(TrialFailed):
                    self.stop([one], limit_s)

    def wait(
        self,
        running: Sequence[PlacementRun],
        phase: str,
        limit_s: float,
        *,
        beside: Sequence[PlacementRun] = (),
        watching: Observer | None = None,
        counting: tuple[float, Observer] | None = None,
        alone: bool = False,
    ) -> None:
        """Take events until every run has reached `phase`; one that fails or is too late raises TrialFailed.

        The phases "window" and "slice": what it does next waits until it may begin. beside: runs that are not waited
        for, whose events are taken as well. watching: takes points meanwhile, one where the first of several runs
        ends, and clocks are compared. counting: when the threads that want a processor are counted (time.monotonic),
        and by whom. alone: a failure ends a run alone, as `failing`, and the others are waited for.
        """
        all_running = [*running, *beside]
        deadline = time.monotonic() + limit_s
        ending = failing if alone else nullcontext
        first_end = watching if len(running) > 1 else None

        def late() -> list[PlacementRun]:
            return [one for one in running if one.failure is None and phase not in (one.state.phase, one.state.waits)]

        def listening(waiting: Sequence[PlacementRun]) -> list[PlacementRun]:
            return [*waiting, *(one for one in beside if not one.state.ended)]

        while waiting := late():
            # First: what came with an earlier answer is in no descriptor any more.
            for one in listening(waiting):
                with ending(one):
                    self._hear(one, all_running, pings=watching is not None)
            waiting, left = late(), deadline - time.monotonic()
            if first_end is not None and len(waiting) < len(running):
                first_end.tick()  # the stretch ends here; its accounts must not be interpolated over what follows
                first_end = None
            if not waiting:
                return
            if left <= 0:
                for some in [[one] for one in waiting] if alone else [waiting]:
                    with ending(some[0]):
                        _refuse_late(some, phase, limit_s)
                continue
            if watching is not None:
                left = min(left, WATCH_S, watching.due_in_s)
            if counting is not None:
                left = min(left, max(counting[0] - time.monotonic(), 0.0))
            select.select([guest.session for guest in guests_of(listening(waiting))], [], [], left)
            if watching is not None and watching.due_in_s == 0:
                watching.tick()
            if counting is not None and time.monotonic() >= counting[0]:
                counting[1].count_runnable()
                counting = None

    def settle(self, loads: Sequence[PlacementRun], beside: Sequence[PlacementRun], seconds: float) -> None:
        """Let loads work for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            select.select([guest.session for guest in guests_of(loads)], [], [], left)
            for one in loads:
                self._hear(one, [*loads, *beside], pings=False)

    def _hear(self, of: PlacementRun, all_running: Sequence[PlacementRun], *, pings: bool) -> None:
        """Take the events that came from a guest, each for its run. Raises what ends one of these."""
        session = of.session
        sharing = [one for one in all_running if one.running_guest is of.running_guest]
        with guarded(of):
            if pings and of.placement.role != "service":
                of.clock.ping()
            while any(not one.state.ended for one in sharing) and (event := session.next_event(0.0)) is not None:
                name = getattr(event, "run", of.state.run)
                self._apply(next((one for one in sharing if one.state.run == name), of), event, session.event_ns)
        for one in sharing:
            if (fault := one.state.fault) is not None:
                with guarded(one):
                    raise RemoteError(fault.code, fault.message)

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
            one.clock.release_iteration(one.state.run, waits)
            one.state = one.state.released()

    def _ask_all(
        self,
        running: Sequence[PlacementRun],
        send: Callable[[PlacementRun], Request],
        answer: Callable[[PlacementRun, Request], _T],
        *,
        alone: bool = False,
    ) -> list[_T]:
        """Send every request before any answer is waited for. Returns the answers.

        Raises the first failure after all answers were taken: their guests can be used again. alone: as `wait`.
        """
        requests, found, failures = [], [], []
        ending = failing if alone else nullcontext
        for one in running:
            with ending(one), guarded(one):
                requests.append((one, send(one)))
        for one, request in requests:
            try:
                with ending(one), guarded(one):
                    found.append(answer(one, request))
            except TrialFailed as cause:
                failures.append(cause)
        if failures:
            raise failures[0]
        return found


def lead_ns(round_trips_ns: Sequence[int]) -> int:
    """How far ahead (host ns) the moment is at which guests begin, each of which answers within its round trip."""
    return min(_LEAD_NS + sum(round_trips_ns), _LONGEST_LEAD_NS)


def late_mark(name: str, late_ns: int) -> Mark | None:
    """The mark of a guest that began so much (guest ns) after the agreed moment, because it learnt of it too late."""
    if late_ns <= 0:
        return None
    return Mark(MarkKind.START, f"{name} began {late_ns * 1e-6:.3g} ms late: the message reached it after the moment")


@contextmanager
def guarded(one: PlacementRun) -> Iterator[None]:
    """Turn what can go wrong between laboratory and agent into the trial's reason."""
    try:
        yield
    except RemoteError as cause:
        if cause.code == "not-supported":
            raise TrialFailed(FailureKind.UNAVAILABLE, cause.message, one.placement) from cause
        limit = one.running_guest.memory_limit if cause.code == "out-of-memory" else ""
        raise TrialFailed(FailureKind.AGENT, f"{cause.sentence}{limit}", one.placement) from cause
    except UsageError as cause:  # the output of a tool cannot be read
        raise TrialFailed(FailureKind.TOOL, cause.sentence, one.placement) from cause
    except LinkError as cause:
        reason, kind = cause.reason, next(kind for error, kind in _KINDS if isinstance(cause, error))
        if isinstance(cause, ClockError):
            one.clock_fault = cause.fault
        if isinstance(cause, LinkClosed) and one.running_guest.ended():
            words = one_line(one.running_guest.guest.stderr_tail())
            killed = one.running_guest.memory_words()
            reason = f"the guest ended in the middle of the trial{killed}" + (f": {words}" if words else "")
        raise TrialFailed(kind, reason, one.placement, [one.running_guest]) from cause


@contextmanager
def failing(one: PlacementRun) -> Iterator[None]:
    """A failure ends this run alone, and with it the trials that it belongs to."""
    try:
        yield
    except TrialFailed as cause:
        one.failure = cause
        if one.state.phase in ("ready", "running"):
            one.running_guest.broken = True  # its run is still there
        for running_guest in cause.broken:  # it may go on working beside the others
            running_guest.broken = True
            with deferred_signals(), suppress(EnvironmentFailed):
                running_guest.stop()


def refuse_clock(one: PlacementRun) -> None:
    """Raise what is wrong with the times of its samples."""
    with guarded(one):
        if one.state.clock_error is not None:
            raise one.clock.sized(one.state.clock_error)


def _refuse_late(waiting: Sequence[PlacementRun], phase: str, limit_s: float) -> None:
    """Raise that these did not reach a phase in time."""
    for one in waiting:
        refuse_clock(one)
    others = [f"{one.name}: {_late(one, phase, limit_s)}" for one in waiting[1:]]
    reason = "; ".join([_late(waiting[0], phase, limit_s), *others])
    raise TrialFailed(FailureKind.TIME_LIMIT, reason, waiting[0].placement, [one.running_guest for one in waiting])


def _late(one: PlacementRun, phase: str, limit_s: float) -> str:
    """Which workload did not reach a phase in time, and how far it had come."""
    if phase == "ready":
        return f"{one.placement.workload} was not ready within {limit_s:g} s of being asked to get ready"
    if phase == "window":
        return f"{one.placement.workload} had not set up its first iteration within {limit_s:g} s"
    if phase == "slice":
        what = "the start" if one.state.slice is None else "a slice" if one.state.slice >= 0 else "a long window"
        return f"{what} of {one.placement.workload} was not done within {limit_s:g} s"
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
