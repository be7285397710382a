"""A plan, as a user writes it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from virtometer.model.factors import MAX_FACTORS, Constraint, Design, Factor
from virtometer.model.plain import Frozen, Level, Name, OpenShare, Share, parse_size, size_schema
from virtometer.model.short import Short
from virtometer.model.tuning import MAX_STEPS, TuningStep

COMMAND = "command"  # the workload that is a command of the user's
MIN_BLOCKS = 6  # no interval is printed and no verdict is given from fewer


class PlanEnvironment(Frozen):
    """One environment of a plan: a kind with its settings under a name of its own.

    Of a plan with factors that has been read, a cell is an environment with `levels`: one level for each factor.
    """

    set_by_laboratory: ClassVar[frozenset[str]] = frozenset({"levels", "of"})

    name: Name = Field(description="name in reports, and for --in")
    kind: str = Field(description="kind of the environment")
    settings: dict[str, Any] = Field(default_factory=dict, description="settings of the kind")
    timing: Literal["auto", "agent", "laboratory"] = Field(
        default="auto",
        description="who times iterations; auto: the laboratory where a guest's clock counts instructions",
    )
    # Of a cell; the laboratory writes them when it reads a plan.
    levels: dict[str, str] = Field(default_factory=dict, description="name of the level of each factor")
    of: str = Field(default="", description="name of the environment in the file whose settings are varied")


VerdictBy = Literal["total", "typical"]
"""Which ratio a verdict is about: of total work / total time, or of a typical round."""

Levels = Annotated[list[Level], Field(min_length=1, max_length=64)]


class PlanWorkload(Frozen):
    """One workload of a plan: what is measured in every environment. `scheduling` of a plan that was read is not auto.

    `factors` gives parameters, `op` or `threads` several levels each. A plan that has been read has none left: every
    combination has become a workload of its own.
    """

    set_by_laboratory: ClassVar[frozenset[str]] = frozenset({"levels", "of"})

    name: Name = Field(description="name in reports, and for --only")
    workload: str = Field(description="what is measured")
    op: str = Field(description="operation of the workload; it may be a factor instead")
    parameters: dict[str, Any] = Field(default_factory=dict, description="parameters of the workload")
    threads: int = Field(default=1, ge=1, le=1024, description="threads that do the same work at once")
    seconds: float | None = Field(
        default=None, gt=0, le=3600, description="length of the window. Without it, that of the plan"
    )
    scheduling: Literal["auto", "interleaved", "continuous"] = Field(
        default="auto",
        description="interleaved: the guests take turns in slices; continuous: one guest after the other; "
        "auto: interleaved where the work can pause, guests start once a block and slices show what windows show",
    )
    runs: int | None = Field(
        default=None,
        ge=1,
        le=18_000,
        description="exact number of runs in each guest, shared among `blocks`; of commands alone. Without it, as many "
        "as fit into the window",
    )
    factors: dict[str, Levels] = Field(
        default_factory=dict,
        max_length=4,
        description="levels of parameters, op or threads; each combination is a workload",
    )
    # Of a combination of levels; the laboratory writes them when it reads a plan.
    levels: dict[str, Level] = Field(default_factory=dict, description="level of each factor")
    of: str = Field(default="", description="name of the workload with factors in the file")


class Limits(Frozen):
    """How long anything that can hang may take, in seconds, and how wrong a clock may be."""

    start_s: float = Field(default=60.0, gt=0, le=3600, description="seconds until a guest's agent greets")
    prepare_s: float = Field(default=60.0, gt=0, le=3600, description="seconds to prepare a workload")
    run_extra_s: float = Field(default=30.0, gt=0, le=3600, description="seconds that a run may take beyond its window")
    answer_s: float = Field(default=10.0, gt=0, le=600, description="seconds until an agent answers a request")
    clock_error: OpenShare = Field(
        default=0.005, description="largest error of a duration that is used, as a share of it"
    )


class Rules(Frozen):
    """When a trial is marked as disturbed: limits on the host's state during the scored window, and on stalls in it."""

    max_steal_share: Share = Field(
        default=0.05, description="share of processor time that a hypervisor under the host took"
    )
    max_swap_pages: int = Field(default=0, ge=0, description="pages that the host swapped in or out")
    min_free_memory_bytes: Annotated[int, Field(ge=0), BeforeValidator(parse_size), size_schema(0, None)] = Field(
        default=256 << 20, description="bytes of memory that the host must have free"
    )
    max_stall_share: Share = Field(
        default=0.1, description="share of the window that a guest may lose in one or a few long stalls"
    )
    max_foreign_load: float = Field(
        default=0.25, ge=0, le=4096, description="processors' worth of time that other programs may use"
    )
    max_run_delay_share: Share = Field(
        default=0.1,
        description="share of the window that a guest may wait for processors that others use; slices beyond it are "
        "not used",
    )
    max_frequency_change: Share = Field(
        default=0.2,
        description="share by which the frequency of a guest's own processors may fall within the window, where the "
        "host reports frequencies",
    )
    max_throttling: int = Field(
        default=0, ge=0, description="how often the guest's processors may be slowed down for their temperature"
    )
    max_kernel_errors: int = Field(default=0, ge=0, description="errors that the kernel of the host may log")
    max_disturbed_share: Share = Field(
        default=0.5,
        description="share of the trials or slices of either side of a comparison that other programs may disturb; "
        "beyond it there is no verdict (1: always a verdict)",
    )


ScenarioType = Literal["alone", "together", "loaded", "pair", "matrix", "mixed", "instances"]

MOST_GUESTS = 64
"""Of one environment in a trial."""

MAX_SCENARIOS = 64
MAX_WORKLOADS = 512
MOST_AT_ONCE = 16
"""Workloads in one guest."""

_Guests = Annotated[int, Field(ge=1, le=MOST_GUESTS)]


class Load(Frozen):
    """What other guests do while one is measured."""

    workload: str = Field(description="name of the workload of the plan that the load does")
    guests: _Guests = Field(default=1, description="number of guests that do it")
    environment: str | None = Field(
        default=None, description="name of their environment. Without it, that of the measured guest"
    )


class Scenario(Frozen):
    """How guests are combined. What is left out means all.

    A name of a workload with factors stands for each of its combinations.
    """

    name: Name = Field(description="name in reports")
    type: ScenarioType = Field(
        description="`alone`: one guest; `together`: n guests with the same workload; `loaded`: one guest while others "
        "load the host; `pair`: network between two guests; `matrix`: network between every two guests of a group; "
        "`mixed`: several workloads at once in each guest; `instances`: n agents within one guest"
    )
    environment: str | None = Field(default=None, description="name of the environment. Without it, each of the plan")
    workload: str | None = Field(
        default=None, description="name of the workload. Without it, each of the plan that the scenario can have"
    )
    guests: list[_Guests] = Field(
        default_factory=list,
        max_length=16,
        description="of `together` and `mixed`: numbers of guests. Without it, these types are refused",
    )
    load: Load | None = Field(default=None, description="of loaded: the table load")
    members: list[str] = Field(
        default_factory=list,
        max_length=16,
        description="of matrix: environments of its guests, one for each. Without it, this type is refused",
    )
    workloads: list[str] = Field(
        default_factory=list,
        max_length=MAX_WORKLOADS,
        description=f"of mixed: names of up to {MOST_AT_ONCE} workloads that run at once. Without it, all of the plan. "
        "Workloads with factors make a scenario for each level, which a factor that several have shares",
    )
    count: list[_Guests] = Field(
        default_factory=list,
        max_length=16,
        description="of instances: numbers of agents. Without it, this type is refused",
    )


class Plan(Frozen):
    """A plan: environments, workloads, scenarios, precision, budget."""

    set_by_laboratory: ClassVar[frozenset[str]] = frozenset({"shortened"})

    virtometer: Literal[1] = Field(description="version of the form of plans")
    name: Name = Field(description="name of the plan")
    question: str = Field(default="", description="what the plan asks, for people")
    environments: list[PlanEnvironment] = Field(min_length=1, max_length=64, description="places where work runs")
    baseline: str = Field(
        default="native",
        description="name of the environment that all others are compared with. With factors: that of their references",
    )
    factors: list[Factor] = Field(
        default_factory=list,
        max_length=MAX_FACTORS,
        description="settings that a design varies: the table factors. Each combination that the design takes is "
        "an environment. Without it, environments are as they are written",
    )
    constraints: list[Constraint] = Field(
        default_factory=list,
        max_length=64,
        description="combinations of levels that are not measured: the table constraints. Without it, all are possible",
    )
    design: Design | None = Field(
        default=None, description="which combinations are measured: the table design. Without it, all"
    )
    workloads: list[PlanWorkload] = Field(
        min_length=1, max_length=MAX_WORKLOADS, description="what is measured in each of them"
    )
    scenarios: list[Scenario] = Field(
        default_factory=list,
        max_length=MAX_SCENARIOS,
        description="how guests are combined: the table scenarios. Without it, each workload runs alone",
    )
    tuning: list[TuningStep] = Field(
        default_factory=list,
        max_length=MAX_STEPS,
        description="how all guests and the host are tuned before anything is measured: the table tuning. What is on "
        "the host stands for the whole campaign. Without it, as they are",
    )
    disk_files: Literal["own", "shared"] = Field(
        default="own",
        description="guests that work at the same time have disk files of their own, or share one",
    )
    blocks: int = Field(default=8, ge=1, le=10_000, description="passes over all treatments; a verdict takes six")
    seconds: float = Field(default=1.0, gt=0, le=3600, description="length of the window of a trial")
    slice_s: float = Field(
        default=0.012,
        ge=0.001,
        le=10,
        description="mean length of a slice where guests take turns; each round has 0.75 to 1.25 of it",
    )
    long_windows: Literal["first", "each"] = Field(
        default="first",
        description="long windows beside slices; first: a few in the first block, to find work that changes its speed; "
        "each: also one for each guest and workload in each block, so that `slices_by_windows` is known",
    )
    fresh: Literal["trial", "block"] = Field(
        default="trial", description="a guest starts for every trial, or once a block"
    )
    turns: Literal["guests", "commands"] = Field(
        default="guests",
        description="who takes turns where commands are interleaved; guests: one command follows the other; "
        "commands: they take turns with each other too, but for those with setup or cleanup",
    )
    enter: bool = Field(
        default=False,
        description="also time how long the host takes to start an empty program in a guest that lives, by the "
        "environment's own entry, such as the `exec` of a runtime; in guests that work alone, with `fresh: block`",
    )
    unavailable: Literal["refuse", "skip"] = Field(
        default="refuse", description="what happens where an environment other than the baseline does not work here"
    )
    seed: int | None = Field(
        default=None, ge=0, lt=2**63, description="seed of the random order. Without it, a fresh one"
    )
    control: bool = Field(
        default=True, description="the baseline is measured twice in each block, which gives the noise floor"
    )
    precision: OpenShare | None = Field(
        default=None,
        description="half width of the interval of each ratio that further blocks are measured for. "
        "Without it, and with a budget: until comparisons are decided",
    )
    budget_s: float | None = Field(
        default=None,
        gt=0,
        le=10_000_000,
        description="seconds that a campaign may take, further blocks included. Without it, `blocks` alone count",
    )
    margin: OpenShare = Field(default=0.05, description="difference that is small enough to be called equivalent")
    verdict: VerdictBy = Field(
        default="total",
        description="ratio that verdicts are about; total: work by time, with all stalls; typical: of the rounds of "
        "slices without the extreme ones, where guests took turns",
    )
    disk_span: Annotated[
        int, Field(ge=1 << 20, le=1 << 44), BeforeValidator(parse_size), size_schema(1 << 20, 1 << 44)
    ] = Field(default=512 << 20, description="bytes of the disk file behind all disk workloads")
    limits: Limits = Field(default_factory=Limits, description="how long anything may take: the table limits")
    rules: Rules = Field(default_factory=Rules, description="when a trial is marked as disturbed: the table rules")
    absent: dict[Annotated[str, Field(min_length=1, max_length=60)], Annotated[str, Field(max_length=300)]] = Field(
        default_factory=dict,
        max_length=32,
        description="what a published study compared and no host of today has, each with the reason: shown, not "
        "measured",
    )
    short: Short | None = Field(
        default=None,
        description="smaller sizes and shorter windows for `--short`: the table short. Without it, there is no short "
        "form",
    )
    # Of a plan in its short form; the laboratory writes it when it reads a plan.
    shortened: list[str] = Field(default_factory=list, description="what the short form replaced, in words")

    def scenario(self, name: str) -> Scenario:
        """The scenario of a trial, by its name. The empty name is that of plans without scenarios. KeyError."""
        if not name:
            return Scenario(name="alone", type="alone")
        return {one.name: one for one in self.scenarios}[name]

    @property
    def cells(self) -> tuple[PlanEnvironment, ...]:
        """The environments that are combinations of the levels of factors."""
        return tuple(one for one in self.environments if one.levels)

    @property
    def sequential(self) -> bool:
        """Whether a first stage finds the factors that a second one measures closely."""
        return self.design is not None and self.design.type == "sequential"

    @property
    def first_blocks(self) -> int:
        """Blocks that are planned when a campaign begins: those of the first stage, or all of the plan."""
        if self.design is None or self.design.type != "sequential":
            return self.blocks
        return MIN_BLOCKS if self.design.first_blocks is None else self.design.first_blocks

    @property
    def stops_by_rule(self) -> bool:
        """Whether the blocks of the plan are a first stage, which fixes how many follow."""
        return self.budget_s is not None or self.precision is not None
