"""The second stage of a sequential design: what the first one says of each factor, and the cells that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from virtometer.model.plan import PlanEnvironment


class Why(StrEnum):
    """Why a factor is kept or dropped after the first stage."""

    MATTERS = "its effect can matter"
    INTERACTION = "an interaction of it can matter"
    IDLE = "its effect cannot matter"
    ROOM = "no room"

    @property
    def kept(self) -> bool:
        """Whether the second stage varies the factor."""
        return self in (Why.MATTERS, Why.INTERACTION)


@dataclass(frozen=True, slots=True)
class Screened:
    """What the first stage says of a factor.

    metric, level: of the change that is farthest from 0 at one end of its 95 % interval, which is from low to high, in
    per cent; None without an interval. chain: interactions that cannot be told from each other, because of which the
    factor is kept.
    """

    factor: str
    why: Why
    metric: str
    level: str
    low: float | None
    high: float | None
    chain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The second stage. cells: names of the environments that it measures, the reference first; none without any.

    environments: those of them that the first stage lacks. terms: what it estimates; left_out: interactions of its
    factors that it does not. levels: of each factor that it varies. missing: reason and advice of each cell that does
    not work here. blocks: that all of its cells get.
    """

    screened: tuple[Screened, ...]
    cells: tuple[str, ...] = ()
    environments: tuple[PlanEnvironment, ...] = ()
    terms: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    blocks: int = 0

    @property
    def kept(self) -> tuple[str, ...]:
        """The factors that it varies."""
        return tuple(one.factor for one in self.screened if one.why.kept)
