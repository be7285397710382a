"""The noise of single trials in a campaign, for the power of a design that is planned. Pure.

Within blocks, the log ratio of an environment and the baseline has the variance s^2 (1 + 1/g), g being the guests of
the baseline in a block (two with its control). The variances of all environments are pooled by their degrees of
freedom.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import by_treatment, counterpart, logs_by_block
from virtometer.analysis.score.alone import alone_in
from virtometer.model import Campaign


@dataclass(frozen=True, slots=True)
class TrialNoise:
    """Of one workload. sd: of the log of a trial's value within a block. freedom: degrees of freedom behind it."""

    sd: float
    freedom: int


def trial_noise(campaign: Campaign) -> dict[str, TrialNoise]:
    """By workload; those are missing that have no environment with two blocks beside the baseline."""
    plan = campaign.plan
    table = by_treatment(campaign)
    guests = _baseline_guests(campaign)
    found: dict[str, TrialNoise] = {}
    for workload in plan.workloads:
        squares, freedom = 0.0, 0
        against = table.get((workload.name, plan.baseline))
        for environment in plan.environments:
            data = table.get((workload.name, environment.name))
            if environment.name == plan.baseline or data is None or against is None or data.shape is None:
                continue
            logs = [*logs_by_block(data.values, counterpart(data, against), data.shape[2]).values()]
            if len(logs) > 1:
                squares += statistics.variance(logs) * (len(logs) - 1)
                freedom += len(logs) - 1
        if freedom:
            found[workload.name] = TrialNoise(math.sqrt(squares / freedom / (1 + 1 / guests)), freedom)
    return found


def _baseline_guests(campaign: Campaign) -> int:
    """How many guests the baseline has in a block: two with its control."""
    alone = alone_in(campaign.plan)
    numbers = {
        placement.guest
        for trial in filter(alone, campaign.planned)
        for placement in trial.measured
        if placement.environment == campaign.plan.baseline
    }
    return max(1, len(numbers))
