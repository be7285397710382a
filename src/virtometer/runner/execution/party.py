"""The guests of one trial while it is executed, and what the analysis makes of their runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from virtometer.analysis.score.of_run import NoScore
from virtometer.analysis.score.overlap import (
    ENOUGH_OF_WINDOWS,
    TimedRun,
    overlap_mark,
    repeated_mark,
    shared_about_s,
    shared_s,
    within_windows,
)
from virtometer.analysis.score.slices import before_apart, counted_in_slices, disturbed_apart, slices_apart
from virtometer.analysis.score.trial import Readings, scored
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
    ServiceAccount,
    Trial,
    TrialRecord,
    of_kinds,
)
from virtometer.runner.execution.conversation import guarded, refuse_clock
from virtometer.runner.execution.failures import TrialFailed, failed
from virtometer.runner.execution.placement_run import PlacementRun
from virtometer.runner.execution.policies import Party
from virtometer.runner.guests.processors import Placed
from virtometer.runner.watch.network import port_of
from virtometer.runner.watch.observer import Observer

_WINDOWS = "their windows"

RunKey: TypeAlias = tuple[GuestKey, str]
"""Of windows in turn: the guest of a run, and its workload."""


def run_key(placement: Placement) -> RunKey:
    """Of the run that a placement is a part of."""
    return placement.guest_key, placement.workload


@dataclass(slots=True)
class Scored:
    """What a trial measured, as in its record."""

    host: HostUse | None
    marks: list[Mark]
    runs: list[Run]
    skew_ns: int = 0


class TrialParty(Party):
    """The guests of one trial. refusal: of one that is no member, because it cannot work."""

    def __init__(self, trial: Trial, seconds: float, plan: Plan, processors: int, *, several: bool) -> None:
        """`processors`: of the laboratory. several: whether guests may work at the same time."""
        super().__init__(trial, seconds)
        self._rules, self._clock_error = plan.rules, plan.limits.clock_error
        self._processors = processors
        self.several = several
        self.members: list[PlacementRun] = []
        self.refusal: TrialFailed | None = None
        self.observer = Observer([])
        self.placed: list[Placed | None] = []
        self.took_s = 0.0

    @property
    def failed(self) -> bool:
        """Whether one of its guests has failed."""
        return self.lost or self.refusal is not None or any(one.failure is not None for one in self.members)

    @property
    def lost(self) -> bool:
        """Whether one of its guests has ended by the failure of another trial."""
        return any(one.lost for one in self.members)

    @property
    def warm_up_s(self) -> float:
        """The longest of its guests."""
        return max(one.warm_up_s for one in self.members)

    def disturbed(self) -> Mapping[int, str]:
        """By what the observer read."""
        return self.observer.disturbed(self._rules)

    def hardly_shared(self) -> bool:
        """By the clocks as they are known while the guests live."""
        if self.failed or self.size == 1 or any(one.state.host_timed for one in self.members):
            return False
        runs = [
            (counted_in_slices(self.samples(at), one.warm_up_s), of_kinds(one.clock.probes, *PINGS))
            for at, one in enumerate(self.members)
        ]
        share = shared_about_s(runs) / max(self.observer.wall_s(-math.inf, math.inf), 1e-9)
        self.repeated = None if share >= ENOUGH_OF_WINDOWS else repeated_mark(share, _WINDOWS, "its rounds were")
        return self.repeated is not None

    def own(self) -> list[PlacementRun]:
        """Of windows in turn, the parts of the guests' runs that belong to this trial."""
        return [
            replace(
                one,
                placement=self.trial.placements[at],
                state=replace(one.state, samples=self.samples(at)),
                placed=self.placed[at] if self.placed else one.placed,
            )
            for at, one in enumerate(self.members)
        ]

    def scored(
        self, running: Sequence[PlacementRun], timed: Sequence[TimedRun], window: tuple[float, float], wall_s: float
    ) -> Scored:
        """What the analysis makes of these runs over a window (host ns), with what was read of the host."""
        ports = [port_of(one.running_guest.guest.network) for one in running]
        of = self.observer
        readings = Readings(
            of.use(*window),
            of.marks(*window, self._rules),
            [(of.guest_cpu_s(at, *window), of.guest_use(at, *window, port)) for at, port in enumerate(ports)],
            self._processors,
            wall_s,
        )
        limits = {"clock_error": self._clock_error, "max_stall_share": self._rules.max_stall_share}
        try:
            runs, marks = scored(timed, window, readings, **limits)
        except NoScore as cause:
            for one in running:
                if one.placement == cause.placement:
                    one.clock_fault = cause.fault
            raise TrialFailed(cause.kind, cause.reason, cause.placement) from cause
        return Scored(readings.host, marks, runs)

    def served(self, services: Sequence[PlacementRun], first: int, window: tuple[float, float]) -> list[Run]:
        """The runs of services, with what their guests cost over a window (host ns).

        first: place of the account of the first one among those that the observer reads.
        """
        of, found = self.observer, []
        for at, one in enumerate(services, first):
            port = port_of(one.running_guest.guest.network)
            account = ServiceAccount(of.guest_cpu_s(at, *window), of.guest_use(at, *window, port))
            found.append(replace(one.run(), account=account))
        return found

    def scored_windows(self, running: Sequence[PlacementRun], clocks: dict[RunKey, ClockFit], *, long: bool) -> Scored:
        """Of windows in turn. `clocks`: as far as they are known; what is found is added. long: long windows count."""
        disturbed = {} if long else self.disturbed()
        timed = []
        for one, member in zip(running, self.members, strict=True):
            refuse_clock(one)
            samples = disturbed_apart(before_apart(one.state.samples, self.first_round), disturbed)
            samples = slices_apart(samples) if long else counted_in_slices(samples, one.warm_up_s)
            one.state = replace(one.state, samples=samples)
            with guarded(one):
                key = run_key(one.placement)
                clock = clocks[key] = clocks.get(key) or one.clock.fit(member.state.samples)
                run = one.run()
            if self.several:  # what the agent says of the whole run holds for one of its trials, but for sums
                run = replace(run, report=replace(run.reported, value=None, measures={}, histograms={}))
            timed.append(one.timed(run, clock))
        cut, windows = within_windows([(one.run.samples, one.intervals) for one in timed])
        if not windows and self.size > 1:
            raise TrialFailed(FailureKind.SAMPLES, "the measured placements never ran at the same time")
        timed = [replace(one, run=replace(one.run, samples=samples)) for one, samples in zip(timed, cut, strict=True)]
        used = (sample for one in timed for sample in one.run.samples if sample.used)
        self.observer.of_long_windows = all((sample.slice or 0) < 0 for sample in used)
        rounds = {one.window.number for one in self.accounts if not one.window.long}
        self.observer.set_apart({one for one in rounds if one < self.first_round or one in disturbed})
        whole_s = self.observer.wall_s(-math.inf, math.inf)
        self.observer.set_apart({one for one in rounds if one in disturbed or (self.size > 1 and one not in windows)})
        # What is within is decided: these are the ends of all its work.
        first_ns = min(float(one.intervals.start_ns[0]) for one in timed)
        window = (first_ns, max(float(one.intervals.end_ns[-1]) for one in timed))
        found = self.scored(running, timed, window, self.observer.wall_s(*window))
        together_s = shared_s(windows.values())
        if self.several and found.host is not None:
            found.host = replace(found.host, overlap_s=together_s)
        if self.size > 1:
            share, twice = together_s / max(whole_s, 1e-9), self.repeated is not None
            mark = overlap_mark(share, of=_WINDOWS, enough=ENOUGH_OF_WINDOWS, repeated=twice)
            found.marks += [mark] if mark is not None else []
            found.skew_ns = max(one.skew_ns for one in windows.values())
        return found

    def done(self, found: Scored, started_at: str, wall_s: float) -> TrialRecord:
        """The record of the trial."""
        marks = [*self._repeated(), *found.marks]
        runs = sorted(found.runs, key=lambda run: run.placement.ordinal)
        return TrialRecord(self.trial, None, started_at, wall_s, found.skew_ns, found.host, tuple(marks), tuple(runs))

    def failed_by(
        self, cause: TrialFailed, running: Sequence[PlacementRun], started_at: str, wall_s: float
    ) -> TrialRecord:
        """The record of the trial that failed, with what its runs left; guests that broke are not used again."""
        for running_guest in cause.broken:
            running_guest.broken = True
        found = [one.failed_run(cause.failure.reason) for one in running]
        runs = [run for run in found if run is not None]
        return failed(self.trial, cause.failure, started_at, wall_s, runs, self._repeated())

    def _repeated(self) -> list[Mark]:
        return [self.repeated] if self.repeated is not None else []
