"""Campaigns whose every value is set by hand, for the tables of studies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.analysis.simulated_campaigns import Place, Work, at, changed, plan_of, run_of
from virtometer.analysis import Analysis, analyse
from virtometer.design.schedule.scenarios import groups
from virtometer.model import Campaign, EnvironmentStatus, GuestStart, HostUse, Placement, Trial, TrialRecord

BLOCKS = 8
SWING = 0.1
"""The log of the factor that each second block has more, and each other one less."""

HALF = 2.364624 * SWING * math.sqrt(8 / 7) / math.sqrt(8)
"""Half of the 95 % interval of the log of such values: Student's t of 7 degrees by the standard error."""

Rate = Callable[[Placement, Trial], float]
"""The work per second of a guest in a trial, without the swing of the blocks."""

NATIVE = Place("native", "native")
ALONE: dict[str, Any] = {"name": "alone", "type": "alone"}


def linpack(array_size: int, rate: float) -> Work:
    """The published convention: the array size is twice the order."""
    parameters = {"size": array_size, "convention": "published"}
    return Work(f"linpack {array_size}", "linpack", "classic", "FLOP/s", rate, parameters=parameters)


def made(
    places: Sequence[Place],
    works: Sequence[Work],
    rate: Rate,
    scenarios: Sequence[Mapping[str, Any]] = (ALONE,),
    *,
    swing: float = SWING,
) -> Analysis:
    """Every scenario once a block. All guests of a block swing alike."""
    plan = plan_of(places, works, BLOCKS, scenarios=_in_parts(scenarios, works), fresh="block")
    by_place = {one.name: one for one in places}
    by_work = {one.name: one for one in works}
    records: list[TrialRecord] = []
    starts: list[GuestStart] = []
    for block in range(BLOCKS):
        factor = math.exp(swing if block % 2 else -swing)
        for scenario in plan.scenarios:
            some = [placements for group in groups(plan, scenario, list(by_place)) for placements in group]
            if scenario.type == "alone":
                some = [(Placement(place, work),) for place in by_place for work in by_work]
            for placements in some:
                trial = Trial(len(records), block, len(records), block, placements, scenario=scenario.name)
                runs = []
                for one in placements:
                    if one.role == "service":
                        continue
                    place, work = by_place[one.environment], by_work[one.workload]
                    reached = rate(one, trial) * factor
                    value = reached if work.better == "higher" else 1 / reached
                    guest_id = f"{trial.index}-{one.guest_key.name}-{one.instance}"
                    run = run_of(place, work, value, trial.index, guest_id, 4, np.random.default_rng(1))
                    runs.append(changed(run, placement=one, parameters=dict(work.parameters), guest_cpu_s=0.5))
                    starts.append(GuestStart(guest_id, place.name, place.kind, dict(place.settings), {}, 0.1, at(0)))
                use = HostUse(1.0, 0.9, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0)
                records.append(TrialRecord(trial, None, at(trial.index), 1.25, 0, use, (), tuple(runs)))
    return analyse(
        Campaign(
            plan=plan, plan_text="virtometer: 1\n", seed=1, created_at=at(0), host={"cpus": 2}, versions={},
            environments=tuple(EnvironmentStatus(one.name, one.kind, True, "", "", {}) for one in places),
            planned=tuple(record.trial for record in records), trials=tuple(records), guests=tuple(starts), commands=(),
        )
    )  # fmt: skip


def named(of: Analysis, name: str, shortened: Sequence[str] = ()) -> Analysis:
    """The campaign as that of a plan with this name, in the short form that replaced these."""
    plan = of.campaign.plan.model_copy(update={"name": name, "shortened": list(shortened)})
    return analyse(replace(of.campaign, plan=plan))


def first_blocks(of: Analysis, blocks: int) -> Analysis:
    """The campaign as it was after so many blocks."""
    trials = tuple(one for one in of.campaign.trials if one.trial.block < blocks)
    return analyse(replace(of.campaign, trials=trials))


def _in_parts(scenarios: Sequence[Mapping[str, Any]], works: Sequence[Work]) -> list[dict[str, Any]]:
    """A scenario without workloads has all of them, sixteen in each part."""
    names = [one.name for one in works]
    parts: list[dict[str, Any]] = []
    for one in scenarios:
        if one["type"] == "alone" or "workloads" in one:
            parts.append(dict(one))
        else:
            some = [names[at : at + 16] for at in range(0, len(names), 16)]
            parts += [{**one, "name": f"{one['name']} {at}", "workloads": of} for at, of in enumerate(some)]
    return parts


def levels(places: Sequence[Place], works: Sequence[Work]) -> Rate:
    """Each guest reaches the level of its work times the efficiency of its place, whoever is beside it."""
    by_place = {one.name: one for one in places}
    by_work = {one.name: one for one in works}

    def rate(placement: Placement, _trial: Trial) -> float:
        place, work = by_place[placement.environment], by_work[placement.workload]
        efficiency = place.efficiency.get(work.name, place.efficiency.get("", 1.0))
        return (work.level if work.better == "higher" else 1 / work.level) * efficiency

    return rate
