"""The guest's clock during one run: round trips before, during and after it, and what they and the samples say.

Where the laboratory times the run itself, the round trips that count are the iterations.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from virtometer.clock import iterations, line, region, steps
from virtometer.errors import ClockError, LinkError
from virtometer.link.messages import IterationDone, IterationKind
from virtometer.link.session import Session
from virtometer.model import (
    ITERATIONS,
    MAX_SLEW,
    PINGS,
    ClockFault,
    ClockFit,
    Limits,
    RoundTrip,
    RoundTripKind,
    Sample,
    of_kinds,
)

BURST = 8
_PAUSES_AFTER_S = (0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.4, 0.8, 1.6)  # those help a guest with a short history
_PERIOD_S = 0.25
PERIOD_IN_COSTS = 2000  # 0.1 % of one processor; a ping after a long pause costs more than those that are tried
_TRIES = 3
_PAUSE_S = 0.1  # processors that slept less are still warm, and a ping seems to cost a third
_NULL_PAUSE_S = 0.02
_MIDDLE = 2 / 3
_TOGETHER = 3  # pings of a burst between two pauses, where it has any: over some time it tells a rate of its own
_ROUND_TRIPS = 200  # in a pause of a burst: the round trip leaves a quarter of a percent of the rate open then
_JITTER = 0.25
_PINGS = 2000  # a run may last an hour, and the agent may send 20,000 lines


class ClockMonitor:
    """Compares the clocks around and during one run."""

    def __init__(
        self,
        session: Session,
        limits: Limits,
        guest_cpu_ns: Callable[[], int],
        costs: dict[str, float],
        *,
        host_timed: bool = False,
    ) -> None:
        """`limits` say how long an answer may take and how wrong a clock may be.

        `guest_cpu_ns` is the processor time that the guest has used so far, by the host's account. `costs` is what a
        ping costs both sides by the session's name, in s, as far as somebody has tried; this adds what it finds out.
        `host_timed`: the laboratory times the run.
        """
        self._session = session
        self._limits = limits
        self._guest_cpu_ns = guest_cpu_ns
        self._costs = costs
        self._host_timed = host_timed
        self._history: Sequence[RoundTrip] = ()
        self._trips: list[RoundTrip] = []
        self._arrivals: list[steps.Sighting] = []
        self._released_ns: int | None = None
        self._next_s = 0.0
        self._pause_s = 0.0
        self.period_s = _PERIOD_S
        self.started_ns = 0
        self.began_ns = 0

    def early(self) -> None:
        """Ping a new guest before it prepares its first run: preparing makes its history longer."""
        if not self._session.history:
            self._burst("early")

    def before(self, seconds: float) -> None:
        """Ping before a run of `seconds`, and find out how often that may be done during it."""
        name = self._session.name
        if name not in self._costs:
            self._costs[name] = statistics.median(self._cost_s() for _ in range(_TRIES))
        dear_s = self._costs[name] * PERIOD_IN_COSTS
        if dear_s / 2 <= seconds:  # one alone costs no more than it may
            dear_s = min(dear_s, seconds * _MIDDLE)
        self.period_s = max(_PERIOD_S, dear_s, seconds / _PINGS)
        if self.period_s * (1 + _JITTER) >= seconds:  # perhaps none within: the bursts alone tell the rate
            self._pause_s = min(_PAUSE_S, seconds / BURST)
        self._history = tuple(self._session.history)
        self._burst("before")

    def starting(self) -> None:
        """`start` is about to be sent."""
        self.started_ns = self.began_ns = time.monotonic_ns()
        self._plan_next()

    def ping_before_agreeing(self) -> int:
        """Ping a few times before a moment is agreed. Returns the longest of these round trips (host ns)."""
        trips = [self._session.ping(self._limits.answer_s) for _ in range(_TOGETHER)]
        self._trips += trips
        return max(trip.round_trip_ns for trip in trips)

    def agree(self, host_ns: int) -> int:
        """`go` is about to be sent for this moment of the host's clock. Returns the same moment of the guest's clock.

        By the round trip before the run that tells most: it was short, and the clock had little time to drift since.
        """
        self.starting()
        self.began_ns = host_ns
        trip = min(self._of("before"), key=lambda one: one.round_trip_ns / 2 + MAX_SLEW * (host_ns - one.sent_host_ns))
        middle_host_ns = (trip.sent_host_ns + trip.received_host_ns) // 2
        return (trip.received_guest_ns + trip.sent_guest_ns) // 2 + host_ns - middle_host_ns

    def ping(self) -> None:
        """Send a ping where one is due, without waiting. LinkTimeout when an earlier one is answered too late."""
        if time.monotonic() >= self._next_s:
            self._session.send_ping(self._limits.answer_s)
            self._plan_next()

    def ping_at_rest(self) -> None:
        """Ping where one is due, while the guest rests between slices."""
        if time.monotonic() >= self._next_s:
            self._trips.append(self._session.ping(self._limits.answer_s, "during"))
            self._plan_next()

    def arrived(self, last: Sample, arrived_ns: int) -> None:
        """Samples arrived, `last` being the last of them."""
        self._arrivals.append((last.end_ns, arrived_ns))

    def release_iteration(self, run: str, iteration: IterationKind) -> None:
        """Let the iteration begin that waits. Null iterations wait until both sides have slept a little."""
        if iteration == "null":
            self._session.pause(_NULL_PAUSE_S)
        self._released_ns = self._session.release(run, self._limits.answer_s)

    def iteration_done(self, event: IterationDone, arrived_ns: int) -> None:
        """An iteration is done. One that was not released follows on from the one before it."""
        if event.ended_ns < event.began_ns:
            raise ClockError("the agent says that an iteration ended before it began", ClockFault("contradicts"))
        sent_ns, self._released_ns = self._released_ns, None
        if not event.released and sent_ns is None and self._trips[-1].kind in ITERATIONS:
            sent_ns = self._trips[-1].received_host_ns
        elif not event.released or sent_ns is None:
            raise LinkError("an iteration of the agent was done before it was released, or follows on from none")
        self._trips.append(RoundTrip(event.iteration, sent_ns, event.began_ns, event.ended_ns, arrived_ns))

    def after(self) -> None:
        """Ping after the run until the rate is known well enough: at most four bursts, and then some with pauses."""
        limit, found = self._limits.clock_error, math.inf
        for pause_s in _PAUSES_AFTER_S:
            if pause_s and (found <= limit or limit <= 2 * MAX_SLEW):
                return  # no history bounds a rate more narrowly than the clock may be slewed
            self._session.pause(pause_s)
            self._burst("after")
            if self._host_timed or not region.is_linear(self._of(*PINGS)):
                return  # more pings do not mend it; `fit` says what it is
            found = self._line().relative_bound
            if found <= limit / 2:
                return

    @property
    def probes(self) -> tuple[RoundTrip, ...]:
        """All round trips in the order in which they were sent."""
        during = [trip for trip in self._session.probes if trip.sent_host_ns >= self.started_ns]
        return tuple(sorted([*self._trips, *during], key=lambda trip: trip.sent_host_ns))

    def _of(self, *kinds: RoundTripKind) -> list[RoundTrip]:
        return of_kinds(self.probes, *kinds)

    def fit(self, samples: Sequence[Sample]) -> ClockFit:
        """What converts this run's times. ClockError for a clock that stepped, or samples from outside of the run.

        A clock that the laboratory did not need may leap as it likes.
        """
        if self._host_timed:
            # Answers during the run may have waited for the work, which the iterations themselves do not.
            return iterations.fit(self._of(*ITERATIONS), samples, self._of("before", "after"))
        trips = self._of(*PINGS)
        if trips[-1].sent_guest_ns == trips[0].received_guest_ns:
            raise line.stood_still()
        step = steps.between(trips)
        if step is None:
            first, last = samples[0].start_ns, samples[-1].end_ns
            if first < trips[0].received_guest_ns or last > trips[-1].sent_guest_ns:
                raise ClockError("the agent sent samples from before or after the run", ClockFault("contradicts"))
            fitted = self._line()
            step = steps.of_sightings(fitted, [(first, self.started_ns)], self._arrivals)
            if step is None:
                return fitted
        raise step.error(self.started_ns)

    def sized(self, error: ClockError) -> ClockError:
        """The same, with the size of the step where the pings know it: samples tell only what they lost at least."""
        known_s = error.fault.size_s
        step = steps.between(self._of(*PINGS)) if error.fault.kind == "went-back" else None
        if step is None or known_s is None or step.size_ns * 1e-9 > known_s:
            return error
        larger = step.error(self.started_ns)
        return ClockError(larger.sentence, replace(larger.fault, kind="went-back"))

    def _plan_next(self) -> None:
        """Not at equal distances, which a clock could happen to leap between."""
        self._next_s = time.monotonic() + self.period_s * random.uniform(1 - _JITTER, 1 + _JITTER)

    def _cost_s(self) -> float:
        """Processor time of one ping after a pause, the laboratory's and the guest's.

        Where the guest's is unknown it is at most what the ping took.
        """
        self._session.pause(_PAUSE_S)
        before_ns = self._guest_ns()
        own_ns = time.thread_time_ns()
        trip = self._session.ping(self._limits.answer_s, "early")
        self._trips.append(trip)
        own_ns = time.thread_time_ns() - own_ns
        after_ns = self._guest_ns()
        guest_ns = trip.round_trip_ns if before_ns is None or after_ns is None else after_ns - before_ns
        return (own_ns + guest_ns) * 1e-9

    def _guest_ns(self) -> int | None:
        try:
            return self._guest_cpu_ns()
        except OSError:
            return None

    def _burst(self, kind: RoundTripKind) -> None:
        for number in range(BURST):
            if self._pause_s and number and number % _TOGETHER == 0:
                shortest_s = min(trip.round_trip_ns for trip in self._trips[-number:]) * 1e-9
                self._session.pause(min(self._pause_s, shortest_s * _ROUND_TRIPS))
            self._trips.append(self._session.ping(self._limits.answer_s, kind))

    def _line(self) -> ClockFit:
        return line.fit(self._of("before"), self._of("after"), self._of("during"), self._history)
