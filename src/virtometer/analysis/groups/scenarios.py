"""All that is concluded from a campaign about groups of guests: groups, matrices, scaling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from virtometer.analysis.groups import conservation, interference, network, saturation, scaling
from virtometer.analysis.groups.estimates import Group, groups
from virtometer.analysis.groups.gather import failed, gather, types_of
from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.members import GroupTrial
from virtometer.analysis.groups.reference import References
from virtometer.analysis.groups.saturation import Saturation
from virtometer.analysis.groups.scaling import Law
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Campaign, Estimate, Plan

_SUMMED = ("together", "instances", "mixed")
"""Types of scenarios whose sums grow with the number of guests."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """How the sum grows with the number of guests of one scenario, environment and workload.

    groups: one for each number, the smallest first. law, saturation: None where there is too little to say.
    """

    scenario: str
    type: str
    environment: str
    workload: str
    groups: tuple[Group, ...]
    law: Law | None
    saturation: Saturation | None

    @property
    def notes(self) -> tuple[str, ...]:
        """What both say, a sentence each."""
        return tuple(said for said in (saturation.sentence(self.saturation), scaling.sentence(self.law)) if said)


@dataclass(frozen=True, slots=True)
class GroupResults:
    """Everything about groups of guests, in the order of the plan. `trials`: those that it was made from."""

    groups: tuple[Group, ...]
    matrices: tuple[Matrix, ...]
    scalings: tuple[Scaling, ...]
    trials: tuple[GroupTrial, ...]


def group_results(campaign: Campaign) -> GroupResults:
    """From the records. Empty where the plan has no scenario of groups."""
    if all(kind == "alone" for kind in types_of(campaign.plan).values()):
        return GroupResults((), (), (), ())
    trials = gather(campaign)
    names = [scenario.name for scenario in campaign.plan.scenarios]
    trials = tuple(sorted(trials, key=lambda one: names.index(one.scenario) if one.scenario in names else -1))
    references = References(trials)
    plan = campaign.plan
    found = groups(trials, references, failed(campaign), plan.baseline)
    ceilings = _ceilings(found, trials, plan.baseline)
    largest = {(one.scenario, one.environment, one.workload): one for one in found}  # in the order of their numbers
    unchecked = {id(one) for one in largest.values() if one.environment != plan.baseline and one.type in _SUMMED}
    found = tuple(_checked(group, ceilings.get(group.workload), plan, told=id(group) in unchecked) for group in found)
    scalings = _scalings(found, references, plan.margin)
    found = tuple(_with_scaling(group, scalings) for group in found)
    return GroupResults(found, _matrices(trials, references), scalings, trials)


def _matrices(trials: Sequence[GroupTrial], references: References) -> tuple[Matrix, ...]:
    """One matrix of all loaded scenarios, then one for each scenario of pairs."""
    loaded = [trial for trial in trials if trial.type == "loaded"]
    scenarios = list(dict.fromkeys(trial.scenario for trial in loaded))
    made = list(interference.interference(loaded, references.speed, ", ".join(scenarios)))
    for scenario in dict.fromkeys(trial.scenario for trial in trials if trial.type in ("pair", "matrix")):
        of = [trial for trial in trials if trial.scenario == scenario]
        for one in network.network(of, scenario, of[0].type):
            # The trials of a pair are groups as well, and these have the note.
            mine = [trial for trial in of if trial.type == "matrix" and trial.of(one.workload)]
            made.append(replace(one, notes=(*one.notes, *conservation.broken_in(mine))))
    return tuple(made)


def _ceilings(found: Sequence[Group], trials: Sequence[GroupTrial], baseline: str) -> dict[str, Estimate]:
    """What the baseline reaches on all processors of the host, by workload, where its guests could use them all."""
    cpus = max((trial.cpus for trial in trials), default=0)
    wide = {
        (trial.scenario, member.workload, trial.guests)
        for trial in trials
        for member in trial.measured
        if member.environment == baseline and cpus and min(trial.demanded, trial.offered) >= cpus
    }
    ceilings: dict[str, Estimate] = {}
    for group in found:
        key, total = (group.scenario, group.workload, group.guests), group.sum.estimate
        if group.environment == baseline and group.type in ("together", "instances") and key in wide and total:
            before = ceilings.get(group.workload)
            if before is None or total.value > before.value:
                ceilings[group.workload] = total
    alone = [trial for trial in trials if trial.single and cpus and min(trial.demanded, trial.offered) >= cpus]
    by_workload: dict[str, list[float]] = {}
    for trial in alone:
        (member,) = trial.members
        if member.environment == baseline and member.rate:
            by_workload.setdefault(member.workload, []).append(math.log(member.rate))
    for workload, logs in by_workload.items():
        of = interval(logs)
        if of is not None and (workload not in ceilings or of.value > ceilings[workload].value):
            ceilings[workload] = of
    return ceilings


def _checked(group: Group, ceiling: Estimate | None, plan: Plan, *, told: bool) -> Group:
    """With a note where the sum is above the ceiling, and where `told` also one where no ceiling is known."""
    said = conservation.above_ceiling(group.sum.estimate, ceiling, plan.margin)
    if ceiling is None and told:
        said = f"the ceiling of this host is unknown: {plan.baseline} was not measured on all processors"
    return replace(group, notes=(*group.notes, said)) if said else group


def _scalings(found: Sequence[Group], references: References, margin: float) -> tuple[Scaling, ...]:
    growing: dict[tuple[str, str, str], list[Group]] = {}
    for group in found:
        if group.type in _SUMMED:
            growing.setdefault((group.scenario, group.environment, group.workload), []).append(group)
    made = []
    for (scenario, environment, workload), some in growing.items():
        of = sorted(some, key=lambda group: group.guests)
        sums = _by_block(of)
        if of[0].guests > 1:
            for block, counts in sums.items():
                if (single := references.of(scenario, (environment, workload, block))) is not None:
                    counts[1] = single.rate
        blocks = [sums[block] for block in sorted(sums)]
        if len({count for block in blocks for count in block}) > 1:
            law, stop = scaling.law(blocks), saturation.saturation(blocks, margin)
            made.append(Scaling(scenario, of[0].type, environment, workload, tuple(of), law, stop))
    return tuple(made)


def _by_block(of: Sequence[Group]) -> dict[int, dict[int, float]]:
    sums: dict[int, dict[int, float]] = {}
    for group in of:
        for block, total in group.sums.items():
            sums.setdefault(block, {})[group.guests] = total
    return sums


def _with_scaling(group: Group, scalings: Sequence[Scaling]) -> Group:
    """The largest group of a scenario says where the sum stops rising."""
    for one in scalings:
        if group is one.groups[-1]:
            return replace(group, notes=(*group.notes, *one.notes))
    return group
