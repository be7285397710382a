"""What a kind of environment is known to be before anything is started: its settings, and facts for plans."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from virtometer.model.tuning import MAX_STEPS, TuningStep

Namespace = Literal["cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"]
"""Namespaces of Linux, as /proc/PID/ns names them."""


MOST_PROCESSORS = 4096
PLACEMENTS = ("auto", "all", "apart", "shared")


def _processors(value: object) -> object:
    """Refuse what is neither a word for processors nor a list of numbers, in one sentence. Raises ValueError."""
    numbers = value if isinstance(value, list | tuple) else ()
    right = all(type(one) is int and 0 <= one < MOST_PROCESSORS for one in numbers)
    if value not in PLACEMENTS and not (numbers and right):
        words = ", ".join(PLACEMENTS)
        raise ValueError(f"must be {words} or a list of numbers from 0 to {MOST_PROCESSORS - 1}, such as [1]")
    return tuple(numbers) or value


ProcessorNumber = Annotated[int, Field(ge=0, lt=MOST_PROCESSORS)]


class Settings(BaseModel):
    """Settings of a kind: the fields are the knobs. Unknown ones are refused.

    clock_settings: names of the fields with which, where they are set, the guest's clock follows no clock of the host.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    clock_settings: ClassVar[tuple[str, ...]] = ()

    processors: Annotated[
        Literal["auto", "all", "apart", "shared"] | tuple[ProcessorNumber, ...], BeforeValidator(_processors)
    ] = Field(
        default="auto",
        description="processors of the host for the whole guest: their numbers; all; auto: as many as the work has "
        "threads. Of guests that work at the same time, `auto`: they share as many as all have threads in total; "
        "`apart`: each the next processors; `shared`: all on those of one",
    )

    tuning: Annotated[tuple[TuningStep, ...], Field(max_length=MAX_STEPS)] = Field(
        default_factory=tuple,
        description="how guests are tuned before they are measured, after the steps of the plan: the table tuning. "
        "Steps on the host need fresh: trial. Those of several factors add up. Without it, guests are as they are",
    )

    @property
    def fewest_processors(self) -> int:
        """How many processors a guest with these settings has at least, where `processors` is auto."""
        return 1

    @property
    def guest_memory(self) -> int | None:
        """Bytes of memory that a guest has, or may have at most. None: as much as the host."""
        memory = getattr(self, "memory", None)
        return memory if isinstance(memory, int) else None

    @property
    def own_processors(self) -> frozenset[int] | None:
        """The processors to which a knob of the kind binds its guests. None: no knob does so."""
        return None

    @property
    def steady_clock(self) -> bool:
        """Whether the guest's clock follows one of the host's, if at a wrong rate. If not, it is not read."""
        return all(getattr(self, name) is None for name in self.clock_settings)

    @property
    def needs_long_windows(self) -> str:
        """Why the speed of guests shows over long windows alone, without its subject; empty where slices show it."""
        return "" if self.steady_clock else "its clock has no rate"

    @property
    def caches_disk(self) -> str:
        """Which cache a direct write to the disk goes through, without its subject; empty where it goes past all."""
        return ""


LONG_SLICE_S = 0.0625
"""From this length on, iterations of a slice are as long as those of a window."""


class Kind:
    """A kind as plans know it. The class of a kind in `environments/kinds/` has all this, and how guests start."""

    kind: ClassVar[str]
    title: ClassVar[str]  # as printed in tables, e.g. "user-mode Linux"
    meaning: ClassVar[str] = ""  # what it is, for the reference of plans
    settings_type: ClassVar[type[Settings]]
    # The namespaces of its own that the agent has as a process of the host. None: no kernel of the host runs the agent.
    namespaces: ClassVar[tuple[Namespace, ...] | None] = None
    machine: ClassVar[bool] = False  # guests have a kernel of their own: the disk is a device, their memory is theirs
    may_share_network: ClassVar[bool] = False  # guests may be on the network of the host itself
    by_launcher: ClassVar[bool] = False  # a program that stays on the host beside the guest starts the agent
    one_user: ClassVar[str] = ""  # why commands cannot run as another user, without its subject
    own_filter: ClassVar[str] = ""  # why its filter of system calls cannot be left out, without its subject
    several_agents: ClassVar[bool] = False  # `add_agent` starts more of them in a guest
    kernel_memory: ClassVar[int] = 0  # bytes of a machine's memory that its kernel and the agent take at least
    own_memory: ClassVar[int] = 8 << 20  # bytes of the host that a guest takes beside its memory or that of its work
    program: ClassVar[str] = ""  # which program of the host starts guests, and which Debian package has it
    package: ClassVar[str] = ""
    check_settings: ClassVar[tuple[str, ...]] = ()  # which decide whether the kind works here at all
    # Operations whose speed in short slices is not that of long windows ("os fork"), each with the reason.
    unlike_in_slices: ClassVar[Mapping[str, str]] = MappingProxyType({})
    usual_start_s: ClassVar[float] = 5.0  # seconds of a guest's start; means of quick.yaml on two cores, rounded up
    usual_overhead_s: ClassVar[float] = 0.5  # seconds of a trial beside its window


Kinds = Mapping[str, type[Kind]]
"""Kinds by the names that plans use."""
