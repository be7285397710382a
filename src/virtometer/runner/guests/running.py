"""A guest that lives: started, greeted, its network configured."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Literal

from virtometer.environments.base import Environment, Guest, LabContext, Lacks, Settings
from virtometer.environments.tuning.steps import Done as TuningDone
from virtometer.environments.tuning.steps import tune_guest
from virtometer.errors import GuestDied, LinkClosed
from virtometer.host.cpu.parts import CpuReading, added
from virtometer.host.memory_kills import memory_kills
from virtometer.link.channel import Channel
from virtometer.link.session import Session
from virtometer.model import GuestKey, GuestStart, Limits, PlanEnvironment, TuningStep
from virtometer.programs import now
from virtometer.runner.guests.processors import Placed, Share, place_guest
from virtometer.visible import one_line


class RunningGuest:
    """A guest with a session to its agent. `start` makes one; `stop` leaves nothing."""

    def __init__(
        self,
        environment: PlanEnvironment,
        guest: Guest,
        session: Session,
        limits: Limits,
        record: GuestStart,
        lacks: Lacks,
        timing: Literal["agent", "laboratory"],
        settings: Settings,
    ) -> None:
        """Use `start` instead."""
        self._lacks = lacks
        self._settings = settings
        self.timing = timing
        self.environment = environment
        self.name = session.name
        self.guest = guest
        self.session = session
        self.record = record
        self.broken = False
        self.disk_begins = ""  # what the host's page cache held of its disk when the last trials began
        self._limits = limits
        self.ending = ExitStack()  # of what serves it on the laboratory's side
        self._memory_kills = memory_kills()
        self._agents: dict[int, RunningGuest] = {}  # beside its first one
        self._first = self

    @classmethod
    def start(
        cls,
        kind: Environment,
        environment: PlanEnvironment,
        settings: Settings,
        guest_id: str,
        limits: Limits,
        number: int = 1,
    ) -> RunningGuest:
        """Start a guest and wait for its agent. `number`: among the guests of this environment in a trial.

        After EnvironmentFailed or LinkError nothing is left behind.
        """
        return StartingGuest(kind, environment, settings, guest_id, limits, number).finish()

    def lacks(self, what: Literal["disk", "network"]) -> str:
        """Why this guest offers no disk or no network."""
        reason = self._lacks.disk if what == "disk" else self._lacks.network
        return reason or f"{self.environment.name} offers no {what}"

    def ended(self) -> bool:
        """Whether the guest has ended without a stop. Used after its channel closed: its end follows in a moment."""
        deadline = time.monotonic() + 1.0
        while self.guest.alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        return not self.guest.alive()

    @property
    def memory_limit(self) -> str:
        """Its limit of memory as the end of a sentence; empty where it has none."""
        limit = getattr(self._settings, "memory", None)
        return f": its limit is {limit / (1 << 20):g} MiB" if isinstance(limit, int) else ""

    def memory_words(self) -> str:
        """What the host's kernel did for memory since the start, as a part of a sentence; empty where nothing."""
        before, now = self._memory_kills, memory_kills()
        if before is None or now is None or now <= before:
            return ""
        return f", and the host's kernel has killed a process for memory meanwhile{self.memory_limit}"

    def place(self, share: Share, lab: LabContext) -> Placed:
        """Bind it to the processors for its work. Returns where it is."""
        return place_guest(self.guest, self._settings, share, lab.processors)

    @property
    def fewest_processors(self) -> int:
        """How many processors it has at least, whatever its work needs."""
        return self._settings.fewest_processors

    def agent(self, instance: int) -> RunningGuest:
        """One of its agents; the first is the guest itself. KeyError for one that does not live."""
        return self if instance == 1 else self._agents[instance]

    def has_agent(self, instance: int) -> bool:
        """Whether an agent of this number lives."""
        return instance == 1 or instance in self._agents

    def add_agent(self, kind: Environment, guest_id: str) -> None:
        """Start one more agent in this guest. Raises EnvironmentFailed or LinkError, and leaves none then."""
        number = len(self._agents) + 2
        guest = kind.add_agent(self.guest, self._settings, guest_id)
        session = Session(Channel(guest.stream), f"{self.name} agent {number}")
        agent = RunningGuest(
            self.environment, guest, session, self._limits, self.record, self._lacks, self.timing, self._settings
        )
        try:
            session.greet(self._limits.start_s)
        except BaseException:
            agent.broken = True
            agent.stop()
            raise
        agent._first = self
        self._agents[number] = agent

    @property
    def whole(self) -> RunningGuest:
        """The guest that this agent is one of: its first agent."""
        return self._first

    def cpu_ns(self) -> int:
        """CPU time of the whole guest with all its agents so far, in ns."""
        first = self._first
        return first.guest.cpu_ns() + sum(agent.guest.cpu_ns() for agent in first._agents.values())

    def cpu_parts(self) -> CpuReading | None:
        """How the time of the last `cpu_ns` is divided, of the whole guest; None where that is unknown."""
        agents = [self._first, *self._first._agents.values()]
        readings = [one.guest.cpu_parts() for one in agents]
        return added([one for one in readings if one is not None]) if None not in readings else None

    @property
    def unusable(self) -> bool:
        """Whether it, or an agent of it, is not to be used again."""
        return self.broken or any(agent.broken for agent in self._agents.values())

    def stop(self) -> None:
        """Say bye, end the guest, leave nothing. Idempotent. What fails to end does not keep the rest alive."""
        agents = list(self._agents.values())
        self._agents.clear()
        with ExitStack() as ending:  # the last one that is named ends first
            ending.callback(self.guest.stop)
            ending.callback(self.session.close)
            if not self.broken:
                ending.callback(self.session.bye, min(self._limits.answer_s, 2.0))
            ending.push(self.ending.pop_all())
            for one in agents:
                ending.callback(one.stop)


class StartingGuest:
    """A guest that was started, and whose agent has not greeted yet. `finish` makes a RunningGuest of it."""

    def __init__(
        self,
        kind: Environment,
        environment: PlanEnvironment,
        settings: Settings,
        guest_id: str,
        limits: Limits,
        number: int = 1,
        tuning: Sequence[TuningStep] = (),
        tuned: Sequence[TuningDone] = (),
        *,
        control: bool = False,
    ) -> None:
        """Start it, as `RunningGuest.start`, and do not wait for its agent. EnvironmentFailed leaves nothing behind.

        tuning: steps of the whole plan, which come before those of the settings. tuned: what those on the host did.
        control: of containers, launched as those are.
        """
        self._kind, self._environment, self._settings, self._limits = kind, environment, settings, limits
        self._guest_id = guest_id
        self._tuning, self._tuned = (*tuning, *settings.tuning), tuned
        self._name = GuestKey(environment.name, number).name
        self._started_at, self._begun = now(), time.monotonic()
        start = kind.start_control if control else kind.start
        self._guest = start(settings, guest_id)
        self._session = Session(Channel(self._guest.stream), self._name)

    def finish(self) -> RunningGuest:
        """Wait for its agent. After EnvironmentFailed or LinkError nothing is left behind."""
        guest, session, limits, environment = self._guest, self._session, self._limits, self._environment
        try:
            try:
                session.greet(limits.start_s)
                provision_s = time.monotonic() - self._begun
                effective = {**guest.effective, "facts": session.request("facts", {}, limits.answer_s)}
                network = guest.network
                if network is not None and network.guest_interface:
                    session.request("configure-network", network.configuration(), limits.answer_s)
                if self._tuning:
                    done = tune_guest(self._kind, guest, session, self._tuning)
                    effective["tuning"] = [*self._tuned, *done]
            except LinkClosed as cause:
                words = one_line(guest.stderr_tail())
                when = "before its agent said hello" if session.greeting is None else "while it was being set up"
                raise GuestDied(
                    f"the guest ended {when}" + (f": {words}" if words else ""), guest=self._name
                ) from cause
            requested = self._settings.model_dump(mode="json")
            record = GuestStart(
                self._guest_id, environment.name, environment.kind, requested, effective, provision_s, self._started_at
            )
            by_clock: Literal["agent", "laboratory"] = "agent" if self._settings.steady_clock else "laboratory"
            timing = by_clock if environment.timing == "auto" else environment.timing
            return RunningGuest(environment, guest, session, limits, record, self._kind.lacks(), timing, self._settings)
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """End it; nothing is left behind. Idempotent."""
        self._session.close()
        self._guest.stop()
