"""Which design fits into a time: the best of those that the factors have. PURE.

A design is better that estimates more terms, then one of a higher resolution, then one with more blocks, then one with
more cells. One factor at a time is never among them: for the same precision it takes several times as many trials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from virtometer.model import MIN_BLOCKS, Plan


@dataclass(frozen=True, slots=True)
class Option:
    """What a plan may say instead of its own design and blocks; `given` is its own."""

    design: dict[str, Any]
    blocks: int
    given: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        """As fields of a plan."""
        return {"design": self.design, "blocks": self.blocks}


@dataclass(frozen=True, slots=True)
class Priced:
    """An option that was read and is right: its plan, its resolution (0: none), its seconds."""

    option: Option
    plan: Plan
    resolution: int
    seconds: float


def options(plan: Plan, given: dict[str, Any]) -> Iterator[Option]:
    """Designs to look at, each with the plan's blocks and with the fewest that give verdicts. Some may be impossible.

    `given`: the design as the file has it.
    """
    blocks = sorted({plan.blocks, min(plan.blocks, MIN_BLOCKS)}, reverse=True)
    numbers = [factor.numbers for factor in plan.factors]
    designs: list[dict[str, Any]] = [{"type": "full"}]
    if all(len(factor.level_names) == 2 for factor in plan.factors):
        designs += [{"type": "fraction", "resolution": resolution} for resolution in (5, 4, 3)]
    if all(some is not None and len(some) == 3 and some[0] < some[1] < some[2] for some in numbers):
        designs.append({"type": "screening"})
    mains = 1 + sum(len(factor.level_names) - 1 for factor in plan.factors)
    designs += [{"type": "optimal"}, {"type": "optimal", "terms": ["main"]}]
    designs.append({"type": "optimal", "terms": ["main"], "runs": mains})
    for count in blocks:
        yield Option(given, count, given=count == plan.blocks)
        for design in designs:
            if design != given:
                yield Option(design, count)


def best(found: Sequence[Priced], seconds: float) -> Priced | None:
    """The best that takes at most so many seconds; of equally good ones the plan's own, then the first."""
    fitting = [one for one in found if one.seconds <= seconds]
    return max(fitting, key=_worth, default=None)


def _worth(of: Priced) -> tuple[int, int, int, int, bool]:
    terms = len(of.plan.design.terms) if of.plan.design is not None else 0
    return terms, of.resolution, of.plan.blocks, len(of.plan.cells), of.option.given
