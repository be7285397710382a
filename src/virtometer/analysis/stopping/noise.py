"""How noisy a host is: the same environment measured twice, and what a longer campaign could find beside that noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import TreatmentData, by_treatment
from virtometer.analysis.compare.ratios import ratios
from virtometer.analysis.statistics.equivalence import noise_floor_share
from virtometer.analysis.statistics.precision import MAX_BLOCKS, detectable
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL
from virtometer.analysis.stopping.rule import ALPHA_FACTOR
from virtometer.model import MIN_BLOCKS, Campaign, VerdictBy

MINUTES = (1, 5, 30)


@dataclass(frozen=True, slots=True)
class Noise:
    """Of one workload. Differences are fractions: 0.07 is a ratio of 1.07.

    sd: of a block's log ratio, of the kind that the plan's verdicts are about; None below two blocks. floor: the
    smallest margin within which the same environment twice would be found equivalent, as in `control`; None below
    MIN_BLOCKS. block_s: what a block takes that measures this workload alone in both environments, with the starts of
    both guests; None where no block is complete. detectable: by minutes, the smallest difference that a campaign of
    this workload and two environments with such a budget finds with 80 % probability; None where so many minutes have
    no MIN_BLOCKS blocks. reason: why blocks are missing; or empty.
    """

    workload: str
    blocks: int
    sd: float | None
    floor: float | None
    block_s: float | None
    detectable: Mapping[int, float | None]
    reason: str = ""


def noise(campaign: Campaign) -> tuple[Noise, ...]:
    """For every workload of a plan with two environments of the same kind: the baseline, and the same again."""
    table = by_treatment(campaign)
    baseline = campaign.plan.baseline
    (again,) = (one.name for one in campaign.plan.environments if one.name != baseline)
    starts_s = math.fsum(guest.provision_s for guest in campaign.guests) / campaign.plan.first_blocks
    return tuple(
        _of(table[workload.name, again], table[workload.name, baseline], starts_s, campaign.plan.verdict)
        for workload in campaign.plan.workloads
    )


def _of(data: TreatmentData, against: TreatmentData, starts_s: float, wanted: VerdictBy) -> Noise:
    of = spread(ratios(data, against, wanted).decisive.values())
    failed = [*data.failed, *against.failed]
    reason = failed[0].reason if failed else ""
    if of is None:
        return Noise(data.workload, 0, None, None, None, dict.fromkeys(MINUTES), reason)
    both = (*data.done, *against.done)
    block_s = 2 * math.fsum(record.wall_s for record in both) / len(both) + starts_s
    several = of.n > 1
    found = {minutes: _found_in(60.0 * minutes, of, block_s) if several else None for minutes in MINUTES}
    return Noise(data.workload, of.n, of.sd if several else None, noise_floor_share(of), block_s, found, reason)


def _found_in(seconds: float, of: Spread, block_s: float) -> float | None:
    blocks = min(MAX_BLOCKS, math.floor(seconds / block_s)) if block_s > 0 else MAX_BLOCKS
    return detectable(Spread(0.0, of.sd, blocks), CLAIM_LEVEL * ALPHA_FACTOR) if blocks >= MIN_BLOCKS else None
