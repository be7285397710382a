"""Commands in cold guests: from the start of a guest to the end of the first command that it runs.

Two stretches are added, both in host time: from before the launcher is started until the agent greets, and the run of
the command. What the laboratory does in between, such as comparing clocks, is in neither. Natively the guest is the
agent's own process.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import Key, TreatmentData, beside, logs_by_block, usable
from virtometer.analysis.compare.commands import names_of, of_time
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.score.judged import judged
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Campaign, Estimate, Quantity


@dataclass(frozen=True, slots=True)
class Cold:
    """Of one command in one environment, over blocks. start, whole: in s. ratio: of the baseline's whole to this one.

    ratio: None for the baseline, and where no block has both.
    """

    start: Quantity[Estimate]
    whole: Quantity[Estimate]
    ratio: Quantity[Estimate] | None


def names_of_cold(campaign: Campaign) -> list[str]:
    """The commands of which each run is the first one of a guest, in the plan's order."""
    fresh = campaign.plan.fresh == "trial"
    first = {
        one.name for one in campaign.plan.workloads if fresh and of_time(one) and one.parameters.get("first_counts")
    }
    return [name for name in names_of(campaign) if name in first]


def cold(campaign: Campaign, table: Mapping[Key, TreatmentData]) -> dict[Key, Cold]:
    """By command and environment, in the plan's order. `table`: of the campaign."""
    starts_s = {one.guest_id: one.provision_s for one in campaign.guests}
    baseline, found = campaign.plan.baseline, dict[Key, Cold]()
    for name in names_of_cold(campaign):
        against = table.get((name, baseline))
        for environment in campaign.plan.environments:
            mine = table.get((name, environment.name))
            if mine is None:
                continue
            start, whole = _by_block(mine, starts_s)
            if not whole:
                continue
            there = {} if against is None or mine is against else _by_block(beside(mine, against), starts_s)[1]
            ratio = interval(logs_by_block(whole, there, "lower").values())
            found[name, environment.name] = Cold(
                _time(environment.name, "start of the guest", start),
                _time(environment.name, "start of the guest and run", whole),
                ratio and efficiency(environment.name, baseline, ratio, metric="cold efficiency"),
            )
    return found


def _by_block(data: TreatmentData, starts_s: Mapping[str, float]) -> tuple[dict[int, float], dict[int, float]]:
    """Starts, and starts with the run, of those whose start is known; of several the geometric mean."""
    starts, wholes = dict[int, list[float]](), dict[int, list[float]]()
    for record, run in data.results:
        start_s = starts_s.get(run.guest_id)
        if start_s is not None and start_s > 0 and usable(run):
            starts.setdefault(record.trial.block, []).append(start_s)
            wholes.setdefault(record.trial.block, []).append(start_s + judged(run).value)
    means = [{block: statistics.geometric_mean(of) for block, of in one.items()} for one in (starts, wholes)]
    return means[0], means[1]


def _time(subject: str, metric: str, by_block: Mapping[int, float]) -> Quantity[Estimate]:
    of = interval(map(math.log, by_block.values()))
    assert of is not None  # there is a block
    return Quantity(subject, metric, "s", "lower", "geometric mean", of)
