"""What one more block takes, in seconds, from what the blocks so far took."""

from __future__ import annotations

import datetime
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.score.alone import alone_in
from virtometer.model import Campaign

_PAUSE = 5.0  # times the median of a block: the campaign was interrupted


@dataclass(frozen=True, slots=True)
class BlockCosts:
    """Seconds of one more block.

    own: of the trial of a treatment, by (workload, environment). baseline: of the trials of the baseline, by workload;
    where a block has groups of guests, each with the baseline, of one group. starts: until the guests of a comparison
    have started, side by side, and what belongs to no trial; by environment.
    elapsed: of all blocks so far, without pauses.
    """

    own: Mapping[Key, float]
    baseline: Mapping[str, float]
    starts: Mapping[str, float]
    elapsed: float

    def of(self, key: Key) -> float:
        """One more block of one comparison alone."""
        return self.own.get(key, 0.0) + self.baseline.get(key[0], 0.0) + self.starts.get(key[1], 0.0)


def block_costs(campaign: Campaign) -> BlockCosts | None:
    """Medians over the blocks; None where no trial has run. A failed trial does not show the time of a trial."""
    own: defaultdict[Key, list[float]] = defaultdict(list)
    baseline: defaultdict[tuple[str, int], defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    walls: defaultdict[int, float] = defaultdict(float)
    begun: dict[int, float] = {}
    alone = alone_in(campaign.plan)
    for record in campaign.trials:
        block, placement = record.trial.block, record.trial.placements[0]
        walls[block] += record.wall_s
        moment = _moment(record.started_at)
        if moment is not None:
            begun[block] = min(moment, begun.get(block, moment))
        if not alone(record.trial):
            continue
        if record.failure is None and placement.environment == campaign.plan.baseline:
            baseline[placement.workload, block][placement.guest].append(record.wall_s)
        elif record.failure is None:
            own[placement.workload, placement.environment].append(record.wall_s)
    if not walls:
        return None
    lengths = {block: begun[block + 1] - begun[block] for block in begun if block + 1 in begun}
    if not lengths or statistics.median(lengths.values()) <= 0:
        starts = math.fsum(guest.provision_s for guest in campaign.guests) / len(walls)
        lengths = {block: wall_s + starts for block, wall_s in walls.items()}
    usual = statistics.median(lengths.values())
    by_workload: defaultdict[str, list[float]] = defaultdict(list)
    for (workload, _), guests in baseline.items():
        by_workload[workload].append(math.fsum(statistics.fmean(seconds) for seconds in guests.values()))
    groups = max((len(seconds) for guests in baseline.values() for seconds in guests.values()), default=1)
    rest = max(statistics.median(length - walls[block] for block, length in lengths.items()), 0.0) / groups
    return BlockCosts(
        own={key: statistics.median(found) for key, found in own.items()},
        baseline={workload: statistics.median(found) for workload, found in by_workload.items()},
        starts=_starts(campaign, rest),
        elapsed=math.fsum(
            length if (length := lengths.get(block, usual)) < _PAUSE * usual else usual for block in walls
        ),
    )


def _starts(campaign: Campaign, rest: float) -> dict[str, float]:
    """Of each environment, from `rest`: what a block takes beyond its trials, in which the slowest guest starts too."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for guest in campaign.guests:
        found[guest.environment].append(guest.provision_s)
    usual = {environment: statistics.median(seconds) for environment, seconds in found.items()}
    beside = max(rest - max(usual.values(), default=0.0), 0.0)
    baseline = usual.get(campaign.plan.baseline, 0.0)
    names = (environment.name for environment in campaign.plan.environments)
    return {name: min(max(usual.get(name, 0.0), baseline) + beside, rest) for name in names}


def _moment(text: str) -> float | None:
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
