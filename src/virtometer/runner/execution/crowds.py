"""Interleaved trials of 1, 2, ... guests: in each round every number of guests has a short window of its own.

The guests of all these trials live and are prepared once. In a window those of one trial are released together, and the
others are silent. Each trial has a record of its own, scored over the stretches in which all its guests worked.
METHODOLOGY has the reasons, in the chapter "Windows of several guests".
"""

from __future__ import annotations

import math
import select
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from virtometer.analysis.score.slices import (
    before_apart,
    counted_in_slices,
    disturbed_apart,
    long_windows,
    slices_apart,
)
from virtometer.analysis.score.window_level import level
from virtometer.clock import intervals
from virtometer.deferred_signals import deferred_signals
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.scenarios import WINDOW_SLICES, window_count
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.slice_lengths import length_factor
from virtometer.design.schedule.start_order import started_in_order
from virtometer.environments.base import LabContext
from virtometer.errors import EnvironmentFailed, LinkError
from virtometer.model import (
    PINGS,
    AgentReport,
    ClockFit,
    FailureKind,
    GuestKey,
    Mark,
    Placement,
    Run,
    Sample,
    Trial,
    TrialRecord,
    of_kinds,
)
from virtometer.programs import now
from virtometer.runner.execution.overlap import (
    ENOUGH_OF_WINDOWS,
    LONGER,
    TimedRun,
    account_mark,
    overlap_mark,
    repeated_mark,
    shared_about_s,
    shared_s,
    within_windows,
)
from virtometer.runner.execution.placement_run import PlacementRun
from virtometer.runner.execution.trial_steps import TrialFailed, TrialSteps
from virtometer.runner.guests.processors import Placed
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.watch.foreign import HostWatch
from virtometer.runner.watch.host import SliceObserver
from virtometer.runner.watch.network import NetworkWatch

_LONG_WINDOWS = 5  # that must all change their speed
_CHANGED = math.log(1.5)
_ITERATIONS = 6  # of a window, at least
_FEWEST_ROUNDS = 6
_WINDOWS = "their windows"
_ENOUGH_TIME = 2.0  # of the time that the planned windows take


@dataclass(slots=True)
class _Member:
    """One guest, with the run that all its trials share. `failure` ends them."""

    of: PlacementRun
    failure: TrialFailed | None = None
    clock: ClockFit | None = None
    beside: int = 0  # guests for which it was placed


@dataclass(slots=True)
class _Crowd:
    """One of the trials: its guests in the order of its placements. `number`: among all trials."""

    trial: Trial
    number: int
    members: list[_Member]
    watch: HostWatch
    network: NetworkWatch
    observer: SliceObserver
    placed: list[Placed] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)  # in which it had a window
    long: int = 0  # windows
    worked_s: float = 0.0
    took_s: float = 0.0
    first_round: int = 0  # that counts: above 0 where they were repeated
    longer: float = 1.0  # its windows, by that factor
    repeated: Mark | None = None

    @property
    def environment(self) -> str:
        """Of all its guests."""
        return self.trial.placements[0].environment

    @property
    def failed(self) -> bool:
        """Whether one of its guests has failed."""
        return any(member.failure is not None for member in self.members)

    @property
    def run_in_s(self) -> float:
        """What does not count of a window, beside its first iteration."""
        return max(member.of.run_in_s for member in self.members)


class CrowdRunner(TrialSteps):
    """Executes trials of one workload with several numbers of guests, in guests that are already running."""

    def __init__(self, resolved: ResolvedPlan, lab: LabContext, records: Sequence[TrialRecord] = ()) -> None:
        """As TrialSteps. `records`: of trials that are done; what was found out in them is not found out again."""
        super().__init__(resolved, lab)
        # By environment and workload: whether long windows count.
        self._changes: dict[tuple[str, str], bool] = {}
        for record in records:
            if self._plan.scenario(record.trial.scenario).type == "together":
                for run in record.scored:
                    if run.in_slices:
                        self._changes[run.placement.environment, run.placement.workload] = run.in_long_windows
        self._iterations_s: dict[tuple[str, int], list[float]] = {}  # by environment and number of guests
        self._count = self._seed = 0

    def run(
        self, trials: Sequence[Trial], running_guests: Mapping[GuestKey, RunningGuest], seed: int
    ) -> list[TrialRecord]:
        """Execute the trials. The records are in their order; `seed`: of the order of the windows and their lengths."""
        started_at = now()
        self._seed = seed
        members: dict[GuestKey, _Member] = {}
        refused: dict[GuestKey, TrialFailed] = {}
        first = {key: trial for trial in reversed(trials) for key in trial.guests}
        self._iterations_s, self._count = {}, len(trials)
        begun = time.monotonic()
        # One after the other: a guest that calibrates beside others calibrates wrongly.
        for key in started_in_order(trial.placements for trial in trials):
            placement = Placement(key.environment, first[key].placements[0].workload, guest=key.number)
            try:
                members[key] = _Member(self._admit(placement, running_guests[key], first[key]))
            except TrialFailed as refusal:
                refused[key] = refusal
                continue
            with self._failing(members[key]):
                self._make_ready(members[key].of)
            if (failure := members[key].failure) is not None:
                refused[key] = failure
                del members[key]
        crowds: list[_Crowd] = []
        try:
            for number, trial in enumerate(trials):
                if not any(key in refused for key in trial.guests):
                    crowds.append(self._crowd(number, trial, members, running_guests))
            self._execute(list(members.values()), crowds, Generator(seed))
        finally:
            for crowd in crowds:
                crowd.watch.close()
                crowd.network.close()
        shared_s = (time.monotonic() - begun - sum(crowd.took_s for crowd in crowds)) / max(len(trials), 1)
        found = {crowd.number: self._record(crowd, started_at, shared_s) for crowd in crowds}
        for number, trial in enumerate(trials):
            if number not in found:
                key = next(key for key in trial.guests if key in refused)
                found[number] = self._failed(trial, _of(refused[key], trial, key), [], started_at, shared_s)
        return [found[number] for number in range(len(trials))]

    def _make_ready(self, one: PlacementRun) -> None:
        self._place([one], 0)
        self._address(one, {})
        one.running_guest.session.begin_run()
        with self._guarded(one):
            one.clock.early()
            self._prepare(one, one.work.agent_op, one.work.threads)
        self._wait([one], "ready", self._plan.limits.prepare_s, None)

    def _crowd(
        self,
        number: int,
        trial: Trial,
        members: Mapping[GuestKey, _Member],
        running_guests: Mapping[GuestKey, RunningGuest],
    ) -> _Crowd:
        mine = [members[key] for key in trial.guests]
        runs = [member.of for member in mine]
        self._place_together(mine, trial.block)
        network = NetworkWatch([one.running_guest.guest.network for one in runs])
        watch = self._watch(runs, running_guests.values())
        guests = [one.running_guest for one in runs]
        observer = SliceObserver(
            [one.whole.cpu_ns for one in guests],
            watch,
            several=True,
            parts=[one.cpu_parts for one in guests],
            network=network,
        )
        placed = [one.placed for one in runs if one.placed is not None]
        return _Crowd(trial, number, mine, watch, network, observer, placed)

    def _execute(self, members: Sequence[_Member], crowds: Sequence[_Crowd], generator: Generator) -> None:
        workload = crowds[0].trial.placements[0].workload if crowds else ""
        longest_s = sum(max(member.of.seconds for member in crowd.members) for crowd in crowds)
        self._each(members, lambda one: one.clock.before(longest_s))
        self._each(members, lambda one: self._begin(one))
        self._examine(crowds, workload, generator)
        apart = [crowd for crowd in crowds if self._changes.get((crowd.environment, workload))]
        for crowd in generator.shuffled(apart):
            if crowd.long == 0:
                self._long_window(crowd, generator)
        self._rounds([crowd for crowd in crowds if crowd not in apart], workload, generator)
        self._each(members, self._stop)
        self._each(members, lambda one: one.clock.after())
        for member in members:
            if member.failure is not None:  # nothing is known of its speed
                self._changes.pop((member.of.placement.environment, workload), None)

    def _begin(self, one: PlacementRun) -> None:
        self._start([one])
        self._wait_for_rest([_Member(one)], self._plan.limits.answer_s, "the start", failing=False)

    def _examine(self, crowds: Sequence[_Crowd], workload: str, generator: Generator) -> None:
        """Find the environments in which guests change their speed in each of a few long windows.

        What they reach together when a short window ends is compared with the second half. Noise seldom changes it by
        a factor of 1.5 in the same direction each time.
        """
        fresh = {crowd.environment for crowd in crowds if (crowd.environment, workload) not in self._changes}
        suspects = _first_of_each([crowd for crowd in crowds if crowd.environment in fresh])
        directions: dict[int, set[bool]] = {}
        for _ in range(_LONG_WINDOWS):
            for crowd in generator.shuffled(suspects) if suspects else []:
                self._long_window(crowd, generator)
            still = []
            for crowd in suspects:
                change = 0.0 if crowd.failed else self._change(crowd)
                directions.setdefault(crowd.number, set()).add(change > 0)
                if abs(change) > _CHANGED and len(directions[crowd.number]) == 1:
                    still.append(crowd)
            suspects = still
        changed = {crowd.environment for crowd in suspects}
        self._changes |= {(environment, workload): environment in changed for environment in fresh}

    def _change(self, crowd: _Crowd) -> float:
        """Log of the sum in the second half of the last long window by that at its beginning; 0 where it is unknown."""
        piece_ns = round(self._plan.slice_s * WINDOW_SLICES * 1e9)
        beginning = later = 0.0
        for member in crowd.members:
            samples = _own_samples(member.of.state.samples, crowd.number, self._count)
            found = level(long_windows(samples).get(-crowd.long, []), piece_ns, crowd.run_in_s)
            if found is None:
                return 0.0
            beginning, later = beginning + found.beginning, later + found.later
        return math.log(later / beginning)

    def _long_window(self, crowd: _Crowd, generator: Generator) -> None:
        if not crowd.failed:
            crowd.long += 1
            seconds = max(member.of.seconds for member in crowd.members)
            shortest_s = _ITERATIONS * WINDOW_SLICES * self._plan.slice_s + crowd.run_in_s
            self._window(crowd, -crowd.long, max(seconds, shortest_s), generator)

    def _rounds(self, crowds: Sequence[_Crowd], workload: str, generator: Generator) -> None:
        """As many as there are windows in the planned time, and some more where others disturbed the guests."""
        if not crowds:
            return
        count = window_count(self._plan, workload)
        for number in range(count):
            self._round(crowds, number, count, generator)
        lost = max((len(crowd.observer.disturbed(self._plan.rules)) for crowd in crowds), default=0)
        for number in range(count, count + min(lost, count // 2)):
            self._round(crowds, number, count, generator)
        self._repeat([crowd for crowd in crowds if self._hardly_shared(crowd)], count, generator)

    def _hardly_shared(self, crowd: _Crowd) -> bool:
        """Whether guests ran together for too little of their windows. The mark of its repetition says so."""
        if crowd.failed or len(crowd.members) == 1 or any(member.of.state.host_timed for member in crowd.members):
            return False
        runs = []
        for member in crowd.members:
            samples = _own_samples(member.of.state.samples, crowd.number, self._count)
            samples = counted_in_slices(samples, member.of.run_in_s)
            runs.append((samples, of_kinds(member.of.clock.probes, *PINGS)))
        share = shared_about_s(runs) / max(crowd.observer.wall_s(-math.inf, math.inf), 1e-9)
        crowd.repeated = None if share >= ENOUGH_OF_WINDOWS else repeated_mark(share, _WINDOWS, "its rounds were")
        return crowd.repeated is not None

    def _repeat(self, crowds: Sequence[_Crowd], count: int, generator: Generator) -> None:
        """The rounds of these once more, with longer windows: those before do not count."""
        first = max((number + 1 for crowd in crowds for number in crowd.rounds), default=0)
        for crowd in crowds:
            crowd.first_round, crowd.longer, crowd.worked_s = first, LONGER, 0.0
        for number in range(first, first + count):
            self._round(crowds, number, count, generator)

    def _round(self, crowds: Sequence[_Crowd], number: int, count: int, generator: Generator) -> None:
        """One window for each number of guests of each environment: numbers of one environment next to each other.

        Trials of as many guests have their windows in turn: one in each round.
        """
        for alike in generator.shuffled(list(_by(crowds, lambda one: one.environment).values())):
            sizes = _by(alike, lambda one: len(one.members))
            turns = [same[number % len(same)] for same in sizes.values()]
            for crowd in generator.shuffled(turns):
                share = len(sizes[len(crowd.members)])
                planned_s = crowd.longer * self._plan.slice_s * WINDOW_SLICES + crowd.run_in_s
                enough_s = _ENOUGH_TIME * count * planned_s / share
                few = number < crowd.first_round + _FEWEST_ROUNDS
                if not crowd.failed and (few or crowd.worked_s < enough_s):
                    begun = time.monotonic()
                    crowd.rounds.append(number)
                    self._window(crowd, number, self._length_s(crowd, number), generator)
                    crowd.worked_s += time.monotonic() - begun

    def _length_s(self, crowd: _Crowd, number: int) -> float:
        """Of a window in this round: long enough for some iterations of the guests."""
        known = {
            count: statistics.median(of)
            for (name, count), of in self._iterations_s.items()
            if name == crowd.environment
        }
        iteration_s = known.get(len(crowd.members), max(known.values(), default=0.0))
        usual_s = crowd.longer * max(WINDOW_SLICES * self._plan.slice_s, _ITERATIONS * iteration_s)
        return usual_s * length_factor(self._seed, number) + crowd.run_in_s

    def _window(self, crowd: _Crowd, number: int, seconds: float, generator: Generator) -> None:
        """One window of so many seconds. `number` is below 0 for a long one."""
        begun = time.monotonic()
        self._place_together(crowd.members, crowd.trial.block)
        for member in crowd.members:
            with self._failing(member), self._guarded(member.of):
                member.of.clock.ping_at_rest()
        crowd.observer.begin(long_window=number < 0)
        if not crowd.failed:
            self._release_together(generator.shuffled(crowd.members), seconds, self._slice(crowd, number))
            limit_s = seconds * len(crowd.members) + self._plan.limits.run_extra_s
            self._wait_for_rest(crowd.members, limit_s, "a window", (time.monotonic() + seconds / 2, crowd.observer))
        crowd.observer.end()
        if not crowd.failed:
            self._learn(crowd)
        crowd.took_s += time.monotonic() - begun

    def _release_together(self, members: Sequence[_Member], seconds: float, number: int) -> None:
        """Let a window of these guests begin: every `go` is sent before any answer is waited for."""
        sent = []
        for member in members:
            one = member.of
            one.state = one.state.released(number)
            with self._failing(member), self._guarded(one):
                arguments = {"run": one.state.run, "slice_s": seconds}
                sent.append((member, one.running_guest.session.send("go", arguments, self._plan.limits.answer_s)))
        for member, request in sent:
            with self._failing(member), self._guarded(member.of):
                member.of.running_guest.session.answer(request)

    def _slice(self, crowd: _Crowd, number: int) -> int:
        """The number of a window among those of all trials: a guest has one run for all its trials."""
        return number * self._count + crowd.number if number >= 0 else number * self._count - crowd.number

    def _learn(self, crowd: _Crowd) -> None:
        """Keep how long the iterations of this window were: the median of that guest whose iterations were longest."""
        usual_s = []
        for member in crowd.members:
            samples = member.of.state.samples
            last = [one.end_ns - one.start_ns for one in samples[-64:] if one.slice == samples[-1].slice]
            usual_s.append(statistics.median(last) * 1e-9)
        self._iterations_s.setdefault((crowd.environment, len(crowd.members)), []).append(max(usual_s))

    def _place_together(self, members: Sequence[_Member], block: int) -> None:
        """Bind guests for work with as many others, where they were not."""
        if any(member.beside != len(members) for member in members):
            self._place([member.of for member in members], block)
            for member in members:
                member.beside = len(members)

    def _wait_for_rest(
        self,
        members: Sequence[_Member],
        limit_s: float,
        what: str,
        counting: tuple[float, SliceObserver] | None = None,
        *,
        failing: bool = True,
    ) -> None:
        """Take events until every guest that has not failed waits for its next window; `what` it does until then.

        counting: when the threads that want a processor are counted meanwhile (time.monotonic), and by whom.
        """
        deadline = time.monotonic() + limit_s
        while True:
            for member in [one for one in members if one.failure is None and one.of.state.waits is None]:
                with self._failing(member, passing=not failing):
                    one = member.of
                    with self._guarded(one):
                        self._take(one, [one])  # first: what came with an earlier answer is in no descriptor any more
                        if one.state.phase == "done":
                            raise LinkError("the agent ended a run in windows that was not stopped")
                    self._refuse_fault(one)
            working = [one for one in members if one.failure is None and one.of.state.waits is None]
            left = deadline - time.monotonic()
            if not working:
                return
            if left > 0:
                until = left if counting is None else min(left, max(counting[0] - time.monotonic(), 0.0))
                select.select([one.of.running_guest.session for one in working], [], [], until)
                if counting is not None and time.monotonic() >= counting[0]:
                    counting[1].count_runnable()
                    counting = None
                continue
            for member in working:
                with self._failing(member, passing=not failing):
                    self._refuse_clock(member.of)
                    reason = f"{what} of {member.of.placement.workload} was not done within {limit_s:g} s"
                    broken = [member.of.running_guest]
                    raise TrialFailed(FailureKind.TIME_LIMIT, reason, member.of.placement, broken)

    def _stop(self, one: PlacementRun) -> None:
        with self._guarded(one):
            one.running_guest.session.request("stop", {"run": one.state.run}, self._plan.limits.answer_s)
        self._wait([one], "done", self._plan.limits.run_extra_s, None)

    def _each(self, members: Sequence[_Member], step: Callable[[PlacementRun], None]) -> None:
        """A step of every guest that has not failed."""
        for member in members:
            if member.failure is None:
                with self._failing(member), self._guarded(member.of):
                    step(member.of)

    @contextmanager
    def _failing(self, member: _Member, *, passing: bool = False) -> Iterator[None]:
        """A failure ends the trials of this guest. passing: somebody else takes care of it."""
        try:
            yield
        except TrialFailed as cause:
            if passing:
                raise
            member.failure = cause
            if member.of.state.phase in ("ready", "running"):
                member.of.running_guest.broken = True  # its run is still there
            for running_guest in cause.broken:  # it may go on working beside the others
                running_guest.broken = True
                with deferred_signals(), suppress(EnvironmentFailed):
                    running_guest.stop()

    def _record(self, crowd: _Crowd, started_at: str, shared_s: float) -> TrialRecord:
        wall_s = crowd.took_s + shared_s
        running = [self._own(crowd, placement) for placement in crowd.trial.placements]
        failures = [member for member in crowd.members if member.failure is not None]
        if not failures:
            try:
                return self._scored_crowd(crowd, running, started_at, wall_s)
            except TrialFailed as unscored:
                return _marked(self._failed(crowd.trial, unscored, running, started_at, wall_s), crowd)
        failure = failures[0].failure
        assert failure is not None
        cause = _of(failure, crowd.trial, failures[0].of.placement.guest_key)
        record = _marked(self._failed(crowd.trial, cause, running, started_at, wall_s), crowd)
        for member in crowd.members:  # the others ended their runs
            member.of.running_guest.broken = member.failure is not None and member.of.running_guest.broken
        return record

    def _own(self, crowd: _Crowd, placement: Placement) -> PlacementRun:
        """The part of a guest's run that belongs to this trial."""
        member = crowd.members[placement.ordinal]
        state = member.of.state
        samples = _own_samples(state.samples, crowd.number, self._count)
        placed = crowd.placed[placement.ordinal] if placement.ordinal < len(crowd.placed) else None
        return replace(member.of, placement=placement, state=replace(state, samples=samples), placed=placed)

    def _scored_crowd(
        self, crowd: _Crowd, running: Sequence[PlacementRun], started_at: str, wall_s: float
    ) -> TrialRecord:
        changes = self._changes.get((crowd.environment, running[0].placement.workload), False)
        observer = crowd.observer
        observer.of_long_windows = changes
        disturbed = {} if changes else observer.disturbed(self._plan.rules)
        reasons = {crowd.rounds[at]: reason for at, reason in disturbed.items()}
        for one, member in zip(running, crowd.members, strict=True):
            self._refuse_clock(member.of)
            samples = disturbed_apart(before_apart(one.state.samples, crowd.first_round), reasons)
            run_in_s = one.run_in_s
            samples = slices_apart(samples) if changes else counted_in_slices(samples, run_in_s)
            one.state = replace(one.state, samples=samples)
            if member.clock is None:
                with self._guarded(member.of):
                    member.clock = member.of.clock.fit(member.of.state.samples)
        clocks = [member.clock for member in crowd.members if member.clock is not None]
        timed = [self._timed_run(one, clock) for one, clock in zip(running, clocks, strict=True)]
        cut, windows = within_windows([(found.run.samples, found.intervals) for found in timed])
        if not windows:
            raise TrialFailed(FailureKind.SAMPLES, "the measured placements never ran at the same time")
        timed = [replace(one, run=replace(one.run, samples=samples)) for one, samples in zip(timed, cut, strict=True)]
        before = {at: "" for at, number in enumerate(crowd.rounds) if number < crowd.first_round}
        lost = {at: "" for at, number in enumerate(crowd.rounds) if number not in windows}
        observer.set_apart({**before, **disturbed})
        whole_s = observer.wall_s(-math.inf, math.inf)
        observer.set_apart({**lost, **disturbed})
        # What is within is decided: these are the ends of all its work.
        first_ns = min(float(one.intervals.start_ns[0]) for one in timed)
        stretch = (first_ns, max(float(one.intervals.end_ns[-1]) for one in timed))
        together_s = shared_s(windows.values())
        host = observer.use(*stretch)
        host = None if host is None else replace(host, overlap_s=together_s)
        runs: list[Run] = []
        marks = [*([crowd.repeated] if crowd.repeated else []), *observer.marks(*stretch, self._plan.rules)]
        for index, found in enumerate(timed):
            run, mark = self._scored_run(index, found, observer, stretch)
            runs.append(run)
            marks += [mark] if mark is not None else []
        found_wrong = [account_mark(runs, len(self._lab.processors), observer.wall_s(*stretch))]
        if len(runs) > 1:
            share = together_s / max(whole_s, 1e-9)
            twice = crowd.repeated is not None
            found_wrong.append(overlap_mark(share, of=_WINDOWS, enough=ENOUGH_OF_WINDOWS, repeated=twice))
        marks += [one for one in found_wrong if one is not None]
        skew_ns = max(one.skew_ns for one in windows.values()) if len(runs) > 1 else 0
        return TrialRecord(crowd.trial, None, started_at, wall_s, skew_ns, host, tuple(marks), tuple(runs))

    def _timed_run(self, one: PlacementRun, clock: ClockFit) -> TimedRun:
        with self._guarded(one):
            run = one.run()
        assert run.report is not None
        run = replace(run, report=_own_report(run.report))
        return TimedRun(one, run, clock, intervals.of_run(run, clock))


def _own_samples(samples: Sequence[Sample], number: int, count: int) -> tuple[Sample, ...]:
    """The samples of the trial with this number among all, numbered by its own windows."""
    return tuple(
        replace(one, slice=one.slice // count if one.slice >= 0 else -(-one.slice // count))
        for one in samples
        if one.slice is not None and abs(one.slice) % count == number
    )


def _own_report(report: AgentReport) -> AgentReport:
    """What the agent says of the whole run holds for one of its trials: nothing that is a sum over all of them."""
    return replace(report, value=None, measures={}, histograms={})


def _marked(record: TrialRecord, crowd: _Crowd) -> TrialRecord:
    """The record of a failed trial, with the mark of its repetition."""
    return replace(record, marks=() if crowd.repeated is None else (crowd.repeated,))


def _of(cause: TrialFailed, trial: Trial, key: GuestKey) -> TrialFailed:
    """The failure of a guest, in a trial that has it."""
    placement = next(one for one in trial.placements if one.guest_key == key)
    return TrialFailed(cause.failure.kind, cause.failure.reason, placement, cause.broken)


def _by(crowds: Sequence[_Crowd], what: Callable[[_Crowd], str | int]) -> dict[str | int, list[_Crowd]]:
    found: dict[str | int, list[_Crowd]] = {}
    for crowd in crowds:
        found.setdefault(what(crowd), []).append(crowd)
    return found


def _first_of_each(crowds: Sequence[_Crowd]) -> list[_Crowd]:
    """The first of each environment and number of guests."""
    return list({(one.environment, len(one.members)): one for one in reversed(crowds)}.values())[::-1]
