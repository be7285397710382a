"""Which window comes next: `continuous`, `Turns` of single guests, `Growing` numbers of guests. No input or output.

A policy is an iterator of windows. Before it is asked for the next one, the last one has an account with its party, or
the party has failed. docs/methods/slices.md and docs/methods/groups.md have the reasons.
"""

from __future__ import annotations

import math
import statistics
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.score.overlap import LONGER, attempts
from virtometer.analysis.score.slices import disturbed_apart
from virtometer.analysis.score.window_level import UNLIKE, WindowLevel, level, unlike
from virtometer.design.schedule.counted_runs import runs_in_block
from virtometer.design.schedule.scenarios import WINDOW_SLICES, window_count
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.slice_lengths import length_factor
from virtometer.model import Mark, Plan, Sample, Trial

_LONG_WINDOWS = 5  # that must all change their speed: of noise alone less than one treatment of 2,000 does so
_SLICE_ITERATIONS = 5  # of a slice, as the agent calibrates them; there is one more, which does not count
_WINDOW_ITERATIONS = 6  # of a window of a group of guests, at least
_LONGEST_ITERATION_S = 0.0125
_SHORTEST_WINDOW = 12  # slices in a long window, for its halves to be compared
_FEWEST_ROUNDS = 6
_ENOUGH_TIME = 2.0  # of the time that the planned windows take
_ONE_RUN_S = 1e-6  # a slice that is over with its first iteration
_LAST_SAMPLES = 64  # of a window, that tell how long its iterations are


@dataclass(frozen=True, slots=True)
class Window:
    """Guests of one trial work for so many seconds, while all others are silent.

    They are released one after the other in `order`, or in a continuous window of a group at a moment that was
    agreed. trial: its index. number: of the round; long windows have numbers of their own, from 1. order: the places of
    its guests, as they are released.
    """

    trial: int
    number: int
    seconds: float
    long: bool = False
    order: tuple[int, ...] = (0,)

    @property
    def slice(self) -> int:
        """What samples have as the number of their slice."""
        return -self.number if self.long else self.number


@dataclass(frozen=True, slots=True)
class WindowAccount:
    """What became of a window: the samples of each guest, and the seconds of the laboratory that it took."""

    window: Window
    samples: tuple[tuple[Sample, ...], ...]
    took_s: float


class Party(ABC):
    """The guests of one trial, and the accounts of their windows. `seconds`: of the planned window.

    first_round: that counts; above 0 where rounds were `repeated`.
    """

    def __init__(self, trial: Trial, seconds: float) -> None:
        """Nothing has been measured."""
        self.trial = trial
        self.seconds = seconds
        self.accounts: list[WindowAccount] = []
        self.long_count = 0
        self.iterations_s: list[float] = []  # of each window: the median of the guest that has the longest
        self.worked_s = 0.0  # in windows that count and are not long
        self.first_round = 0
        self.repeated: Mark | None = None

    @property
    def environment(self) -> str:
        """Of all its guests, in windows in turn."""
        return self.trial.placements[0].environment

    @property
    def size(self) -> int:
        """How many guests work at the same time."""
        return len(self.trial.placements)

    @property
    @abstractmethod
    def failed(self) -> bool:
        """Whether it works no more."""

    @property
    @abstractmethod
    def warm_up_s(self) -> float:
        """What does not count of a window, beside its first iteration."""

    @abstractmethod
    def disturbed(self) -> Mapping[int, str]:
        """The rounds in which others disturbed it, with the reason."""

    @abstractmethod
    def hardly_shared(self) -> bool:
        """Whether its guests shared too little of their windows in turn. `repeated` says so then."""

    def add(self, account: WindowAccount) -> None:
        """A window has ended."""
        self.accounts.append(account)
        if self.failed:
            return
        lasts = [samples[-_LAST_SAMPLES:] for samples in account.samples]
        usual_ns = max(statistics.median(one.end_ns - one.start_ns for one in last) for last in lasts)
        self.iterations_s.append(usual_ns * 1e-9)
        if account.window.long:
            self.long_count += 1
        else:
            self.worked_s += account.took_s

    def samples(self, member: int = 0) -> tuple[Sample, ...]:
        """Those of one guest in all windows of this trial."""
        return tuple(sample for account in self.accounts for sample in account.samples[member])

    def long_window(self, number: int) -> WindowAccount | None:
        """The account of one long window."""
        found = (one for one in self.accounts if one.window.long and one.window.number == number)
        return next(found, None)


def continuous(party: Party) -> Iterator[Window]:
    """One window; longer ones while it is `repeated`, because its guests hardly worked at the same time."""
    order = tuple(range(party.size))
    for number in range(1, attempts(party.seconds) + 1):
        before = party.repeated
        yield Window(party.trial.index, number, LONGER ** (number - 1) * party.seconds, order=order)
        if party.repeated is before:
            return


class _Rounds(ABC):
    """What windows in turn have in common. `known`: by environment, whether its long windows count; is added to."""

    def __init__(self, parties: Sequence[Party], plan: Plan, known: dict[str, bool], seed: int) -> None:
        """`seed`: of the order of the windows and their lengths.

        All parties have the same workload, or commands of which it is known that slices show their speed.
        """
        self._parties, self._plan, self._known, self._seed = parties, plan, known, seed
        self._generator = Generator(seed)

    @abstractmethod
    def _change(self, party: Party, number: int) -> float:
        """By how much it changed its speed in this long window, as a log; 0 where it did not, or by chance alone."""

    @abstractmethod
    def _shortest_s(self, party: Party) -> float:
        """Of a long window, for its halves to be compared."""

    @abstractmethod
    def _round(self, parties: Sequence[Party], number: int, count: int) -> Iterator[Window]:
        """The windows of one round. `count`: of the planned rounds."""

    def _window(self, party: Party, number: int, seconds: float, *, long: bool = False) -> Iterator[Window]:
        order = tuple(self._generator.shuffled(range(party.size)))
        yield Window(party.trial.index, number, seconds, long, order)

    def _long_window(self, party: Party) -> Iterator[Window]:
        if not party.failed:
            seconds = max(party.seconds, self._shortest_s(party))
            yield from self._window(party, party.long_count + 1, seconds, long=True)

    def _examine(self, parties: Sequence[Party], beside: Sequence[Party] = ()) -> Iterator[Window]:
        """Find out who changes the speed in each of a few long windows: noise seldom does so in one direction.

        The guests take turns here too, because one that goes on at once begins as it ended.
        """
        suspects, rises = parties, dict[Party, bool]()
        for number in range(1, _LONG_WINDOWS + 1):
            for party in self._generator.shuffled(_once([*suspects, *beside]) if suspects else []):
                yield from self._long_window(party)
            changes = {party: self._change(party, number) for party in suspects if not party.failed}
            suspects = [one for one, log in changes.items() if log and rises.setdefault(one, log > 0) is (log > 0)]
        changed = {party.environment for party in suspects}
        self._known |= {party.environment: party.environment in changed for party in parties}

    def _rounds(self, parties: Sequence[Party], count: int) -> Iterator[Window]:
        """So many, and some for those in which others disturbed a party: as many for all."""
        for number in range(count):
            yield from self._round(parties, number, count)
        lost = max((len(party.disturbed()) for party in parties), default=0)
        for number in range(count, count + min(lost, count // 2)):
            yield from self._round(parties, number, count)


class Turns(_Rounds):
    """Rounds in fresh random order, one slice for each guest and each of its commands."""

    def windows(self) -> Iterator[Window]:
        """Long windows first, where it is not known whether slices show the speed of a guest."""
        found_out = set(self._known)
        working = [party for party in self._parties if not party.failed]
        fresh = _first_of_each([party for party in working if party.environment not in self._known])
        baseline = self._baseline(working)
        yield from self._examine(fresh, baseline[:1])
        # Slices cannot be compared with those of a baseline that changes its speed.
        apart = [party for party in working if self._known.get(party.environment)]
        if any(party in apart for party in baseline):
            apart = working
        missing = [party for party in apart if party not in fresh]
        for party in self._generator.shuffled(_once([*missing, *baseline]) if missing else []):
            yield from self._long_window(party)
        sliced = [party for party in working if not party.failed and party not in apart]
        yield from self._in_slices(sliced)
        self._compare([party for party in sliced if not party.failed and party.environment not in found_out])

    def _baseline(self, parties: Sequence[Party]) -> list[Party]:
        return [party for party in parties if party.environment == self._plan.baseline]

    def _change(self, party: Party, number: int) -> float:
        """A treatment changes it otherwise than the baseline beside it; the baseline itself, by a factor of 1.5."""
        own, margin = self._level(party, number), self._plan.margin
        beside = next((self._level(one, number) for one in self._baseline(self._parties) if not one.failed), None)
        if party.environment == self._plan.baseline:
            beside, margin = None, max(margin, math.expm1(UNLIKE))
        return own.change(beside) if own is not None and own.changes(margin, beside) else 0.0

    def _level(self, party: Party, number: int) -> WindowLevel | None:
        account = party.long_window(number)
        samples = account.samples[0] if account is not None else ()
        return level(samples, round(self._plan.slice_s * 1e9), party.warm_up_s)

    def _shortest_s(self, party: Party) -> float:
        return _SHORTEST_WINDOW * self._plan.slice_s + self._warm_up_s(party)

    def _in_slices(self, parties: Sequence[Party]) -> Iterator[Window]:
        """The rounds: as many as the window has slices.

        Where the plan wants them, a long window of each comes before or after all rounds, by chance.
        """
        windows = self._generator.shuffled(parties) if self._plan.long_windows == "each" else []
        before = bool(windows) and self._generator.below(2) == 0
        for party in windows if before else []:
            yield from self._long_window(party)
        working = [party for party in parties if not party.failed]
        counts = {party: self._counted_runs(party) for party in working}
        free = [party for party in working if counts[party] is None]
        if free:
            seconds = max(party.seconds for party in free)
            yield from self._rounds(free, max(round(seconds / self._plan.slice_s), 1))
        most = max((count for count in counts.values() if count is not None), default=0)
        for number in range(most):
            yield from self._single_runs([one for one in working if _is_due(number, counts[one], most)], number)
        for party in [] if before else windows:
            yield from self._long_window(party)

    def _counted_runs(self, party: Party) -> int | None:
        return runs_in_block(self._plan, party.trial.placements[0].workload, party.trial.block)

    def _single_runs(self, parties: Sequence[Party], number: int) -> Iterator[Window]:
        """A round with one run of each. None is made again, also where others disturbed it."""
        for party in self._generator.shuffled(parties):
            if not party.failed:
                yield from self._window(party, number, _ONE_RUN_S)

    def _round(self, parties: Sequence[Party], number: int, count: int) -> Iterator[Window]:
        """What counts of a slice is as long for all guests. One whose iterations are longer has fewer slices."""
        enough_s = _ENOUGH_TIME * count * (self._plan.slice_s + max(map(self._warm_up_s, parties), default=0.0))
        for party in self._generator.shuffled(parties):
            if not party.failed and (number < _FEWEST_ROUNDS or party.worked_s < enough_s):
                seconds = self._plan.slice_s * length_factor(self._seed, number) + self._warm_up_s(party)
                yield from self._window(party, number, seconds)

    def _warm_up_s(self, party: Party) -> float:
        """What of a slice does not count: one iteration, or as long as the kind of guest needs."""
        return max(min(self._plan.slice_s / _SLICE_ITERATIONS, _LONGEST_ITERATION_S), party.warm_up_s)

    def _compare(self, parties: Sequence[Party]) -> None:
        """Find those that were another in slices than in their long windows, where they had any."""
        baseline = self._baseline(parties)
        beside = _undisturbed(baseline[0]) if baseline else ()
        for party in parties:
            warm_ups_s = party.warm_up_s, baseline[0].warm_up_s if baseline else 0.0
            piece_ns = round(self._plan.slice_s * 1e9)
            if party not in baseline and unlike(_undisturbed(party), beside, piece_ns, warm_ups_s):
                self._known[party.environment] = True


class Growing(_Rounds):
    """In each round every number of guests has a short window of its own."""

    def windows(self) -> Iterator[Window]:
        """Long windows first, where it is not known whether short ones show the speed of the guests."""
        able = [party for party in self._parties if not party.failed]
        yield from self._examine(_first_of_each([one for one in able if one.environment not in self._known]))
        apart = [party for party in able if self._known.get(party.environment)]
        for party in self._generator.shuffled(apart):
            if party.long_count == 0:
                yield from self._long_window(party)
        parties = [party for party in able if party not in apart]
        if not parties:
            return
        count = window_count(self._plan, parties[0].trial.placements[0].workload)
        yield from self._rounds(parties, count)
        repeated = [party for party in parties if party.hardly_shared()]
        # The rounds of these once more, with longer windows: those before do not count.
        rounds = [one.window.number for party in repeated for one in party.accounts if not one.window.long]
        first = max(rounds, default=-1) + 1
        for party in repeated:
            party.first_round, party.worked_s = first, 0.0
        for number in range(first, first + count):
            yield from self._round(repeated, number, count)

    def _change(self, party: Party, number: int) -> float:
        """Log of the guests' total rate in the second half of a long window by that at its beginning; 0.0: no change.

        The beginning is as long as a short window.
        """
        piece_ns = round(self._plan.slice_s * WINDOW_SLICES * 1e9)
        account = party.long_window(number)
        levels = [level(one, piece_ns, party.warm_up_s) for one in account.samples] if account is not None else []
        known = [one for one in levels if one is not None]
        if not known or len(known) < len(levels):
            return 0.0
        change = math.log(sum(one.later for one in known) / sum(one.beginning for one in known))
        return change if abs(change) > UNLIKE else 0.0

    def _shortest_s(self, party: Party) -> float:
        return _WINDOW_ITERATIONS * WINDOW_SLICES * self._plan.slice_s + party.warm_up_s

    def _round(self, parties: Sequence[Party], number: int, count: int) -> Iterator[Window]:
        """One window for each number of guests of each environment: numbers of one environment next to each other.

        Trials of as many guests have their windows in turn: one in each round.
        """
        for alike in self._generator.shuffled(list(_by(parties, lambda one: one.environment).values())):
            sizes = _by(alike, lambda one: one.size)
            turns = [same[number % len(same)] for same in sizes.values()]
            for party in self._generator.shuffled(turns):
                planned_s = _longer(party) * self._plan.slice_s * WINDOW_SLICES + party.warm_up_s
                enough_s = _ENOUGH_TIME * count * planned_s / len(sizes[party.size])
                few = number < party.first_round + _FEWEST_ROUNDS
                if not party.failed and (few or party.worked_s < enough_s):
                    yield from self._window(party, number, self._length_s(party, number))

    def _length_s(self, party: Party, number: int) -> float:
        """Of a window in this round: long enough for some iterations of as many guests, or else of other numbers."""
        alike = [one for one in self._parties if one.environment == party.environment]
        known = {size: _iteration_s(of) for size, of in _by(alike, lambda one: one.size).items()}
        iteration_s = known[party.size] or max(known.values())
        usual_s = _longer(party) * max(WINDOW_SLICES * self._plan.slice_s, _WINDOW_ITERATIONS * iteration_s)
        return usual_s * length_factor(self._seed, number) + party.warm_up_s


def _is_due(number: int, count: int | None, most: int) -> bool:
    """Whether a party has a run in this round: all of its `count` runs are spread evenly over `most` rounds."""
    return count is not None and (number + 1) * count // most > number * count // most


def _longer(party: Party) -> float:
    """By which factor its windows are longer."""
    return LONGER if party.first_round else 1.0


def _undisturbed(party: Party) -> tuple[Sample, ...]:
    """The samples of a single guest, with those of disturbed slices excluded."""
    return disturbed_apart(party.samples(), party.disturbed())


def _iteration_s(parties: Sequence[Party]) -> float:
    """How long iterations of these are: the median of their windows; 0 where nobody had one."""
    known = [length_s for party in parties for length_s in party.iterations_s]
    return statistics.median(known) if known else 0.0


def _first_of_each(parties: Sequence[Party]) -> list[Party]:
    """The first of each environment and number of guests: of single guests the baseline has two."""
    return list({(one.environment, one.size): one for one in reversed(parties)}.values())[::-1]


def _once(parties: Sequence[Party]) -> list[Party]:
    """Each once, in this order."""
    return list(dict.fromkeys(parties))


def _by(parties: Sequence[Party], what: Callable[[Party], Hashable]) -> dict[Hashable, list[Party]]:
    found: dict[Hashable, list[Party]] = {}
    for party in parties:
        found.setdefault(what(party), []).append(party)
    return found
