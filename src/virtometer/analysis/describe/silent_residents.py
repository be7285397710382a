"""What guests that are silent cost the baseline: pairs of slices, beside guests that run and beside stopped ones.

Both slices of a pair are some milliseconds apart, in random order. The first sample of each is left out, as in all
slices. A block has the median of its pairs' log ratios, which a stop in one slice does not move; the blocks are the
replicates.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.statistics.interval import estimate, spread
from virtometer.model import Campaign, Estimate, Run, SetAside, columns_of


@dataclass(frozen=True, slots=True)
class SilentResidents:
    """The speed of the baseline beside silent guests, divided by that beside stopped ones; below 1 they cost something.

    ratio: over all workloads. pairs: of slices. guests: the most guests that were silent. workloads: the ratio of each,
    in the plan's order.
    """

    ratio: Estimate
    pairs: int
    guests: int
    workloads: Mapping[str, Estimate]

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 1."""
        low, high = self.ratio.low, self.ratio.high
        return low is not None and high is not None and not low <= 1 <= high


def silent_residents(campaign: Campaign) -> SilentResidents | None:
    """What a campaign measured of it; None where it did not."""
    by_workload: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    living: dict[int, set[str]] = defaultdict(set)
    groups = set()
    for record in campaign.trials:
        living[record.trial.start_group].update(run.guest_id for run in record.runs)
        for run in record.scored:
            if logs := log_ratios(run):
                by_workload[run.placement.workload][record.trial.block] += logs
                groups.add(record.trial.start_group)
    overall: dict[int, list[float]] = defaultdict(list)
    for blocks in by_workload.values():
        for block, logs in blocks.items():
            overall[block] += logs
    ratio = _ratio(overall)
    if ratio is None:
        return None
    found = {one.name: _ratio(by_workload.get(one.name, {})) for one in campaign.plan.workloads}
    return SilentResidents(
        ratio,
        sum(map(len, overall.values())),
        max(len(living[group]) for group in groups) - 1,
        {name: of for name, of in found.items() if of is not None},
    )


def log_ratios(run: Run) -> list[float]:
    """The log of each pair's ratio of speeds, beside silent guests to beside stopped ones."""
    of = columns_of(run.samples)
    which = of.set_aside(SetAside.RESIDENTS)
    if not which.any():
        return []
    speeds: dict[int, float] = {}
    for number in np.unique(of.slice[which]).tolist():
        inside = np.flatnonzero(which & (of.slice == number))
        counted = inside[1:] if len(inside) > 1 else inside
        work, lasted_ns = int(of.work[counted].sum()), int((of.end_ns - of.start_ns)[counted].sum())
        if work > 0 and lasted_ns > 0:
            speeds[number] = work / lasted_ns
    return [
        math.log(speed / speeds[number + 1])
        for number, speed in speeds.items()
        if number % 2 == 0 and number + 1 in speeds
    ]


def _ratio(blocks: Mapping[int, Sequence[float]]) -> Estimate | None:
    return estimate(spread([statistics.median(logs) for logs in blocks.values()]))
