"""Campaigns of plans with factors, with known effects: built from plain simulated campaigns, without a design."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from tests.analysis.simulated_campaigns import Noise, Place, Work, gaussian, simulate
from virtometer.model import Campaign, Design, Factor, Failure, Plan

Levels = Mapping[str, str]
READ = Work("random read", "disk", "random-read", "IO/s", 10_000)
SEQUENTIAL = Work("sequential read", "disk", "sequential-read", "B/s", 2e9)
DISK = {"aio": ("threads", "io_uring"), "cache": ("writeback", "none"), "dummy": ("a", "b")}


def cell_name(levels: Levels) -> str:
    return "qemu " + " ".join(f"{factor}={level}" for factor, level in levels.items())


def factor_campaign(
    factors: Mapping[str, Sequence[str]],
    logs: Callable[[Levels, str], float],
    works: Sequence[Work] = (READ, SEQUENTIAL),
    *,
    costs: Callable[[Levels], float] = lambda _: 1.0,
    skip: Callable[[Levels], bool] = lambda _: False,
    failing: Mapping[str, Failure] | None = None,
    blocks: int = 8,
    seed: int = 1,
    noise: Noise | None = None,
) -> Campaign:
    """Every combination of levels that is not skipped, the first level of each factor being the reference.

    logs: the logarithm of a cell's efficiency in a workload. failing: why a cell never works, by its name.
    """
    combinations = itertools.product(*factors.values())
    cells = [dict(zip(factors, levels, strict=True)) for levels in combinations]
    cells = [one for one in cells if not skip(one)]
    places = [
        Place(
            cell_name(levels),
            "qemu",
            {work.name: math.exp(logs(levels, work.name)) for work in works},
            costs(levels),
            fails={work.name: reason for work in works if (reason := (failing or {}).get(cell_name(levels)))},
        )
        for levels in cells
    ]
    made = simulate(places, works, blocks=blocks, seed=seed, noise=noise or gaussian(0.01), samples=1)
    return Campaign(
        **{name: getattr(made, name) for name in made.__slots__} | {"plan": _plan(made.plan, factors, cells)}
    )


def _plan(plan: Plan, factors: Mapping[str, Sequence[str]], cells: Sequence[Levels]) -> Plan:
    environments = [
        one.model_copy(update={"levels": dict(levels), "of": "qemu"})
        for one, levels in zip(plan.environments, cells, strict=True)
    ]
    named = [
        Factor(name=name, environment="qemu", setting=name, levels=list(levels), reference=levels[0])
        for name, levels in factors.items()
    ]
    terms = [*factors, *(":".join(pair) for pair in itertools.combinations(factors, 2))]
    update = {"environments": environments, "factors": named, "design": Design(terms=terms), "margin": 0.03}
    return plan.model_copy(update=update)


def disk_logs(levels: Levels, workload: str) -> float:
    """io_uring brings 17 % to random reads, with cache=none alone; cache=none brings 5 %; sequential reads nothing."""
    if workload != READ.name or levels["cache"] != "none":
        return 0.0
    return math.log(1.05) + (math.log(1.17) if levels["aio"] == "io_uring" else 0.0)


def disk_campaign(*, blocks: int = 8, seed: int = 1, noise: Noise | None = None) -> Campaign:
    """The factors of DISK with `disk_logs`; io_uring costs the host 30 % more CPU time per unit of work."""
    return factor_campaign(
        DISK, disk_logs, costs=lambda levels: 1.3 if levels["aio"] == "io_uring" else 1.0, blocks=blocks, seed=seed,
        noise=noise,
    )  # fmt: skip
