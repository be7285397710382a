"""What `virtometer plan show` says of the second stage of a sequential design, which the first one will fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from virtometer.design.factorial.follow_up import FollowUpCells
    from virtometer.design.plan.resolved import ResolvedPlan
    from virtometer.design.schedule.trials import Groups
    from virtometer.model import Plan, Trial

Seconds = Callable[["ResolvedPlan", Sequence["Trial"]], float]

_BOTH_KEPT = 0.95
"""Probability with which the second stage finds what is promised with 90 %: either of two factors may be dropped."""


def second_stage_lines(
    resolved: ResolvedPlan,
    first: Sequence[Trial],
    groups: Callable[[ResolvedPlan, Sequence[str]], Groups],
    seconds: Seconds,
    noise: Mapping[str, float],
) -> list[str]:
    """Its combinations, time and power by the number of factors that are kept: of those with the most levels.

    first: the trials of the first stage. groups: of guests that fit on this host. seconds: of some trials. noise: of
    single trials, by workload; the empty name is all of them.
    """
    from virtometer.cli.parts.times import time_words
    from virtometer.counted import counted
    from virtometer.design.factorial.follow_up import follow_up, follow_up_blocks, most_cells, with_follow_up
    from virtometer.design.plan.resolved import resolve
    from virtometer.design.schedule.trials import following
    from virtometer.report.parts.words import percent

    plan = resolved.plan
    lines = [
        f"second stage: the factors whose 95 % interval reaches {percent(plan.margin)} in any workload, with all "
        "interactions and levels, in fresh blocks"
    ]
    ranked = sorted(plan.factors, key=lambda factor: -len(factor.level_names))
    power: list[str] = []
    for count in range(1, len(ranked) + 1):
        found = follow_up(plan, [factor.name for factor in ranked[:count]], resolved.kinds)
        if found is None:
            most = counted(most_cells(plan), "combination")
            lines.append(f"  more factors take more than {most}: those with the least evidence are dropped")
            break
        larger = resolve(with_follow_up(plan, found.environments), resolved.kinds)
        names = list(dict.fromkeys([plan.baseline, *found.cells]))
        blocks = follow_up_blocks(plan, len(found.cells))
        trials = following(larger.plan, 0, first, names, blocks, groups(larger, names))
        size = f"{counted(len(found.cells), 'combination')} in {counted(blocks, 'block')}"
        kept = f"{counted(count, 'factor')} kept"
        lines.append(f"  {kept}: at most {size}, about {time_words(seconds(larger, trials))} more")
        power += _power(plan, found, blocks, noise, kept)
    if not noise:
        power = ["power: --noise 3% or --pilot DIR, an earlier campaign, says how small an effect will be found"]
    return [*lines, *power]


def _power(plan: Plan, found: FollowUpCells, blocks: int, noise: Mapping[str, float], kept: str) -> list[str]:
    """The smallest effects that both stages jointly find with a probability of 90 %."""
    from virtometer.analysis.effects.screening import SHARE
    from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL
    from virtometer.design.factorial.choice import term_of
    from virtometer.design.factorial.follow_up import space_of_second_stage
    from virtometer.design.factorial.power import PROBABILITY, power
    from virtometer.report.parts.words import percent

    space, cells = space_of_second_stage(plan, found)
    terms = [term_of(space, term) for term in found.terms]
    said = []
    for workload, sd in noise.items():
        of = power(
            space, cells, terms, blocks, sd, len(plan.workloads),
            level=SHARE * CLAIM_LEVEL, probability=_BOTH_KEPT,
        )  # fmt: skip
        pairs = "" if of.interaction is None else f", interactions of {percent(of.interaction)}"
        name = f"{workload}, " if workload else ""
        said.append(
            f"power: {name}{kept}: effects of {percent(max(of.main, plan.margin))}{pairs} or more are found with a "
            f"probability of {percent(PROBABILITY)}"
        )
    return said
