"""What changes values without being asked about: the order, the processors, the layout of memory. Pure.

T. Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", ASPLOS 2009.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.analysis.score.alone import alone_in
from virtometer.model import Campaign

PADDING = "environment_padding_bytes"
"""Effective setting of a start whose environment variables have a random size."""

_CONDITION = "guest_processors"


@dataclass(frozen=True, slots=True)
class Nuisance:
    """Of the combinations of a plan with factors.

    seed: of the random order within each block. starts: of guests, each with a layout in memory of its own; padded: of
    them with environment variables of a random size. randomised: whether the host draws addresses at random; None:
    unknown. processors: of the guests, by workload, each once; several where combinations differ.
    """

    seed: int
    starts: int
    padded: int
    randomised: bool | None
    processors: Mapping[str, tuple[str, ...]]

    @property
    def same_processors(self) -> bool:
        """Whether all combinations worked on the same processors, in each workload."""
        return all(len(some) == 1 for some in self.processors.values())


def nuisance(campaign: Campaign) -> Nuisance:
    """What is known of the combinations and their reference."""
    cells = {one.name for one in campaign.plan.cells}
    starts = [guest for guest in campaign.guests if guest.environment in cells]
    alone = alone_in(campaign.plan)
    processors: dict[str, dict[str, None]] = {}
    for record in campaign.trials:
        for run in record.scored if alone(record.trial) else ():
            if run.placement.environment in cells and _CONDITION in run.conditions:
                processors.setdefault(run.placement.workload, {})[run.conditions[_CONDITION]] = None
    return Nuisance(
        campaign.seed,
        len(starts),
        sum(PADDING in guest.effective for guest in starts),
        _randomised(campaign.host.get("address_randomisation")),
        {workload: tuple(sorted(some)) for workload, some in processors.items()},
    )


def _randomised(level: object) -> bool | None:
    """Linux: 0 is off, 1 without the heap, 2 everything."""
    return None if level is None else str(level) != "0"
