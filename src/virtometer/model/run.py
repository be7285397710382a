"""What is measured: samples, runs, trials, and the campaign that holds them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from virtometer.model.clock import ClockFault, ClockFit, RoundTrip
from virtometer.model.follow_up import FollowUp
from virtometer.model.plan import Plan
from virtometer.model.samples import Sample, columns_of, first_slice
from virtometer.model.trial import Placement, Trial
from virtometer.model.tuning import HostTuningEvent

Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """What one processor of the host did over the scored window, in CPU seconds. `number`: the host's."""

    number: int
    user: float
    nice: float
    system: float
    idle: float
    iowait: float
    irq: float
    softirq: float
    steal: float


@dataclass(frozen=True, slots=True)
class Traffic:
    """What network interfaces transferred over the scored window, dropped packets too: `dropped` counts those."""

    received_bytes: int
    received_packets: int
    received_dropped: int
    sent_bytes: int
    sent_packets: int
    sent_dropped: int


@dataclass(frozen=True, slots=True)
class GuestUse:
    """What a guest cost its host over the scored window, in CPU seconds. None: unknown, and `unknown` says why.

    code: of the guest's own code. vmm: of the program that makes the guest. kernel: of threads of the host's kernel
    that serve it. user, system: of all its processes in user and kernel mode. traffic: of the interface to which it
    is connected, as the guest sees it.
    """

    code: float | None
    vmm: float | None
    kernel: float | None
    user: float | None
    system: float | None
    unknown: str = ""
    traffic: Traffic | None = None


@dataclass(frozen=True, slots=True)
class HostUse:
    """What the host's processors did over the scored window, in CPU seconds (all processors added).

    foreign: of programs that are neither a guest nor the laboratory. run_delay: in which the measured guest was ready
    and others had its processors. pressure: in which some program of the host waited. frequency_mhz: the lowest of the
    guest's processors. temperature_c: the highest of the host. processors: each of them, where a group worked.
    run_queue: threads that ran or were ready, on average. context_switches: number of them. disk_read, disk_written:
    bytes of all disks. network: of all interfaces of the host's own namespace but the loopback. watch_s: processor time
    of the laboratory that watching took. overlap_s: of guests in windows, the stretches in which all measured ones
    worked, added up. None: unknown.
    """

    wall_s: float
    user: float
    nice: float
    system: float
    idle: float
    iowait: float
    irq: float
    softirq: float
    steal: float
    foreign: float | None = None
    run_delay: float | None = None
    pressure: float | None = None
    frequency_mhz: float | None = None
    temperature_c: float | None = None
    processors: tuple[ProcessorUse, ...] = ()
    run_queue: float | None = None
    context_switches: int | None = None
    disk_read: int | None = None
    disk_written: int | None = None
    network: Traffic | None = None
    loopback: Traffic | None = None
    watch_s: float | None = None
    overlap_s: float | None = None

    @property
    def busy(self) -> float:
        """CPU seconds that were neither idle, waiting nor stolen."""
        return self.user + self.nice + self.system + self.irq + self.softirq

    @property
    def watch_share(self) -> float | None:
        """Part of one processor that watching took."""
        return None if self.watch_s is None or self.wall_s <= 0 else self.watch_s / self.wall_s


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What the agent reported at the end of a run, in guest time.

    value: in the run's unit; of a tool its own number, None where its output could not be read. cpu_s: processor time
    of the measuring process. output: what a tool printed.
    """

    value: float | None
    cpu_s: float
    check: Mapping[str, Any]
    measures: Mapping[str, Any]
    histograms: Mapping[str, Any]
    output: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """What a run reached within the scored window (host ns), with its times converted by `clock`.

    value: total work / total time, or its inverse for the unit s; of a tool its own number in host time. work: of the
    samples that are used. guest_cpu_s: of the guest's processes on the host within the window; None where unknown.
    guest_use: what that was spent for.
    """

    value: float
    work: int
    clock: ClockFit
    window_start_host_ns: int
    window_end_host_ns: int
    guest_cpu_s: float | None
    guest_use: GuestUse | None = None


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """What the guest of a service cost its host within the scored window of those who use it; None: unknown."""

    guest_cpu_s: float | None
    guest_use: GuestUse | None


@dataclass(frozen=True, slots=True)
class Run:
    """One placement of a trial: what was measured, and its score.

    A run of a failed trial has no score, and no sample of it is used. report: None where the run did not come to its
    end. fault: where the guest's clock is the reason of the failure. account: of a service, which has no score.
    """

    placement: Placement
    guest_id: str
    kernel: str
    op: str
    parameters: Mapping[str, Any]
    threads: int
    unit: str
    better: Better
    conditions: Mapping[str, str]
    samples: Sequence[Sample]
    probes: tuple[RoundTrip, ...]
    report: AgentReport | None = None
    score: Score | None = None
    fault: ClockFault | None = None
    account: ServiceAccount | None = None

    @property
    def guest_cpu_s(self) -> float | None:
        """CPU seconds of the guest within the scored window; None where unknown."""
        of = self.score or self.account
        return None if of is None else of.guest_cpu_s

    @property
    def guest_use(self) -> GuestUse | None:
        """What that was spent for."""
        of = self.score or self.account
        return None if of is None else of.guest_use

    @property
    def scored(self) -> Score:
        """The score. ValueError for a run of a failed trial."""
        if self.score is None:
            raise ValueError("a run of a failed trial has no score")
        return self.score

    @property
    def reported(self) -> AgentReport:
        """The agent's report. ValueError for a run that did not come to its end."""
        if self.report is None:
            raise ValueError("the run did not come to its end")
        return self.report

    @property
    def host_timed(self) -> bool:
        """Whether the laboratory timed the work, not the guest's clock."""
        return self.conditions.get("timing") == "laboratory"

    @property
    def in_slices(self) -> bool:
        """Whether the work was done in slices, in turn with other guests."""
        return first_slice(self.samples) is not None

    @property
    def in_long_windows(self) -> bool:
        """Whether it took turns and counts by its long windows, because slices do not show what these show."""
        return self.in_slices and columns_of(self.samples).only_long_windows

    @property
    def by_tool(self) -> bool:
        """Whether the result is a number that a program printed. A command that is timed run by run has samples."""
        return self.kernel == "command" and (self.op != "time" or self.parameters.get("keep-output") is True)


class FailureKind(StrEnum):
    """Why a trial failed."""

    UNAVAILABLE = "unavailable"  # it cannot be done on this host: a result and no fault
    START = "start"  # a guest could not be prepared or started
    GUEST = "guest"  # the guest or its channel ended
    AGENT = "agent"  # the agent reported an error
    PROTOCOL = "protocol"  # the agent broke the protocol
    TIME_LIMIT = "time-limit"
    CLOCK = "clock"  # the guest's clock cannot be used
    TOOL = "tool"  # a tool's output cannot be read
    SAMPLES = "samples"  # no sample can be used


UNAVAILABLE = "not available here"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial failed: `reason` in words. placement: the ordinal of the one that failed; None: no single one."""

    kind: FailureKind
    reason: str
    placement: int | None = None


class MarkKind(StrEnum):
    """What disturbed a trial."""

    STEAL = "steal"
    SWAP = "swap"
    MEMORY = "memory"
    FOREIGN = "foreign"  # other programs worked
    RUN_DELAY = "run-delay"  # others had the guest's processors while it was ready
    FREQUENCY = "frequency"  # the frequency of the guest's processors fell, or their governor was changed
    THROTTLED = "throttled"  # processors were slowed down for their temperature
    KERNEL = "kernel"  # the host's kernel logged an error
    OBSERVATION = "observation"
    STALL = "stall"
    BESIDE = "beside"  # another laboratory measured
    AGAIN = "again"  # measured later than its block
    CLOCK = "clock"  # its clock was wrong, and is used all the same
    START = "start"  # a guest began after the moment that was agreed for all
    OVERLAP = "overlap"  # its guests ran at the same time for too small a share (`overlap`)
    REPEATED = "repeated"  # its guests had hardly run at the same time: it was repeated with longer windows
    LOAD = "load"  # the load did not run throughout the stretch
    ACCOUNT = "account"  # guests got more CPU time than the host had


@dataclass(frozen=True, slots=True)
class Mark:
    """A disturbance of a trial that is kept all the same: `text` says in words what happened."""

    kind: MarkKind
    text: str

    def __str__(self) -> str:
        """Kind and text."""
        return f"{self.kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A trial that was executed: a run of each placement with a score, or a failure.

    The runs of a failed trial are those that had begun to send samples or whose clock is the reason.
    """

    trial: Trial
    failure: Failure | None
    started_at: str
    wall_s: float
    start_skew_ns: int
    host: HostUse | None
    marks: tuple[Mark, ...]
    runs: tuple[Run, ...]

    @property
    def status(self) -> Literal["done", "failed"]:
        """Whether it has scores."""
        return "done" if self.failure is None else "failed"

    @property
    def reason(self) -> str:
        """Why it failed, with the guest's name; empty where it did not."""
        if self.failure is None:
            return ""
        what = f"{UNAVAILABLE}: " if self.unavailable else ""
        number = self.failure.placement
        who = f"{self.trial.placements[number].guest_key.name}: " if number is not None else ""
        return f"{who}{what}{self.failure.reason}"

    @property
    def unavailable(self) -> bool:
        """Whether it failed because this cannot be done here, which is a result and no fault."""
        return self.failure is not None and self.failure.kind is FailureKind.UNAVAILABLE

    @property
    def at_fault(self) -> bool:
        """Whether it failed although it can be done here."""
        return self.failure is not None and not self.unavailable

    @property
    def scored(self) -> tuple[Run, ...]:
        """The runs that have a score: none of a trial that failed, all but services of one that is done."""
        return tuple(run for run in self.runs if run.score is not None)


ENTRY = "entry"
"""What `effective` of a start has of the guest's entry from the host: its way and seconds of each, or a reason."""


@dataclass(frozen=True, slots=True)
class GuestStart:
    """One start of a guest: how long it took from the first command to the agent's greeting, and what it got."""

    guest_id: str
    environment: str
    kind: str
    requested: Mapping[str, Any]
    effective: Mapping[str, Any]
    provision_s: float
    started_at: str


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line that the laboratory ran, for the report."""

    at: str
    purpose: str
    argv: tuple[str, ...]
    status: int | None


@dataclass(frozen=True, slots=True)
class EnvironmentStatus:
    """What the check of an environment kind said."""

    name: str
    kind: str
    works: bool
    reason: str
    advice: str
    capabilities: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """Further blocks of a campaign, fixed once, when every trial before them had been executed.

    first_trial: index of its first trial; `trials` is how many it has. blocks: further blocks by (workload,
    environment). beyond: seconds of comparisons that take more than the limit, also where they get what is left of it;
    None: more than a plan may have; where the plan has factors, of a workload and a term. limit: what limited the
    blocks, in words. follow_up: of the second stage of a sequential design, whose blocks are all of its own.
    """

    decided_at: str
    first_trial: int
    trials: int
    blocks: Mapping[tuple[str, str], int]
    beyond: Mapping[tuple[str, str], float | None]
    limit: str
    follow_up: FollowUp | None = None


@dataclass(frozen=True, slots=True)
class Campaign:
    """Everything that the ledger holds, as analysis and report read it.

    `clock`: what everything is timed by. Where that is the guests' clocks, `recorded` is the campaign in host time.
    """

    plan: Plan
    plan_text: str
    seed: int
    created_at: str
    host: Mapping[str, Any]
    versions: Mapping[str, str]
    environments: tuple[EnvironmentStatus, ...]
    planned: tuple[Trial, ...]
    trials: tuple[TrialRecord, ...]
    guests: tuple[GuestStart, ...]
    commands: tuple[CommandLine, ...]
    clock: Literal["host", "guest"] = "host"
    recorded: Campaign | None = None
    stages: tuple[Stage, ...] = ()
    tunings: tuple[HostTuningEvent, ...] = ()

    @property
    def follow_up_stage(self) -> Stage | None:
        """The second stage of a sequential design; None before it is fixed, and of other plans."""
        return next((stage for stage in self.stages if stage.follow_up is not None), None)

    def stage_of(self, trial: Trial) -> int:
        """The number of the stage that a trial belongs to, from 1."""
        return 1 + sum(trial.index >= stage.first_trial for stage in self.stages)
