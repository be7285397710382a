"""The knees of a campaign: of each open loop that is swept over its rate, in each environment, against the baseline.

A block's percentile is that of the requests of all its trials of one rate; of a group, those of all measured guests.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from virtometer import agent_table
from virtometer.analysis.compare.blocks import usable
from virtometer.analysis.curves.sweeps import Series, series
from virtometer.analysis.describe.measures import merged_times
from virtometer.analysis.statistics import knee
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.knee import BlockKnee, Load, Middle
from virtometer.counted import counted
from virtometer.model import Campaign, Estimate, Quantity, Run, TrialRecord

PERCENTILE = 0.99
AXIS = "rate"
_ARRIVALS_SD = 3.0  # standard deviations by which random arrivals may be fewer than expected

Place: TypeAlias = tuple[str, str, int]
"""Environment, scenario of groups (empty: one guest alone), guests at the same time."""


@dataclass(frozen=True, slots=True)
class Knee:
    """The knee of one series in one environment; rates in requests in a second of each thread.

    scenario: of a group of guests; empty: one guest alone. guests: at the same time. smallest, largest: rates with a
    value. at: None where no block has enough rates. ratio: to the baseline's knee in the same blocks; None of the
    baseline itself and where no block has both. latencies: 99th percentile by rate, s, with its interval over the
    blocks. notes: what is missing, in sentences.
    """

    series: Series
    environment: str
    against: str
    scenario: str
    guests: int
    smallest: float
    largest: float
    at: Middle | None
    ratio: Middle | None
    latencies: Mapping[float, Quantity[Estimate]]
    notes: tuple[str, ...] = ()

    @property
    def is_baseline(self) -> bool:
        """Whether this is what the others are compared with."""
        return self.environment == self.against


def knees(campaign: Campaign) -> tuple[Knee, ...]:
    """In the plan's order of workloads, then of scenarios, numbers of guests and environments."""
    return tuple(one for of in series(campaign.plan.workloads) if swept(of) for one in _of_series(campaign, of))


def swept(of: Series) -> bool:
    """Whether a series is of an open loop over its rate."""
    return of.axes == (AXIS,) and agent_table.judged_by(of.workload, of.op) is not None


def _of_series(campaign: Campaign, of: Series) -> list[Knee]:
    loads = _loads(campaign, of)
    baseline = campaign.plan.baseline
    order = [one.name for one in campaign.plan.environments]
    scenarios = ["", *(one.name for one in campaign.plan.scenarios)]
    places = sorted(loads, key=lambda at: (scenarios.index(at[1]), at[2], order.index(at[0])))
    # By the plan: a block without one of them does not show where latency is flat.
    needed = {at[0] for at in sorted(of.points)[: knee.FLAT]}
    found = {at: _by_block(blocks, needed) for at, blocks in loads.items()}
    made = []
    for at in places:
        environment, scenario, guests = at
        own = found[at]
        other = found.get((baseline, scenario, guests), {}) if environment != baseline else {}
        rates = sorted({one.rate for block in loads[at].values() for one in block})
        made.append(
            Knee(
                of, environment, baseline, scenario, guests, rates[0], rates[-1],
                at=knee.middle(list(own.values())),
                ratio=knee.middle([knee.ratio(own[block], other[block]) for block in own if block in other]),
                latencies=_latencies(environment, loads[at]),
                notes=_notes(loads[at], own, len(of.points)),
            )
        )  # fmt: skip
    return made


def _by_block(blocks: Mapping[int, list[Load]], needed: set[float]) -> dict[int, BlockKnee]:
    """The knee of each block that has the rates that are needed, and enough others."""
    return {
        block: found
        for block, loads in sorted(blocks.items())
        if needed <= {one.rate for one in loads} and (found := knee.of_block(loads)) is not None
    }


def _notes(blocks: Mapping[int, list[Load]], own: Mapping[int, BlockKnee], rates: int) -> tuple[str, ...]:
    said = []
    if unused := len(blocks) - len(own):
        what = f"{unused} of {counted(len(blocks), 'block')}"
        said.append(f"{what} without a knee: one of the smallest {knee.FLAT} rates, or all others, have no value there")
    if gaps := sum(len(blocks[block]) < rates for block in own):
        said.append(f"{gaps} of {counted(len(blocks), 'block')} without a value at some rates")
    return tuple(said)


def _latencies(environment: str, blocks: Mapping[int, list[Load]]) -> dict[float, Quantity[Estimate]]:
    logs: defaultdict[float, list[float]] = defaultdict(list)
    for loads in blocks.values():
        for one in loads:
            logs[one.rate].append(math.log(one.latency))
    means = {rate: interval(logs[rate]) for rate in sorted(logs)}
    return {
        rate: Quantity(environment, "99th percentile of latency", "s", "lower", "geometric mean", mean)
        for rate, mean in means.items()
        if mean is not None
    }


def _loads(campaign: Campaign, of: Series) -> dict[Place, dict[int, list[Load]]]:
    """What each rate gave, by place and block. A failed trial gives nothing."""
    rates = {name: at[0] for at, name in of.points.items()}
    kinds = {"": "alone", **{one.name: one.type for one in campaign.plan.scenarios}}
    runs: defaultdict[tuple[Place, int, float], list[Run]] = defaultdict(list)
    for record in campaign.trials:
        measured = _measured(record)
        if not measured or kinds.get(record.trial.scenario) not in ("alone", "together"):
            continue
        workload, environment = measured[0].placement.workload, measured[0].placement.environment
        if workload in rates:
            alone = kinds[record.trial.scenario] == "alone"
            where = (environment, "" if alone else record.trial.scenario, len(measured))
            runs[where, record.trial.block, rates[workload]] += measured
    found: defaultdict[Place, defaultdict[int, list[Load]]] = defaultdict(lambda: defaultdict(list))
    for (where, block, rate), of_rate in runs.items():
        if (load := _load(rate, of_rate)) is not None:
            found[where][block].append(load)
    return {where: dict(blocks) for where, blocks in found.items()}


def _measured(record: TrialRecord) -> list[Run]:
    """The measured guests of a trial; none where one of them has no usable value."""
    runs = [run for run in record.scored if run.placement.role == "measured"] if record.failure is None else []
    return runs if all(map(usable, runs)) else []


def _load(rate: float, runs: list[Run]) -> Load | None:
    """The load of all trials of one rate in one block; None where the times of requests are not known."""
    judged = agent_table.judged_by(runs[0].kernel, runs[0].op)
    if judged is None:
        return None
    times = merged_times(runs, judged.histogram)
    if times is None or times.quantile(PERCENTILE) <= 0:
        return None
    return Load(rate, times.quantile(PERCENTILE), _reached(runs, judged.wanted, times.total / len(runs)))


def _reached(runs: list[Run], wanted: str, requests: float) -> float:
    """The part of the offered rate that was reached; random arrivals may be fewer than expected.

    requests: of each run. All runs have the arrivals of one seed, so that more runs do not even out what is missing.
    """
    offered = math.fsum(float(run.reported.measures.get(wanted, {}).get("value", 0.0)) for run in runs)
    if offered <= 0:
        return 1.0
    # Both by the guest's clock: the rate of responses is known in host time.
    found = math.fsum(run.scored.value * run.scored.clock.rate for run in runs) / offered
    random = any(run.parameters.get("arrivals") == "poisson" for run in runs)
    return found / (1 - _ARRIVALS_SD / math.sqrt(requests)) if random and requests > _ARRIVALS_SD**2 else found
