"""Further blocks of a campaign, fixed once from all blocks that were measured."""

from __future__ import annotations

import math

from virtometer.analysis.block_costs import block_costs
from virtometer.analysis.blocks import cells
from virtometer.analysis.conclude import comparisons, control_spreads, decisive_spreads
from virtometer.analysis.counted import counted
from virtometer.analysis.precision import MAX_BLOCKS
from virtometer.analysis.stopping import allot
from virtometer.design.schedule import further
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
    table = cells(campaign)
    compared = comparisons(campaign, table)
    family = decisive_spreads(compared)
    first = max((of.n for of in family.values() if of is not None), default=0)
    left_s, most = math.inf, first
    if more is not None:
        most += more
        limit = f"at most {counted(more, 'further block')}"
    elif plan.budget_s is not None:
        most = MAX_BLOCKS
        left_s = max(plan.budget_s - costs.elapsed, 0.0)
        limit = f"a budget of {plan.budget_s:g} s"
    else:
        most = _MOST * plan.blocks
        limit = f"{_MOST} times the {counted(plan.blocks, 'block')} of the plan"
    allotment = allot(
        family,
        plan.margin,
        cost_s=costs.own,
        shared_s=costs.baseline,
        start_s=costs.starts,
        left_s=left_s,
        controls=control_spreads(campaign, table, compared),
        precision=plan.precision,
        most_blocks=most,
        first=first,
    )
    blocks = {key: count - first for key, count in allotment.blocks.items() if count > first}
    beyond = {key: seconds if math.isfinite(seconds) else None for key, seconds in allotment.beyond.items()}
    trials = further(plan, campaign.seed, campaign.planned, blocks)
    stage = Stage(now(), len(campaign.planned), len(trials), blocks, beyond, limit)
    return stage, trials
