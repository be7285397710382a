"""Further blocks of a campaign, fixed once from all blocks that were measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from virtometer.analysis.compare.blocks import Key, TreatmentData, by_treatment
from virtometer.analysis.conclude import busy_host, comparisons, control_spreads, decisive_spreads
from virtometer.analysis.effects.further import allot_effects, blocks_of_workloads, reported
from virtometer.analysis.effects.in_stages import alpha_factors
from virtometer.analysis.effects.of_campaign import experiment, second_experiment
from virtometer.analysis.notes.doubts import doubts_of
from virtometer.analysis.statistics.precision import MAX_BLOCKS
from virtometer.analysis.stopping.block_costs import BlockCosts, block_costs
from virtometer.analysis.stopping.rule import ALPHA_FACTOR, Allotment, allot
from virtometer.counted import counted
from virtometer.design.schedule.trials import further
from virtometer.model import Campaign, Stage, Trial
from virtometer.programs import now

_MOST = 10  # times the blocks of the plan, where there is no budget


def has_next(campaign: Campaign) -> bool:
    """Whether the plan asks for a further stage, apart from what the blocks so far say."""
    if campaign.plan.sequential and campaign.follow_up_stage is None:
        return True
    return campaign.plan.stops_by_rule and all(stage.follow_up is not None for stage in campaign.stages)


def next_stage(campaign: Campaign, more: int | None = None) -> tuple[Stage, tuple[Trial, ...]] | None:
    """Further blocks for a campaign of which all trials were executed, with their trials; None where nothing follows.

    `more`: at most so many further blocks, without any budget.
    """
    plan = campaign.plan
    costs = block_costs(campaign)
    if not any(plan.scenario(trial.scenario).type == "alone" for trial in campaign.planned):
        return None  # comparisons of one environment with another are of work that runs alone
    if costs is None or (more is None and not has_next(campaign)):
        return None
    left_s, most, limit = _limits(campaign, costs, more)
    table = by_treatment(campaign)
    blocks, beyond = _of_effects(campaign, table, costs, left_s, most, wished=more is not None)
    left_s -= _price(campaign, costs, blocks)
    ratios, more_beyond = _of_comparisons(campaign, table, costs, left_s, most, more)
    blocks |= ratios
    beyond |= more_beyond
    stage = campaign.follow_up_stage
    trials = further(plan, campaign.seed, campaign.planned, blocks, _position(campaign, stage))
    return Stage(now(), len(campaign.planned), len(trials), blocks, beyond, limit), trials


_Blocks = dict[Key, int]
_Beyond = dict[tuple[str, str], float | None]
_Most = Callable[[int], int]
"""The most blocks that anything may have, from those that it has."""


def _limits(campaign: Campaign, costs: BlockCosts, more: int | None) -> tuple[float, _Most, str]:
    """Seconds that are left, the most blocks, and what limits them in words."""
    plan = campaign.plan
    if more is not None:
        return math.inf, lambda first: first + more, f"at most {counted(more, 'further block')}"
    if plan.budget_s is not None:
        left_s = max(plan.budget_s - costs.elapsed, 0.0)
        return left_s, lambda _: MAX_BLOCKS, f"a budget of {plan.budget_s:g} s"
    return math.inf, lambda _: _MOST * plan.blocks, f"{_MOST} times the {counted(plan.blocks, 'block')} of the plan"


def _of_effects(
    campaign: Campaign,
    table: Mapping[Key, TreatmentData],
    costs: BlockCosts,
    left_s: float,
    most: _Most,
    *,
    wished: bool,
) -> tuple[_Blocks, _Beyond]:
    """Further blocks for effects: all combinations of the last design, by workload. Nothing without factors."""
    made = second_experiment(campaign, table) or experiment(campaign, table)
    if made is None:
        return {}, {}
    plan = campaign.plan
    family = reported(made, plan.margin, all_metrics=wished)
    first = max((one.of.n for one in family), default=0)
    names = _combinations(campaign)
    allotment = allot_effects(
        family,
        plan.margin,
        alpha_factors(campaign, by_rule=True),
        block_s={one.name: _block_s(costs, one.name, names) for one in plan.workloads},
        start_s=max((costs.starts.get(name, 0.0) for name in names), default=0.0),
        left_s=left_s,
        precision=plan.precision,
        most_blocks=most(first),
    )
    blocks = {
        (workload, name): count - first
        for workload, count in blocks_of_workloads(allotment).items()
        for name in names
        if count > first and name != plan.baseline
    }
    return blocks, _finite(allotment)


def _combinations(campaign: Campaign) -> list[str]:
    """The cells of the last design that work here."""
    works = {status.name for status in campaign.environments if status.works}
    stage = campaign.follow_up_stage
    if stage is not None and stage.follow_up is not None and stage.follow_up.cells:
        return [name for name in stage.follow_up.cells if name in works]
    return [one.name for one in campaign.plan.cells if one.name in works]


def _block_s(costs: BlockCosts, workload: str, names: Sequence[str]) -> float:
    """Seconds of one more block of all combinations of a workload."""
    own = math.fsum(costs.own.get((workload, name), 0.0) for name in names)
    return own + costs.baseline.get(workload, 0.0)


def _price(campaign: Campaign, costs: BlockCosts, blocks: Mapping[Key, int]) -> float:
    """Seconds of further blocks, the baseline of each workload and the slowest start of each block among them."""
    longest: dict[str, int] = {}
    for (workload, _), count in blocks.items():
        longest[workload] = max(longest.get(workload, 0), count)
    own = math.fsum(count * costs.own.get(key, 0.0) for key, count in blocks.items())
    shared = math.fsum(count * costs.baseline.get(workload, 0.0) for workload, count in longest.items())
    starts = max((costs.starts.get(name, 0.0) for _, name in blocks), default=0.0)
    return own + shared + starts * max(longest.values(), default=0)


def _of_comparisons(
    campaign: Campaign,
    table: Mapping[Key, TreatmentData],
    costs: BlockCosts,
    left_s: float,
    most: _Most,
    more: int | None,
) -> tuple[_Blocks, _Beyond]:
    """Further blocks for comparisons with the baseline, of environments that are no combinations of factors.

    A comparison that gets no verdict because the host was busy gets none by the plan's rule: more blocks of such a host
    decide nothing. It gets all of `more`, which the user wishes for: the host may be quiet now.
    """
    varied = {one.name for one in campaign.plan.cells}
    every = {key: of for key, of in comparisons(campaign, table).items() if key[1] not in varied}
    disturbed = busy_host(campaign, table, every)
    compared = {key: of for key, of in every.items() if key not in disturbed}
    wished = dict.fromkeys(disturbed, more) if more else {}
    family = decisive_spreads(compared)
    first = max((of.n for of in family.values() if of is not None), default=0)
    if not family:
        return wished, {}
    controls = control_spreads(campaign, table, compared)
    doubted = doubts_of(campaign, table, compared, controls, ALPHA_FACTOR)
    allotment = allot(
        family,
        campaign.plan.margin,
        cost_s=costs.own,
        shared_s=costs.baseline,
        start_s=costs.starts,
        left_s=max(left_s, 0.0),
        controls=controls,
        precision=campaign.plan.precision,
        most_blocks=most(first),
        first=first,
        doubted=doubted.blocks,
        refused=doubted.refused,
    )
    blocks = {key: count - first for key, count in allotment.blocks.items() if count > first}
    return blocks | wished, _finite(allotment)


def _finite(of: Allotment) -> _Beyond:
    return {key: seconds if math.isfinite(seconds) else None for key, seconds in of.beyond.items()}


def _position(campaign: Campaign, stage: Stage | None) -> int:
    """Where in the list of trials the last design begins."""
    if stage is None or stage.follow_up is None or not stage.follow_up.cells:
        return 0
    return next(at for at, trial in enumerate(campaign.planned) if trial.index >= stage.first_trial)
