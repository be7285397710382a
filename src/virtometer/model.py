"""The nouns of the house, all frozen. Imports nothing of ours.

Times ending in `_ns` are integers in nanoseconds. `guest` times are readings of the agent's CLOCK_MONOTONIC,
`host` times readings of the laboratory's CLOCK_MONOTONIC; nothing else is ever mixed with them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

Better = Literal["higher", "lower"]
Role = Literal["measured", "load"]
MIN_BLOCKS = 6  # no interval is printed and no verdict is given from fewer

# --- the plan, as a user writes it ----------------------------------------------------------------------------


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"0*([0-9]{1,19})(?:([KMGT])(?:I?B)?|B)?", re.IGNORECASE | re.ASCII)
_PERCENTAGE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?%", re.ASCII)
_MOST_BYTES = (1 << 63) - 1


def parse_size(value: object) -> object:
    """Bytes of a size such as `64M`, `64MB` or `64MiB`: all are 64 * 1024**2. What is no text passes unchanged.

    The agent's command line has the same grammar: contract/sizes.json holds examples that both test suites read.
    Raises ValueError for other texts.
    """
    if not isinstance(value, str):
        return value
    found = _SIZE.fullmatch(value)
    if found is None:
        raise ValueError("a size is a whole number of bytes, or one with K, M, G or T behind it, such as 64M")
    size = int(found[1]) * _FACTORS[(found[2] or "").upper()]
    if size > _MOST_BYTES:
        raise ValueError("a size is less than 8388608T")
    return size


def size_text(size: int) -> str:
    """A size as one would write it in a plan: 67108864 is 64M."""
    for suffix in "TGMK":
        if size and size % _FACTORS[suffix] == 0:
            return f"{size // _FACTORS[suffix]}{suffix}"
    return str(size)


def parse_share(value: object) -> object:
    """The share that a percentage is: `5%` is 0.05. What is no text passes unchanged. ValueError for other texts."""
    if not isinstance(value, str):
        return value
    found = _PERCENTAGE.fullmatch(value)
    if found is None:
        raise ValueError("a share is a number such as 0.05, or a percentage such as 5%")
    return float(f"{found[1]}e-2")


def _size_schema(low: int, high: int | None) -> WithJsonSchema:
    bounds = {"minimum": low} | ({} if high is None else {"maximum": high})
    pattern = "^[0-9]+([KMGTkmgt]([Ii]?[Bb])?|[Bb])?$"
    return WithJsonSchema({"anyOf": [{"type": "integer", **bounds}, {"type": "string", "pattern": pattern}]})


def _share_schema(**bounds: float) -> WithJsonSchema:
    pattern = "^[0-9]+(\\.[0-9]+)? ?%$"
    return WithJsonSchema({"anyOf": [{"type": "number", **bounds}, {"type": "string", "pattern": pattern}]})


# A part of a whole, as a number or a percentage. The first may be neither 0 nor 1, the second both.
_OpenShare = Annotated[
    float, Field(gt=0, lt=1), BeforeValidator(parse_share), _share_schema(exclusiveMinimum=0, exclusiveMaximum=1)
]
_Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(parse_share), _share_schema(minimum=0, maximum=1)]


def _one_line(name: str) -> str:
    if re.search(r"[\n\r\t]", name):
        raise ValueError("a name is one line without tabs")
    return name


Name = Annotated[
    str,
    Field(min_length=1, max_length=60, json_schema_extra={"pattern": r"^[^\n\r\t]+$"}),
    AfterValidator(_one_line),
]


class PlanEnvironment(_Frozen):
    """One environment of a plan: a kind with its settings under a name of its own."""

    name: Name = Field(description="name in reports, and for --in")
    kind: str = Field(description="kind of the environment")
    settings: dict[str, Any] = Field(default_factory=dict, description="settings of the kind")
    timing: Literal["auto", "agent", "laboratory"] = Field(
        default="auto",
        description="who times iterations; auto: the laboratory where a guest's clock counts instructions",
    )


Levels = Annotated[list[str | int | float | bool], Field(min_length=1, max_length=64)]


class PlanWorkload(_Frozen):
    """One workload of a plan: what is measured in every environment.

    `factors` gives parameters, `op` or `threads` several levels each. A plan that has been read has none left: every
    combination has become a workload of its own.
    """

    name: Name = Field(description="name in reports, and for --only")
    workload: str = Field(description="what is measured")
    op: str = Field(description="operation of the workload; it may be a factor instead")
    parameters: dict[str, Any] = Field(default_factory=dict, description="parameters of the workload")
    threads: int = Field(default=1, ge=1, le=1024, description="threads that do the same work at once")
    seconds: float | None = Field(
        default=None, gt=0, le=3600, description="length of the window. Without it, that of the plan"
    )
    factors: dict[str, Levels] = Field(
        default_factory=dict,
        max_length=4,
        description="levels of parameters, op or threads; each combination is a workload",
    )


class Limits(_Frozen):
    """How long anything that can hang may take, in seconds, and how wrong a clock may be."""

    start_s: float = Field(default=60.0, gt=0, le=3600, description="seconds until a guest's agent greets")
    prepare_s: float = Field(default=60.0, gt=0, le=3600, description="seconds to prepare a workload")
    run_extra_s: float = Field(default=30.0, gt=0, le=3600, description="seconds that a run may take beyond its window")
    answer_s: float = Field(default=10.0, gt=0, le=600, description="seconds until an agent answers a request")
    clock_error: _OpenShare = Field(
        default=0.005, description="largest error of a duration that is used, as a share of it"
    )


class Rules(_Frozen):
    """When a trial is marked as disturbed: limits on the host's state during the scored window, and on stops in it."""

    max_steal_share: _Share = Field(
        default=0.05, description="share of processor time that a hypervisor under the host took"
    )
    max_swap_pages: int = Field(default=0, ge=0, description="pages that the host swapped in or out")
    min_free_memory_bytes: Annotated[int, Field(ge=0), BeforeValidator(parse_size), _size_schema(0, None)] = Field(
        default=256 << 20, description="bytes of memory that the host must have free"
    )
    max_stall_share: _Share = Field(
        default=0.1, description="share of the window that a guest may lose in one or a few long stops"
    )


class Plan(_Frozen):
    """A plan: environments, workloads, scenario, precision, budget."""

    virtometer: Literal[1] = Field(description="version of the form of plans")
    name: Name = Field(description="name of the plan")
    question: str = Field(default="", description="what the plan asks, for people")
    environments: list[PlanEnvironment] = Field(min_length=1, max_length=64, description="places where work runs")
    baseline: str = Field(default="native", description="name of the environment that all others are compared with")
    workloads: list[PlanWorkload] = Field(min_length=1, max_length=512, description="what is measured in each of them")
    scenario: Literal["alone"] = Field(default="alone", description="how guests are combined")
    blocks: int = Field(default=8, ge=1, le=10_000, description="passes over all treatments; a verdict takes six")
    seconds: float = Field(default=1.0, gt=0, le=3600, description="length of the window of a trial")
    fresh: Literal["trial", "block"] = Field(
        default="trial", description="a guest starts for every trial, or once a block"
    )
    unavailable: Literal["refuse", "skip"] = Field(
        default="refuse", description="what happens where an environment other than the baseline does not work here"
    )
    seed: int | None = Field(
        default=None, ge=0, lt=2**63, description="seed of the random order. Without it, a fresh one"
    )
    margin: _OpenShare = Field(default=0.05, description="difference that is small enough to be called equivalent")
    disk_span: Annotated[
        int, Field(ge=1 << 20, le=1 << 44), BeforeValidator(parse_size), _size_schema(1 << 20, 1 << 44)
    ] = Field(default=512 << 20, description="bytes of the disk file behind all disk workloads")
    limits: Limits = Field(default_factory=Limits, description="how long anything may take: the table limits")
    rules: Rules = Field(default_factory=Rules, description="when a trial is marked as disturbed: the table rules")


@dataclass(frozen=True, slots=True)
class Demand:
    """What a workload is known to take before it is measured; 0 and False where nothing is known.

    memory: bytes of its guest's memory, at least. on_disk: it uses the campaign's disk. disk_file: bytes of the disk
    file, at least. own_files: bytes of files that it makes beside it. threads: the most that it may have. file_system:
    it needs one, and a device is not enough.
    """

    memory: int = 0
    on_disk: bool = False
    disk_file: int = 0
    own_files: int = 0
    threads: int = 0
    file_system: bool = False


# --- what a plan becomes --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Placement:
    """One workload in one guest, with its role."""

    environment: str
    workload: str
    role: Role = "measured"


@dataclass(frozen=True, slots=True)
class Trial:
    """The unit of execution. `index` counts from 0 in order of execution, `start_group` names the guest starts.

    Trials with the same `start_group` share one start of their guests (`fresh: block`).
    """

    index: int
    block: int
    position: int
    start_group: int
    placements: tuple[Placement, ...]


# --- what is measured -----------------------------------------------------------------------------------------


MAX_SLEW = 500e-6
"""The most by which time daemons commonly slew a clock (adjtime's limit in Linux), as a fraction of the time."""

CLOCK_ERROR = "clock error"  # a sample's mark begins so where its duration is not known well enough


@dataclass(frozen=True, slots=True)
class Sample:
    """One iteration of a kernel, in guest time, as the agent sent it. `used` is False where `mark` says why."""

    start_ns: int
    end_ns: int
    work: int
    check: str
    used: bool = True
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ClockFit:
    """host_ns = reference_host_ns + (guest_ns - reference_guest_ns) * rate, within ± bound_ns at the reference.

    `rate` is host seconds per guest second; what the probes allow is at most `rate_bound` away from it. `probes` counts
    those behind the rate: more than the run's own where the guest's earlier probes bound it more narrowly. Both bounds
    are NaN, and `probes` is 0, where a guest's clock is believed and nobody knows how wrong that is.
    """

    reference_guest_ns: int
    reference_host_ns: int
    rate: float
    bound_ns: float
    rate_bound: float
    probes: int

    def to_host_ns(self, guest_ns: int) -> float:
        """Convert a reading of the guest's clock to host time, in ns."""
        return self.reference_host_ns + (guest_ns - self.reference_guest_ns) * self.rate

    def duration_s(self, start_ns: int, end_ns: int) -> float:
        """Length of a stretch of guest time in host seconds."""
        return (end_ns - start_ns) * self.rate * 1e-9

    @property
    def compared(self) -> bool:
        """Whether clocks were compared at all: host times and bounds are known then."""
        return self.probes > 0

    @property
    def relative_bound(self) -> float:
        """Bound of the error of every duration, as a fraction of the duration."""
        return self.rate_bound / self.rate

    def bound_at_ns(self, guest_ns: int) -> float:
        """Bound of the error of `to_host_ns`, in host ns."""
        return self.bound_ns + abs(guest_ns - self.reference_guest_ns) * self.rate_bound

    def duration_bound_s(self, start_ns: int, end_ns: int) -> float:
        """Bound of the error of `duration_s`, in host seconds."""
        return (end_ns - start_ns) * self.rate_bound * 1e-9

    def missed_ns(self, probes: Sequence[ClockProbe]) -> float:
        """How far the line passes outside of what these probes prove, in host ns; 0 where it keeps to all."""
        early = (probe.sent_host_ns - self.to_host_ns(probe.received_guest_ns) for probe in probes)
        late = (self.to_host_ns(probe.sent_guest_ns) - probe.received_host_ns for probe in probes)
        return max([0.0, *early, *late])


@dataclass(frozen=True, slots=True)
class ClockProbe:
    """One ping: when it was sent and its answer received (host), received and sent (guest), all in ns."""

    sent_host_ns: int
    received_guest_ns: int
    sent_guest_ns: int
    received_host_ns: int

    @property
    def away_ns(self) -> int:
        """Host time from sending to receiving."""
        return self.received_host_ns - self.sent_host_ns


@dataclass(frozen=True, slots=True)
class HostUse:
    """What the host's processors did over the scored window, in CPU seconds (all processors added)."""

    wall_s: float
    user: float
    nice: float
    system: float
    idle: float
    iowait: float
    irq: float
    softirq: float
    steal: float

    @property
    def busy(self) -> float:
        """CPU seconds that were neither idle, waiting nor stolen."""
        return self.user + self.nice + self.system + self.irq + self.softirq


@dataclass(frozen=True, slots=True)
class PlacementResult:
    """One placement of a finished trial. `value` is total work / total host time (or its inverse for unit s)."""

    placement: Placement
    guest_id: str
    kernel: str
    op: str
    parameters: Mapping[str, Any]
    threads: int
    unit: str
    better: Better
    value: float
    agent_value: float
    samples: tuple[Sample, ...]
    probes: tuple[ClockProbe, ...]
    clock: ClockFit
    window_start_host_ns: int
    window_end_host_ns: int
    work: int
    guest_cpu_s: float | None
    agent_cpu_s: float
    check: Mapping[str, Any]
    conditions: Mapping[str, str]
    measures: Mapping[str, Any]
    histograms: Mapping[str, Any]

    @property
    def by_laboratory(self) -> bool:
        """Whether the laboratory timed the work, not the guest's clock."""
        return self.conditions.get("timing") == "laboratory"


FaultKind = Literal["stepped", "went-back", "stood-still", "uncertain", "contradicts"]


@dataclass(frozen=True, slots=True)
class ClockFault:
    """Why a guest's clock could not be believed in one run. None is what is not known.

    kind: `stepped` between comparisons; samples `went-back`; `stood-still` while it ought to go on; `uncertain`: no
    limit was broken but the plan's on `bound`, the relative error of every duration; `contradicts`: what the agent
    said of its clock cannot be. `size_s`: of a step in guest seconds, above zero forwards. `at_s`: about when, in
    seconds since the start of the run.
    """

    kind: FaultKind
    size_s: float | None = None
    at_s: float | None = None
    bound: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one placement of a failed trial left: all that was measured, and no value. No sample of it is used.

    said: the agent's `done` message with its own value in guest time; None where the run did not come to its end.
    fault: where the clock is the reason.
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
    said: Mapping[str, Any] | None
    samples: tuple[Sample, ...]
    probes: tuple[ClockProbe, ...]
    fault: ClockFault | None


NOT_HERE = "not available here"
"""Begins the reason of a failed trial, or follows its environment's name: this cannot be done on this host at all.

Only the laboratory writes it there. What a guest says comes after other words.
"""


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A finished trial. `status` is done or failed; a failed trial has a reason and never a value.

    evidence: of a failed trial, for each placement that had begun to send samples or whose clock is the reason.
    """

    trial: Trial
    status: Literal["done", "failed"]
    reason: str
    started_at: str
    wall_s: float
    start_skew_ns: int
    host: HostUse | None
    marks: tuple[str, ...]
    results: tuple[PlacementResult, ...]
    evidence: tuple[Evidence, ...] = ()

    @property
    def not_here(self) -> bool:
        """Whether it failed because this cannot be done here, which is a result and no fault."""
        names = ("", *(f"{placement.environment}: " for placement in self.trial.placements))
        return self.status == "failed" and self.reason.startswith(tuple(f"{name}{NOT_HERE}: " for name in names))

    @property
    def at_fault(self) -> bool:
        """Whether it failed although it can be done here."""
        return self.status == "failed" and not self.not_here


@dataclass(frozen=True, slots=True)
class GuestStart:
    """One start of a guest: how long it took from the first command to the agent's greeting, and what it got."""

    guest_id: str
    environment: str
    kind: str
    asked: Mapping[str, Any]
    given: Mapping[str, Any]
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


# --- what is concluded ----------------------------------------------------------------------------------------


class Verdict(StrEnum):
    """A finding in one word."""

    SLOWER = "slower"
    FASTER = "faster"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    BASELINE = "baseline"
    UNAVAILABLE = "not available here"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval (None where n is too small for one) and the number of independent replicates."""

    value: float
    low: float | None
    high: float | None
    n: int
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison. `ratio` > 1 always means that the subject is better than `against`."""

    workload: str
    op: str
    metric: str
    unit: str
    better: Better
    subject: str
    against: str
    ratio: Estimate | None
    verdict: Verdict
    p_value: float | None
    p_adjusted: float | None
    host_cpu_ratio: Estimate | None
    value: Estimate | None
    detectable: float | None
    blocks_needed: int | None
    seconds_needed: float | None
    notes: tuple[str, ...] = field(default=())
