"""The second stage of a sequential design: fixed once from the first, with cells of its own and fresh blocks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.effects.of_campaign import experiment
from virtometer.analysis.effects.screening import screened, seen
from virtometer.design.factorial.follow_up import follow_up, follow_up_blocks, with_follow_up
from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.design.schedule.trials import following
from virtometer.environments.registry import KINDS
from virtometer.model import Campaign, FollowUp, Stage, Trial
from virtometer.programs import now
from virtometer.runner.campaign.here import residents_here

Prepare = Callable[[ResolvedPlan, Collection[str]], Mapping[str, tuple[str, str]]]
"""Makes ready what cells of a plan need, by name, and says of each that does not work here the reason and advice."""


def second_stage(campaign: Campaign, prepare: Prepare, results: Path) -> tuple[Stage, tuple[Trial, ...]]:
    """The second stage of a campaign of which the first was executed, with its trials; without any where none matters.

    results: where the campaign's results are.
    """
    plan = campaign.plan
    made = experiment(campaign, by_treatment(campaign))
    assert made is not None

    def has_room(kept: Collection[str]) -> bool:
        return follow_up(plan, kept, KINDS) is not None

    names = [factor.name for factor in plan.factors]
    found = screened(names, seen(made), plan.margin, has_room)
    kept = [one.factor for one in found if one.why.kept]
    chosen = follow_up(plan, kept, KINDS) if kept else None
    first_trial = len(campaign.planned)
    if chosen is None:
        return Stage(now(), first_trial, 0, {}, {}, "", FollowUp(found)), ()
    larger = resolve(with_follow_up(plan, chosen.environments), KINDS)
    missing = prepare(larger, [one.name for one in chosen.environments])
    works = {status.name for status in campaign.environments if status.works}
    works |= {one.name for one in chosen.environments if one.name not in missing}
    named = [name for name in chosen.cells if name in works]
    measured = list(dict.fromkeys([plan.baseline, *named]))
    blocks = follow_up_blocks(plan, len(chosen.cells))
    resident = residents_here(larger, measured, results)
    trials = following(larger.plan, campaign.seed, campaign.planned, measured, blocks, resident.of_blocks)
    stage = Stage(
        now(),
        first_trial,
        len(trials),
        {(workload.name, name): blocks for workload in plan.workloads for name in named if name != plan.baseline},
        {},
        "",
        FollowUp(
            found,
            chosen.cells,
            chosen.environments,
            chosen.terms,
            chosen.left_out,
            chosen.levels,
            dict(missing),
            blocks,
        ),
    )
    return stage, trials
