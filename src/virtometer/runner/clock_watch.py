"""The guest's clock during one run: probes before, while and after it runs, and what they and the samples say.

Where the laboratory times the run itself, the probes that count are the iterations, and the guest's clock is only told.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from virtometer.errors import LinkError
from virtometer.link import clock, passages, steps
from virtometer.link.belied import ClockBelied
from virtometer.link.corridor import Point
from virtometer.link.messages import Worked
from virtometer.link.session import Session
from virtometer.model import MAX_SLEW, ClockFault, ClockFit, ClockProbe, Limits, Sample

BURST = 8
_BURSTS_AFTER = 4
_PAUSES_AFTER_S = (0.1, 0.2, 0.4, 0.8, 1.6)  # before further bursts, which a guest with a short history needs
_PERIOD_S = 0.25
_COSTS = 2000  # probes may cost 0.1 % of one processor, and one after a long rest costs more than those that are tried
_TRIES = 3
_REST_S = 0.1  # processors that slept less are still warm, and a probe seems to cost a third
_MIDDLE = 2 / 3
_PAUSE_S = 0.02
_TOGETHER = 3  # pings of a burst between two rests, where it has any: over some time it tells a rate of its own
_ROUND_TRIPS = 200  # in a rest of a burst: the round trip leaves a quarter of a percent of the rate open then
_JITTER = 0.25
_PROBES = 2000  # a run may last an hour, and the agent may send 20,000 lines


class ClockWatch:
    """Compares the clocks around and during one run."""

    def __init__(
        self, session: Session, limits: Limits, guest_cpu_ns: Callable[[], int], costs: dict[str, float]
    ) -> None:
        """`limits` say how long an answer may take and how wrong a clock may be.

        `guest_cpu_ns` is the processor time that the guest has used so far, by the host's account. `costs` is what a
        probe costs both sides by the session's name, in s, as far as somebody has tried; this adds what it finds out.
        """
        self._session = session
        self._limits = limits
        self._guest_cpu_ns = guest_cpu_ns
        self._costs = costs
        self._history = tuple(session.history)
        self._early: list[ClockProbe] = []
        self._before: list[ClockProbe] = []
        self._after: list[ClockProbe] = []
        self._arrivals: list[Point] = []
        self._passages: list[ClockProbe] = []
        self._gone_ns: int | None = None
        self._let_go = 0
        self._next_s = 0.0
        self._pause_s = 0.0
        self.period_s = _PERIOD_S
        self.started_ns = 0

    def early(self) -> None:
        """Probe a guest that never was before it prepares its first run: preparing makes its history longer."""
        if not self._history:
            self._early.extend(self._burst())

    def before(self, seconds: float) -> None:
        """Probe before a run of `seconds`, and find out how often that may be done while it runs."""
        name = self._session.name
        if name not in self._costs:
            self._costs[name] = statistics.median(self._cost_s() for _ in range(_TRIES))
        dear_s = self._costs[name] * _COSTS
        if dear_s / 2 <= seconds:  # one alone costs no more than it may
            dear_s = min(dear_s, seconds * _MIDDLE)
        self.period_s = max(_PERIOD_S, dear_s, seconds / _PROBES)
        if self.period_s * (1 + _JITTER) >= seconds:  # perhaps none within: the bursts alone tell the rate
            self._pause_s = min(_REST_S, seconds / BURST)
        self._before.extend(self._burst())

    def starting(self) -> None:
        """`start` is about to be sent."""
        self.started_ns = time.monotonic_ns()
        self._plan_next()

    def ask(self) -> None:
        """Send a probe where one is due, without waiting. LinkTimeout when an earlier one is answered too late."""
        if time.monotonic() >= self._next_s:
            self._session.ask(self._limits.answer_s)
            self._plan_next()

    def arrived(self, last: Sample, arrived_ns: int) -> None:
        """Samples arrived, `last` being the last of them."""
        self._arrivals.append((last.end_ns, arrived_ns))

    def let_go(self, run: str) -> None:
        """Let the iteration begin that waits. Empty ones wait until both sides have slept a little."""
        if passages.is_empty(self._let_go):
            self._session.rest(_PAUSE_S)
        self._let_go += 1
        self._gone_ns = self._session.let_go(run, self._limits.answer_s)

    def worked(self, told: Worked, arrived_ns: int) -> None:
        """An iteration has worked. One that was not let go flows on from the one before it."""
        if told.ended_ns < told.began_ns:
            raise ClockBelied("the agent says that an iteration ended before it began", ClockFault("contradicts"))
        gone_ns, self._gone_ns = self._gone_ns, None
        if gone_ns is None:
            if not self._passages:
                raise LinkError("the agent worked before it was let go")
            gone_ns = self._passages[-1].received_host_ns
        self._passages.append(ClockProbe(gone_ns, told.began_ns, told.ended_ns, arrived_ns))

    def after(self) -> None:
        """Probe after the run until the rate is known well enough: at most four bursts, and then some with pauses."""
        limit = self._limits.clock_error
        for number, pause_s in enumerate((*[0.0] * _BURSTS_AFTER, *_PAUSES_AFTER_S), 1):
            if pause_s:
                self._session.rest(pause_s)
            self._after.extend(self._burst())
            if self._passages or not clock.is_linear(self._around):
                return  # more probes do not mend it; `judge` says what it is
            found = self._fit().relative_bound
            if found <= limit / 2 or (number >= _BURSTS_AFTER and (found <= limit or limit <= 2 * MAX_SLEW)):
                return  # no history bounds a rate more narrowly than the clock may be slewed

    @property
    def probes(self) -> tuple[ClockProbe, ...]:
        """All probes in the order in which they were sent, early ones and passages included."""
        return (*self._early, *self._around)

    @property
    def _around(self) -> tuple[ClockProbe, ...]:
        """Those before, during and after the run."""
        during = sorted([*self._during(), *self._passages], key=lambda probe: probe.sent_host_ns)
        return (*self._before, *during, *self._after)

    def judge(self, samples: Sequence[Sample]) -> ClockFit:
        """What converts this run's times. ClockBelied for a clock that stepped, or samples from outside of the run.

        A clock that the laboratory did not need may leap as it likes.
        """
        if self._passages:
            # Answers during the run may have waited for the work, which what the work itself tells does not.
            return passages.fit(self._passages, samples, (*self._before, *self._after))
        probes = self._around
        if probes[-1].sent_guest_ns == probes[0].received_guest_ns:
            raise clock.stood_still()
        step = steps.between(probes)
        if step is None:
            first, last = samples[0].start_ns, samples[-1].end_ns
            if first < probes[0].received_guest_ns or last > probes[-1].sent_guest_ns:
                raise ClockBelied("the agent sent samples from before or after the run", ClockFault("contradicts"))
            fitted = self._fit()
            step = steps.of_sightings(fitted, [(first, self.started_ns)], self._arrivals)
            if step is None:
                return fitted
        raise step.error(self.started_ns)

    def sized(self, belied: ClockBelied) -> ClockBelied:
        """The same, with the size of the step where the probes know it: samples tell only what they lost at least."""
        known_s = belied.fault.size_s
        step = steps.between(self._around) if belied.fault.kind == "went-back" else None
        if step is None or known_s is None or step.size_ns * 1e-9 > known_s:
            return belied
        told = step.error(self.started_ns)
        return ClockBelied(told.sentence, replace(told.fault, kind="went-back"))

    def _plan_next(self) -> None:
        """Not at equal distances, which a clock could happen to leap between."""
        self._next_s = time.monotonic() + self.period_s * random.uniform(1 - _JITTER, 1 + _JITTER)

    def _cost_s(self) -> float:
        """Processor time of one probe after a rest, the laboratory's and the guest's."""
        self._session.rest(_REST_S)
        guest_ns = self._guest_cpu_ns()
        own_ns = time.thread_time_ns()
        self._before.append(self._session.ping(self._limits.answer_s))
        own_ns = time.thread_time_ns() - own_ns
        return (own_ns + self._guest_cpu_ns() - guest_ns) * 1e-9

    def _burst(self) -> list[ClockProbe]:
        probes: list[ClockProbe] = []
        for number in range(BURST):
            if self._pause_s and number and number % _TOGETHER == 0:
                shortest_s = min(probe.away_ns for probe in probes) * 1e-9
                self._session.rest(min(self._pause_s, shortest_s * _ROUND_TRIPS))
            probes.append(self._session.ping(self._limits.answer_s))
        return probes

    def _during(self) -> list[ClockProbe]:
        return [probe for probe in self._session.probes if probe.sent_host_ns >= self.started_ns]

    def _fit(self) -> ClockFit:
        return clock.fit(self._before, self._after, self._during(), (*self._history, *self._early))
