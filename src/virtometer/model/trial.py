"""What a plan becomes: trials of placements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from virtometer.model.plain import Level

Role = Literal["measured", "load", "service"]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a workload is known to take before it is measured; 0 and False where nothing is known.

    memory: bytes of its guest's memory, at least. disk_file: bytes of the campaign's disk file, at least. own_files:
    bytes of files that it makes beside it. names: how many such files are there at once. threads: the most that it may
    have. file_system: it needs one, and a device is not enough.
    """

    memory: int = 0
    disk_file: int = 0
    own_files: int = 0
    names: int = 0
    threads: int = 0
    file_system: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """What workloads take on a file system beside the disk file: bytes of their files, and how many names."""

    files: int
    names: int


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is compared: a workload in an environment, with the level of each factor."""

    environment: str
    workload: str
    levels: Mapping[str, Level] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class GuestKey:
    """A guest within a trial: `number` counts the guests of one environment from 1."""

    environment: str
    number: int = 1

    @property
    def name(self) -> str:
        """For people: `box`, and `box #2` for the second guest of the environment `box`."""
        return self.environment if self.number == 1 else f"{self.environment} #{self.number}"


@dataclass(frozen=True, slots=True)
class Placement:
    """One workload in one guest. `ordinal` is its place in the trial and identifies it there.

    guest: number of the guest of this environment. uses: ordinals of the placements with the role `service` that this
    one uses; what they do not offer it has from the laboratory. instance: number of the agent within the guest.
    """

    environment: str
    workload: str
    role: Role = "measured"
    guest: int = 1
    ordinal: int = 0
    uses: tuple[int, ...] = ()
    instance: int = 1

    @property
    def guest_key(self) -> GuestKey:
        """The guest that it runs in."""
        return GuestKey(self.environment, self.guest)


@dataclass(frozen=True, slots=True)
class Trial:
    """The unit of execution. `index` counts from 0 in order of execution, `start_group` names the guest starts.

    Trials with the same `start_group` share one start of their guests (`fresh: block`). Those with the same `turns`
    are interleaved: their guests take turns in slices. None: the trial has continuous windows of its own. scenario:
    its name in the plan; empty where the plan has none. ValueError for placements that are not numbered in their
    order, or that use no service.
    """

    index: int
    block: int
    position: int
    start_group: int
    placements: tuple[Placement, ...]
    turns: int | None = None
    scenario: str = ""

    def __post_init__(self) -> None:
        """Check that an ordinal is a position."""
        if any(placement.ordinal != number for number, placement in enumerate(self.placements)):
            raise ValueError("placements are not numbered in their order")
        services = {placement.ordinal for placement in self.placements if placement.role == "service"}
        if not all(services.issuperset(placement.uses) for placement in self.placements):
            raise ValueError("a placement uses placements with the role service")

    @property
    def measured(self) -> tuple[Placement, ...]:
        """The placements whose value counts."""
        return tuple(one for one in self.placements if one.role == "measured")

    @property
    def guests(self) -> tuple[GuestKey, ...]:
        """The guests that it needs, each once, in the order of the placements."""
        return tuple(dict.fromkeys(placement.guest_key for placement in self.placements))
