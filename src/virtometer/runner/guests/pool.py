"""The guests of a campaign: which of them live, and which do not start."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Protocol

from virtometer.deferred_signals import deferred_signals
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.shuffle import Generator
from virtometer.environments.base import Environment, LabContext, Settings
from virtometer.environments.registry import KINDS
from virtometer.environments.tuning.host import HostTuning
from virtometer.environments.tuning.steps import Done, refuse_tuning
from virtometer.errors import EnvironmentFailed, LinkError, MissingProgram
from virtometer.model import ENTRY, GuestKey, GuestStart, HostTuningEvent, Plan, on_host
from virtometer.runner.guests.entering import entered
from virtometer.runner.guests.running import RunningGuest, StartingGuest

_TRIES = 2
"""Starts in a row that may fail; each can take the whole limit of time. The baseline has a rule of its own."""


class GuestProgress(Protocol):
    """Receives reports of what happens to guests."""

    def stage(self, text: str) -> None:
        """What is done now; it may take a while."""

    def guest_starting(self, environment: str) -> None:
        """A guest is being started."""

    def message(self, text: str) -> None:
        """Something that the user should know."""


_NUMBERS = itertools.count(1)


def _fresh_id() -> str:
    """An id that no other guest of this process has had: a campaign in stages has several `Guests`."""
    return f"v{os.getpid()}-{next(_NUMBERS)}"


class Guests:
    """Starts and stops them. `running` are those that live; `starts` the records of starts that nobody has taken."""

    def __init__(
        self,
        resolved: ResolvedPlan,
        lab: LabContext,
        progress: GuestProgress,
        tuned: Callable[[HostTuningEvent], None] = lambda event: None,
    ) -> None:
        """No guest lives. tuned: receives what happens to tunings of the host."""
        self.running: dict[GuestKey, RunningGuest] = {}
        self.starts: list[GuestStart] = []
        self._plan = plan = resolved.plan
        self._settings = resolved.settings
        self._lab = lab
        self._progress = progress
        self._environments = {environment.name: environment for environment in plan.environments}
        self._kinds: dict[str, Environment] = {}
        self._disks: dict[GuestKey, int] = {}  # numbers of the disk files of guests that work at the same time
        self._on_bridge = False
        self._alone = False
        self._by_launcher = any(resolved.kind(one).by_launcher for one in plan.environments)
        self._prepared: set[str] = set()
        self._unprepared: dict[str, str] = {}
        self._refused: dict[str, str] = {}  # those that did not start, and why
        self._failed_starts: Counter[str] = Counter()  # in a row
        self._tell_tuning = tuned
        self._tuned = self._host_tuning()  # for the whole campaign
        self._tuned_for: dict[str, HostTuning] = {}  # for the guests of an environment

    def prepare(self, names: set[str]) -> None:
        """Make ready what environments need, and tune the host as the plan says.

        Raises EnvironmentFailed where that fails, HostLeftTuned where what was done of it cannot be undone.
        """
        if not self._tuned.records:
            self._tuned.apply(on_host(self._plan.tuning))
        for name in sorted(names - self._prepared):
            self._progress.stage(f"preparing {name}")
            self._prepared.add(name)
            of = self._environments[name].kind
            kind = self._kinds.setdefault(of, KINDS[of](self._lab))
            if (cause := why_unprepared(kind, self._settings[name], self._plan, starting=True)) is not None:
                self._unprepared[name] = cause.sentence
                self._progress.message(f"{name} cannot be prepared: {with_advice(cause.sentence, cause.advice)}")

    def why_not(self, name: str) -> str:
        """Why an environment has no guest; empty where that is not known."""
        return self._unprepared.get(name) or self._refused.get(name, "")

    @property
    def baseline_failures(self) -> int:
        """Starts of the baseline's guests that failed, in a row."""
        return self._failed_starts[self._plan.baseline]

    def is_unprepared(self, name: str) -> bool:
        """Whether an environment could not be made ready."""
        return name in self._unprepared

    def begin_group(self, keys: Sequence[GuestKey], *, on_bridge: bool = False, alone: bool = False) -> None:
        """No guest lives, and these follow, which work at the same time: each has a disk file of its own, if possible.

        on_bridge: those that may be on the host's network are on the laboratory's, as the others.
        alone: each works alone, so that the second guest of the baseline is the control.
        """
        files = 1 + len(self._lab.more_disk_files)  # enough for guests that use a disk; others may be more
        self._disks = {key: number % files for number, key in enumerate(keys)}
        self._on_bridge = on_bridge
        self._alone = alone

    def start_together(self, keys: Sequence[GuestKey]) -> None:
        """Start those that do not live side by side. What fails is said by `ensure`.

        The slowest begins first and the fastest is waited for first, so that no greeting waits to be read.
        """
        missing = [key for key in dict.fromkeys(keys) if key not in self.running]
        slowest_first = sorted(missing, key=lambda key: -self._kind_of(key).usual_start_s)
        starting: dict[GuestKey, StartingGuest] = {}
        try:
            for key in slowest_first:
                with suppress(EnvironmentFailed, LinkError, MissingProgram):
                    starting[key] = self._begin(key)
            for key in reversed(slowest_first):
                if key in starting:
                    with suppress(EnvironmentFailed, LinkError, MissingProgram):
                        self._finish(key, starting[key])
                    del starting[key]
        finally:
            with deferred_signals():
                for one in starting.values():
                    one.abandon()

    def ensure(self, key: GuestKey) -> None:
        """Start a guest that does not live. Raises EnvironmentFailed, LinkError or MissingProgram where it fails."""
        if key not in self.running:
            self._finish(key, self._begin(key))

    def ensure_agent(self, key: GuestKey, instance: int) -> None:
        """Start agents of a guest that lives, up to one of this number. Raises as `ensure`."""
        guest = self.running[key]
        for number in range(2, instance + 1):
            if not guest.has_agent(number):
                guest.add_agent(self._kind_of(key), _fresh_id())

    def enter(self, generator: Generator) -> None:
        """Time the entries of guests that live, and note what was found in the records of their starts."""
        first = {key: one for key, one in self.running.items() if key.number == 1 and ENTRY not in one.record.effective}
        kinds = {key: self._kind_of(key) for key in first}
        found = entered(
            self._lab,
            {key: (kinds[key], one, self._settings[key.environment]) for key, one in first.items()},
            generator,
        )
        for key, guest in first.items():
            at = self.starts.index(guest.record)
            guest.record = replace(guest.record, effective={**guest.record.effective, ENTRY: found[key]})
            self.starts[at] = guest.record

    def stop_broken(self) -> None:
        """Stop those that are not to be used again."""
        for key in [key for key, guest in self.running.items() if guest.unusable]:
            with deferred_signals():
                self._stop(key, self.running.pop(key))

    def stop_all(self) -> None:
        """Stop those that live. A start that failed is tried again, unless it has failed too often.

        Raises HostLeftTuned, when all are stopped, where a tuning of the host for one of them cannot be undone.
        """
        with deferred_signals():
            for key, guest in self.running.items():
                self._stop(key, guest)
            self.running = {}
            self._refused = {name: reason for name, reason in self._refused.items() if self._is_given_up(name)}
            tuned, self._tuned_for = self._tuned_for, {}
            with ExitStack() as all_of:  # each is undone, whatever happens to the others
                for one in tuned.values():
                    all_of.callback(one.undo)

    def close(self) -> None:
        """Undo what was done to the host for the whole campaign. No guest lives. Raises HostLeftTuned."""
        self._tuned.undo()

    def _host_tuning(self) -> HostTuning:
        return HostTuning(self._lab.journal, self._lab.programs, self._tell_tuning)

    def _tune_host(self, name: str) -> list[Done]:
        """Tune the host for the guests of an environment, until all are stopped. Returns what is in force."""
        if name not in self._tuned_for and (steps := on_host(self._settings[name].tuning)):
            self._tuned_for[name] = self._host_tuning()
            self._tuned_for[name].apply(steps)
        mine = self._tuned_for.get(name)
        return [*self._tuned.records, *(mine.records if mine is not None else ())]

    def _begin(self, key: GuestKey) -> StartingGuest:
        name = key.environment
        if name in self._unprepared:
            raise EnvironmentFailed(f"{name} could not be prepared: {self._unprepared[name]}")
        if name in self._refused:
            raise EnvironmentFailed(self._refused[name])
        self._progress.guest_starting(name)
        guest_id = _fresh_id()
        plan, settings = self._environments[name], self._settings[name]
        with self._refusing(name):
            tuned = self._tune_host(name)
            limits, tuning = self._plan.limits, self._plan.tuning
            kind, control = self._kind_of(key), self._is_control(key)
            return StartingGuest(kind, plan, settings, guest_id, limits, key.number, tuning, tuned, control=control)

    def _is_control(self, key: GuestKey) -> bool:
        """Whether a guest is the control of comparisons with guests that a program of the host launches."""
        second = key.environment == self._plan.baseline and key.number > 1
        return second and self._plan.control and self._alone and self._by_launcher

    def _finish(self, key: GuestKey, starting: StartingGuest) -> None:
        with self._refusing(key.environment):
            guest = starting.finish()
        self._failed_starts[key.environment] = 0
        self.running[key] = guest
        self.starts.append(guest.record)

    @contextmanager
    def _refusing(self, name: str) -> Iterator[None]:
        """A start that fails is not tried again for the other workloads: each try may take the whole time limit."""
        try:
            yield
        except (EnvironmentFailed, LinkError) as cause:
            self._refused[name] = cause.reason
            self._failed_starts[name] += 1
            if self._is_given_up(name):
                self._refused[name] = f"{_TRIES} starts in a row failed, so none is tried any more: {cause.reason}"
                self._progress.message(f"{name}: {self._refused[name]}")
            raise

    def _is_given_up(self, name: str) -> bool:
        return name != self._plan.baseline and self._failed_starts[name] >= _TRIES

    def _kind_of(self, key: GuestKey) -> Environment:
        kind = self._kinds[self._environments[key.environment].kind]
        disk_files = (self._lab.disk_file, *self._lab.more_disk_files)
        number = self._disks.get(key, 0)
        if number == 0 and not self._on_bridge:
            return kind
        return type(kind)(replace(self._lab, disk_file=disk_files[number], on_bridge=self._on_bridge))

    def _stop(self, key: GuestKey, guest: RunningGuest) -> None:
        try:
            guest.stop()
        except EnvironmentFailed as cause:
            self._progress.message(f"{key.environment}: {cause.reason}")


def why_unprepared(
    kind: Environment, settings: Settings, plan: Plan, *, starting: bool = False
) -> EnvironmentFailed | MissingProgram | None:
    """Make ready what guests with these settings need, as the plan tunes them. Returns why that fails.

    starting: in this laboratory guests follow, so what they share on the host is made, too.
    """
    try:
        refuse_tuning(kind, (*plan.tuning, *settings.tuning))
        kind.prepare(settings)
        if starting:
            kind.share(settings)
    except (EnvironmentFailed, MissingProgram) as cause:
        return cause
    return None


def compares_network(resolved: ResolvedPlan) -> bool:
    """Whether a plan measures the network both of guests that may be on the host's and of guests that never are."""
    used = any("peer" in work.needs for work in resolved.works.values())
    return used and len({resolved.kind(one).may_share_network for one in resolved.plan.environments}) > 1


def with_advice(sentence: str, advice: str) -> str:
    """A sentence with what to do."""
    return f"{sentence}; to do: {advice}" if advice else sentence
