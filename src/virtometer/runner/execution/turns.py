"""Trials whose guests take turns: rounds in fresh random order, one slice for each guest, the others silent.

A trial that fails leaves the others going. METHODOLOGY has the reasons, in the chapter "Slices".
"""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from virtometer.analysis.score.slices import (
    counted_in_slices,
    disturbed_apart,
    long_windows,
    slices_apart,
)
from virtometer.analysis.score.window_level import UNLIKE, WindowLevel, level, unlike
from virtometer.deferred_signals import deferred_signals
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.slice_lengths import length_factor
from virtometer.environments.base import LabContext
from virtometer.errors import EnvironmentFailed, LinkError
from virtometer.model import FailureKind, GuestKey, Trial, TrialRecord
from virtometer.programs import now
from virtometer.runner.execution.overlap import account_mark
from virtometer.runner.execution.placement_run import PlacementRun
from virtometer.runner.execution.trial_steps import TrialFailed, TrialSteps
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch.foreign import HostWatch
from virtometer.runner.watch.host import SliceObserver

_LONG_WINDOWS = 5  # that must all change their speed: of noise alone less than one treatment of 2,000 does so
_ITERATIONS = 5  # of a slice, as the agent calibrates them; there is one more, which does not count
_LONGEST_ITERATION_S = 0.0125
_SHORTEST_WINDOW = 12  # slices in a long window, for its halves to be compared
_FEWEST_ROUNDS = 6
_ENOUGH_TIME = 2.0  # of the time that the planned slices take


@dataclass(slots=True)
class _Turn:
    """One of the trials. `running` is empty until it was admitted; `failure` ends it."""

    trial: Trial
    running: list[PlacementRun] = field(default_factory=list)
    observer: SliceObserver | None = None
    failure: TrialFailed | None = None
    watch: HostWatch | None = None
    worked_s: float = 0.0  # in slices of this trial, run-in included
    took_s: float = 0.0  # of the laboratory's time, for this trial alone
    rounds: list[int] = field(default_factory=list)  # in which it had a slice

    @property
    def key(self) -> tuple[str, str]:
        """Environment and workload."""
        return self.one.placement.environment, self.one.placement.workload

    @property
    def one(self) -> PlacementRun:
        """Its placement: trials that take turns have one each."""
        return self.running[0]


class TurnRunner(TrialSteps):
    """Executes trials of one workload together, each in a guest of its own that is already running."""

    def __init__(self, resolved: ResolvedPlan, lab: LabContext, records: Sequence[TrialRecord] = ()) -> None:
        """As TrialSteps. `records`: of trials that are done; what was found out in them is not found out again."""
        super().__init__(resolved, lab)
        # By environment and workload: whether long windows count.
        self._changes = {
            (run.placement.environment, run.placement.workload): run.in_long_windows
            for record in records
            for run in record.scored
            if run.in_slices
        }
        self._seed = 0

    def run(
        self, trials: Sequence[Trial], running_guests: Mapping[GuestKey, RunningGuest], seed: int
    ) -> list[TrialRecord]:
        """Execute the trials. The records are in their order; `seed`: of the order of the slices and their lengths."""
        turns = [_Turn(trial) for trial in trials]
        self._seed = seed
        try:
            return self._run(turns, running_guests, Generator(seed))
        finally:
            for turn in turns:
                if turn.watch is not None:
                    turn.watch.close()

    def _run(
        self, turns: Sequence[_Turn], running_guests: Mapping[GuestKey, RunningGuest], generator: Generator
    ) -> list[TrialRecord]:
        started_at = now()
        # One after the other: a guest that calibrates beside others calibrates wrongly.
        for turn in turns:
            with self._failing(turn):
                self._make_ready(turn, running_guests)
        self._each(turns, lambda turn: turn.one.clock.before(turn.one.seconds * len(turns)))
        self._each(turns, self._begin)
        found_out = set(self._changes)
        apart = self._in_long_windows(turns, generator)
        sliced = [turn for turn in turns if turn.failure is None and turn not in apart]
        self._in_slices(sliced, generator)
        sliced = [turn for turn in sliced if turn.failure is None]
        self._compare_with_long_windows([turn for turn in sliced if turn.key not in found_out])
        self._each(turns, self._stop)
        self._each(turns, lambda turn: turn.one.clock.after())
        known = {turn.key for turn in turns if turn.failure is None}  # the baseline has two guests
        for turn in turns:
            if turn.failure is not None and turn.running and turn.key not in known:  # nothing is known of its speed
                self._changes.pop(turn.key, None)
        return [self._record(turn, started_at) for turn in turns]

    def _make_ready(self, turn: _Turn, running_guests: Mapping[GuestKey, RunningGuest]) -> None:
        (placement,) = turn.trial.placements
        one = self._admit(placement, running_guests[placement.guest_key], turn.trial)
        turn.running.append(one)
        self._place(turn.running, turn.trial.block)
        self._address(one, {})
        one.running_guest.session.begin_run()
        with self._guarded(one):
            one.clock.early()
            self._prepare(one, one.work.agent_op, one.work.threads)
        self._wait(turn.running, "ready", self._plan.limits.prepare_s, None)
        turn.watch = self._watch(turn.running, running_guests.values())
        guest = one.running_guest.guest
        turn.observer = SliceObserver([guest.cpu_ns], turn.watch, parts=[guest.cpu_parts])

    def _begin(self, turn: _Turn) -> None:
        self._start(turn.running)
        self._wait_for_rest(turn.one, self._plan.limits.answer_s, "the start")

    def _in_long_windows(self, turns: Sequence[_Turn], generator: Generator) -> list[_Turn]:
        """Those whose long windows count, because slices measure only the beginning of one. They have worked then.

        Whether it is so is found out at the first turns of a treatment. Of a baseline that changes its speed nothing
        can be said by slices.
        """
        working = [turn for turn in turns if turn.failure is None]
        baseline = [turn for turn in working if turn.one.placement.environment == self._plan.baseline]
        fresh = _first_of_each([turn for turn in working if turn.key not in self._changes])
        self._examine(fresh, baseline[:1], generator)
        apart = [turn for turn in working if self._changes.get(turn.key)]
        if any(turn in apart for turn in baseline):
            apart = working
        missing = [turn for turn in apart if turn not in fresh]
        for turn in generator.shuffled(_once([*missing, *baseline]) if missing else []):
            self._long_window(turn)
        return apart

    def _examine(self, turns: Sequence[_Turn], baseline: Sequence[_Turn], generator: Generator) -> None:
        """Find out which change their speed in each of a few long windows: noise seldom does so.

        A treatment does where it changes otherwise than the baseline beside it; the baseline, by a factor of 1.5. The
        guests take turns here too, because one that goes on at once begins as it ended.
        """
        self._changes |= {turn.key: True for turn in turns}
        suspects, faster = turns, dict[tuple[str, str], bool]()
        for number in range(1, _LONG_WINDOWS + 1):
            for turn in generator.shuffled(_once([*suspects, *baseline]) if suspects else []):
                self._long_window(turn)
            of_baseline = self._level(baseline[0], number) if baseline else None
            for turn in suspects:
                found = self._level(turn, number)
                beside, margin = of_baseline, self._plan.margin
                if turn in baseline:
                    beside, margin = None, max(margin, math.expm1(UNLIKE))
                # What is no noise changes in the same direction each time.
                self._changes[turn.key] = (
                    found is not None
                    and found.changes(margin, beside)
                    and faster.setdefault(turn.key, found.change(beside) > 0) is (found.change(beside) > 0)
                )
            suspects = [turn for turn in suspects if self._changes[turn.key] and turn.failure is None]

    def _level(self, turn: _Turn, number: int) -> WindowLevel | None:
        """Of the long window with this number."""
        window = long_windows(turn.one.state.samples).get(-number, [])
        return level(window, round(self._plan.slice_s * 1e9), turn.one.run_in_s)

    def _compare_with_long_windows(self, turns: Sequence[_Turn]) -> None:
        """Find those that were another in slices than in their long windows, where they had any."""
        baseline = [turn for turn in turns if turn.one.placement.environment == self._plan.baseline]
        beside = baseline[0].one.state.samples if baseline else ()
        piece_ns = round(self._plan.slice_s * 1e9)
        for turn in turns:
            run_ins_s = turn.one.run_in_s, baseline[0].one.run_in_s if baseline else 0.0
            if turn not in baseline and unlike(turn.one.state.samples, beside, piece_ns, run_ins_s):
                self._changes[turn.key] = True
                turn.one.state = replace(turn.one.state, samples=slices_apart(turn.one.state.samples))

    def _long_window(self, turn: _Turn) -> None:
        if turn.failure is None:
            with self._failing(turn):
                number = len(long_windows(turn.one.state.samples)) + 1
                shortest_s = _SHORTEST_WINDOW * self._plan.slice_s + self._run_in_s(turn)
                self._slice(turn, -number, max(turn.one.seconds, shortest_s))

    def _in_slices(self, turns: Sequence[_Turn], generator: Generator) -> None:
        """The rounds. Where the plan wants them, a long window of each comes before or after all rounds, by chance."""
        windows = generator.shuffled(turns) if self._plan.long_windows == "each" else []
        before = bool(windows) and generator.below(2) == 0
        for turn in windows if before else []:
            self._long_window(turn)
        self._rounds(turns, generator)
        for turn in [] if before else windows:
            self._long_window(turn)

    def _rounds(self, turns: Sequence[_Turn], generator: Generator) -> None:
        """As many as the window has slices. A guest whose iterations are longer than slices has fewer of them."""
        working = [turn for turn in turns if turn.failure is None]
        seconds = max((turn.one.seconds for turn in working), default=0.0)
        count = max(round(seconds / self._plan.slice_s), 1)
        enough_s = _ENOUGH_TIME * count * (self._plan.slice_s + max(map(self._run_in_s, working), default=0.0))
        for number in range(count):
            self._round(working, number, enough_s, generator)
        for number in range(count, count + min(self._lost(working), count // 2)):
            self._round(working, number, enough_s, generator)
        for turn in working:
            self._set_apart(turn)

    def _round(self, turns: Sequence[_Turn], number: int, enough_s: float, generator: Generator) -> None:
        for turn in generator.shuffled(turns):
            if turn.failure is None and (number < _FEWEST_ROUNDS or turn.worked_s < enough_s):
                with self._failing(turn):
                    begun = time.monotonic()
                    self._slice(turn, number, self._length_s(turn, number))
                    turn.worked_s += time.monotonic() - begun
                    turn.rounds.append(number)

    def _lost(self, turns: Sequence[_Turn]) -> int:
        """The most slices of one guest so far in which others disturbed it. All have as many rounds more."""
        rules = self._plan.rules
        return max((len(turn.observer.disturbed(rules)) for turn in turns if turn.observer is not None), default=0)

    def _set_apart(self, turn: _Turn) -> None:
        """Set aside the slices in which others disturbed the guest."""
        assert turn.observer is not None
        disturbed = turn.observer.disturbed(self._plan.rules)
        turn.observer.set_apart(disturbed)
        reasons = {turn.rounds[number]: reason for number, reason in disturbed.items() if number < len(turn.rounds)}
        turn.one.state = replace(turn.one.state, samples=disturbed_apart(turn.one.state.samples, reasons))

    def _slice(self, turn: _Turn, number: int, seconds: float) -> None:
        """One slice of so many seconds. `number`: below 0 for a long window."""
        one, observer = turn.one, turn.observer
        assert observer is not None
        with self._guarded(one):
            one.clock.ping_at_rest()
            observer.begin(long_window=number < 0)
            one.running_guest.session.release(one.state.run, self._plan.limits.answer_s, seconds)
        one.state = one.state.released(number)
        what = "a slice" if number >= 0 else "a long window"
        self._wait_for_rest(one, seconds + self._plan.limits.run_extra_s, what)
        observer.end()

    def _length_s(self, turn: _Turn, number: int) -> float:
        """Of a slice in this round, with what does not count of it: what counts is as long for all guests."""
        return self._plan.slice_s * length_factor(self._seed, number) + self._run_in_s(turn)

    def _run_in_s(self, turn: _Turn) -> float:
        """What of a slice does not count: one iteration, or as long as the kind of guest needs."""
        iteration_s = min(self._plan.slice_s / _ITERATIONS, _LONGEST_ITERATION_S)
        return max(iteration_s, turn.one.run_in_s)

    def _wait_for_rest(self, one: PlacementRun, limit_s: float, what: str) -> None:
        """Take events until the run waits for its next slice; `what` it does until then."""
        deadline = time.monotonic() + limit_s
        session = one.running_guest.session
        while True:
            with self._guarded(one):
                self._take(one, [one])  # first: what came with an earlier answer is in no descriptor any more
                if one.state.phase == "done":
                    raise LinkError("the agent ended a run in slices that was not stopped")
            self._refuse_fault(one)
            left = deadline - time.monotonic()
            if one.state.waits is not None:
                return
            if left <= 0:
                self._refuse_clock(one)
                reason = f"{what} of {one.placement.workload} was not done within {limit_s:g} s"
                raise TrialFailed(FailureKind.TIME_LIMIT, reason, one.placement, [one.running_guest])
            select.select([session], [], [], left)

    def _stop(self, turn: _Turn) -> None:
        one = turn.one
        with self._guarded(one):
            one.running_guest.session.request("stop", {"run": one.state.run}, self._plan.limits.answer_s)
        self._wait(turn.running, "done", self._plan.limits.run_extra_s, None)

    def _record(self, turn: _Turn, started_at: str) -> TrialRecord:
        if turn.failure is None:
            with self._failing(turn):
                assert turn.observer is not None
                state = turn.one.state
                if not self._changes[turn.key]:
                    run_in_s = turn.one.run_in_s
                    state = turn.one.state = replace(state, samples=counted_in_slices(state.samples, run_in_s))
                turn.observer.of_long_windows = all((one.slice or 0) < 0 for one in state.samples if one.used)
                host, marks, runs = self._score(turn.running, turn.observer)
                account = None if host is None else account_mark(runs, len(self._lab.processors), host.wall_s)
                marks = (*marks, *([account] if account is not None else []))
                return TrialRecord(turn.trial, None, started_at, turn.took_s, 0, host, marks, tuple(runs))
        assert turn.failure is not None
        return self._failed(turn.trial, turn.failure, turn.running, started_at, turn.took_s)

    def _each(self, turns: Sequence[_Turn], step: Callable[[_Turn], None]) -> None:
        """A step of every trial that has not failed."""
        for turn in turns:
            if turn.failure is None:
                with self._failing(turn), self._guarded(turn.one):
                    step(turn)

    @contextmanager
    def _failing(self, turn: _Turn) -> Iterator[None]:
        """A failure ends this trial alone. What is done here is a part of what it took."""
        begun = time.monotonic()
        try:
            yield
        except TrialFailed as cause:
            turn.failure = cause
            if turn.running and turn.one.state.phase in ("ready", "running"):
                turn.one.running_guest.broken = True  # its run is still there
            for running_guest in cause.broken:  # it may go on working beside the others
                running_guest.broken = True
                with deferred_signals(), suppress(EnvironmentFailed):
                    running_guest.stop()
        finally:
            turn.took_s += time.monotonic() - begun


def _first_of_each(turns: Sequence[_Turn]) -> list[_Turn]:
    """The first of each treatment: the baseline has two guests."""
    return list({turn.key: turn for turn in reversed(turns)}.values())[::-1]


def _once(turns: Sequence[_Turn]) -> list[_Turn]:
    """Each once, in this order."""
    return list({id(turn): turn for turn in turns}.values())
