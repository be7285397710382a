"""A campaign of a sequential design with known effects: of four factors two matter, and their interaction."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

from tests.analysis.factor_campaigns import READ, Levels, cell_name, factor_campaign
from tests.analysis.simulated_campaigns import gaussian
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.effects.of_campaign import experiment
from virtometer.analysis.effects.screening import screened, seen
from virtometer.model import Campaign, Design, FollowUp, Screened, Stage

FACTORS = {
    "aio": ("threads", "io_uring"),
    "cache": ("writeback", "none"),
    "bus": ("virtio", "nvme"),
    "dummy": ("a", "b"),
}
FIRST_BLOCKS = 6
KEPT = ("aio", "cache")


def read_logs(levels: Levels, _workload: str) -> float:
    """io_uring brings 15 %, and 10 % more with cache=none, which costs 8 %."""
    uring, none = levels["aio"] == "io_uring", levels["cache"] == "none"
    return math.log(1.15) * uring - math.log(1.08) * none + math.log(1.1) * (uring and none)


def first_stage(*, noise: float = 0.01, seed: int = 1) -> Campaign:
    """Half of the sixteen combinations in six blocks: the second stage is not fixed."""
    whole = _whole(noise, seed, FIRST_BLOCKS)
    return _part(whole, lambda block, levels: _in_fraction(levels))


def campaign(*, noise: float = 0.01, seed: int = 1, blocks: int = 12, keeps: tuple[str, ...] = KEPT) -> Campaign:
    """Both stages. keeps: the factors of the second one; none: there is none."""
    whole = _whole(noise, seed, FIRST_BLOCKS + blocks)
    found = what_is_kept(first_stage(noise=noise, seed=seed))
    held = [dict(zip(FACTORS, some, strict=True)) for some in itertools.product(*FACTORS.values())]
    later = [one for one in held if all(one[name] == FACTORS[name][0] for name in FACTORS if name not in keeps)]
    names = [cell_name(one) for one in later] if keeps else []

    def holds(block: int, levels: Levels) -> bool:
        return _in_fraction(levels) if block < FIRST_BLOCKS else cell_name(levels) in names

    part = _part(whole, holds)
    first_trial = next(
        (trial.index for trial in part.planned if trial.block >= FIRST_BLOCKS), part.planned[-1].index + 1
    )
    environments = {one.name: one for one in whole.plan.environments}
    follow_up = FollowUp(
        found,
        tuple(names),
        tuple(environments[cell_name(one)] for one in later if names and not _in_fraction(one)),
        (*keeps, *(":".join(pair) for pair in itertools.combinations(keeps, 2))),
        levels={name: FACTORS[name] for name in keeps},
        blocks=blocks if keeps else 0,
    )
    count = sum(trial.index >= first_trial for trial in part.planned)
    stage = Stage("2026-01-02T04:00:00.000+00:00", first_trial, count, {}, {}, "", follow_up)
    return replace(part, stages=(stage,))


def what_is_kept(of: Campaign) -> tuple[Screened, ...]:
    made = experiment(of, by_treatment(of))
    assert made is not None
    return screened(list(FACTORS), seen(made), of.plan.margin, lambda _: True)


def _whole(noise: float, seed: int, blocks: int) -> Campaign:
    of = factor_campaign(FACTORS, read_logs, [READ], blocks=blocks, seed=seed, noise=gaussian(noise))
    design = Design(type="sequential", terms=list(FACTORS))
    return replace(of, plan=of.plan.model_copy(update={"design": design, "blocks": 6}))


def _in_fraction(levels: Levels) -> bool:
    """Of resolution IV: an even number of factors at their second level."""
    return sum(levels[name] != some[0] for name, some in FACTORS.items()) % 2 == 0


def _part(of: Campaign, holds: Callable[[int, Levels], bool]) -> Campaign:
    levels = {one.name: one.levels for one in of.plan.cells}
    planned = [trial for trial in of.planned if holds(trial.block, levels[trial.placements[0].environment])]
    kept = {trial.index for trial in planned}
    ran = {trial.placements[0].environment for trial in planned}
    plan = of.plan.model_copy(update={"environments": [one for one in of.plan.environments if one.name in ran]})
    return replace(
        of,
        plan=plan,
        planned=tuple(planned),
        trials=tuple(record for record in of.trials if record.trial.index in kept),
        environments=tuple(one for one in of.environments if one.name in ran),
    )
