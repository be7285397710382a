"""Groups of guests in two campaigns: the sum of each group of guests, and each cell of a network's matrix.

A sum is divided by what the baseline reached in the same block: by the sum of as many of its guests where both
campaigns have it, else by one of them alone, else by one guest of the group alone. Where both campaigns have none of
these, values are compared. Of an open loop the mean latency of the guests is compared in place of the sum.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.compare.ratios import Ratios
from virtometer.analysis.compare.values import METRICS
from virtometer.analysis.compared import rare_stalls
from virtometer.analysis.compared.comparison import Where
from virtometer.analysis.compared.marked import Marked, marked
from virtometer.analysis.compared.pair import Pair, Side
from virtometer.analysis.groups.estimates import Group, alone_rates, baseline_sums
from virtometer.analysis.groups.members import GroupTrial, Member
from virtometer.analysis.groups.network import LABORATORY
from virtometer.analysis.groups.reference import References
from virtometer.analysis.groups.scenarios import group_results
from virtometer.analysis.notes import busy, unlike
from virtometer.analysis.statistics.interval import interval
from virtometer.counted import counted
from virtometer.model import MIN_BLOCKS, Better, Campaign, Estimate, Quantity, Run, TrialRecord

_VALUES = ""  # divided by nothing
_NOTHING = "values are compared: nothing was measured in both campaigns to divide them by"
_BASES = ("as many guests of the baseline", "one guest of the baseline alone", "one of its guests alone")
_Logs = Mapping[int, float]
_Trial = tuple[GroupTrial, list[Member]]


@dataclass(frozen=True, slots=True)
class Reached:
    """What one group reached: logs by block of what it is compared by, above 0 where it is better.

    by: logs for each of _BASES that there is, and those of the values.
    """

    where: Where
    op: str
    by: Mapping[str, _Logs]
    value: Quantity[Estimate | None]
    marked: Marked
    worked_s: float
    results: tuple[tuple[TrialRecord, Run], ...]


def pairs(a: Campaign, b: Campaign, left_out: list[str], lost: list[str], *, absolute: bool) -> list[Pair]:
    """The comparisons of all groups and cells that both campaigns have. Adds to `left_out` and `lost`.

    absolute: values are compared, also where there are efficiencies.
    """
    in_a, in_b = reached(a), reached(b)
    left_out += [f"{words(where)} is only in B" for where in in_b if where not in in_a]
    for where in in_a:
        if where not in in_b:
            (lost if _planned(b, where) else left_out).append(
                f"{words(where)} {'has no value' if _planned(b, where) else 'is only in A, and not'} in B"
            )
    made = []
    for where, after in in_b.items():
        if (before := in_a.get(where)) is None or (not absolute and _is_baseline(b, where)):
            continue
        if (reason := unlike.workloads(*(unlike.workload_of(of, where.workload) for of in (a, b)))) is not None:
            left_out.append(f"{where.workload} is not compared: {reason}")
        else:
            made.append(_pair((a, b), before, after, absolute=absolute))
    return made


def reached(campaign: Campaign) -> dict[Where, Reached]:
    """Of every group of guests and every cell of a matrix, in the order of the plan."""
    found = group_results(campaign)
    references = References(found.trials)
    made: dict[Where, Reached] = {}
    for group in found.groups:
        if group.trials:
            plain = Where(group.workload, group.environment, group.scenario, group.guests)
            where = plain._replace(which=sum(one._replace(which=0) == plain for one in made))
            bases = _bases(group, found.groups, references, campaign.plan.baseline)
            made[where] = _group(campaign, where, [(trial, group.of(trial)) for trial in group.trials], bases)
    for where, of in _cells(found.trials).items():
        made[where] = _group(campaign, where, of, {})
    return made


def _group(campaign: Campaign, where: Where, trials: Sequence[_Trial], bases: Mapping[str, _Logs]) -> Reached:
    """From its trials, all of them with a value of each of its guests. bases: logs of what it is compared with."""
    first = trials[0][1]
    latency = first[0].latency
    of = _by_block(trials)
    by = {name: {block: of[block] - log for block, log in base.items() if block in of} for name, base in bases.items()}
    indices = {trial.index for trial, _ in trials}
    records = [record for record in campaign.trials if record.trial.index in indices]
    results = [(record, run) for record in records for run in _runs(record, where)]
    runs = [run for _, run in results]
    value = interval(-log if latency else log for log in of.values())
    better: Better = "lower" if latency else "higher"
    unit = "s" if latency else first[0].rate_unit
    return Reached(
        where=where, op=runs[0].op,
        by={name: logs for name, logs in by.items() if logs} | {_VALUES: of},
        value=Quantity(where.environment, METRICS.get(unit, unit), unit, better, "geometric mean", value),
        marked=marked(records), worked_s=rare_stalls.worked_s(runs) / len(first), results=tuple(results),
    )  # fmt: skip


def _by_block(trials: Sequence[_Trial]) -> dict[int, float]:
    """Logs: of the sum of the guests' rates, or the mean log of their speeds; of several trials of a block the mean."""
    found: dict[int, list[float]] = {}
    for trial, members in trials:
        latency = members[0].latency
        known = [known for one in members if (known := one.speed if latency else one.rate)]
        log = statistics.fmean(map(math.log, known)) if latency else math.log(math.fsum(known))
        found.setdefault(trial.block, []).append(log)
    return {block: statistics.fmean(logs) for block, logs in sorted(found.items())}


def _bases(group: Group, groups: Sequence[Group], references: References, baseline: str) -> dict[str, _Logs]:
    """Logs by block of each of _BASES that there is."""
    names = (baseline, group.environment)
    found: list[Mapping[int, float] | None]
    if group.of(group.trials[0])[0].latency:
        found = [None, *(_alone_speeds(group, references, name) for name in names)]
    else:
        same = None if group.environment == baseline else baseline_sums(group, groups, baseline)
        found = [same, *(alone_rates(group, references, name) for name in names)]
    return {
        name: {block: math.log(value) for block, value in of.items()}
        for name, of in zip(_BASES, found, strict=True)
        if of and not (name == _BASES[-1] and group.trials[0].single)  # a guest alone is no reference of its own
    }


def _alone_speeds(group: Group, references: References, environment: str) -> dict[int, float]:
    found = {block: references.speed(group.scenario, (environment, group.workload, block)) for block in group.sums}
    return {block: speed for block, speed in found.items() if speed}


def _cells(trials: Sequence[GroupTrial]) -> dict[Where, list[_Trial]]:
    """The trials of each source and target of the matrices whose trials are no groups."""
    found: dict[Where, list[_Trial]] = {}
    for trial in trials:
        for member in trial.measured if trial.type == "matrix" else ():
            if member.speed and member.rate:
                way = f"{member.guest} → {dict(trial.services).get(member.guest, LABORATORY)}"
                found.setdefault(Where(member.workload, way, trial.scenario), []).append((trial, [member]))
    return found


def _runs(record: TrialRecord, where: Where) -> list[Run]:
    measured = [run for run in record.scored if run.placement.role == "measured"]
    mine = [run for run in measured if run.placement.workload == where.workload]
    return [run for run in mine if not where.guests or run.placement.environment == where.environment]


def _is_baseline(campaign: Campaign, where: Where) -> bool:
    """Whether it is one guest of the baseline alone, which all efficiencies are of."""
    types = {one.name: one.type for one in campaign.plan.scenarios}
    growing = types.get(where.scenario) in ("together", "instances")
    return growing and where.guests == 1 and where.environment == campaign.plan.baseline


def _planned(campaign: Campaign, where: Where) -> bool:
    """Whether the plan has its scenario, environment and workload; what has no value there is lost."""
    plan = campaign.plan
    environments = {one.name for one in plan.environments}
    return (
        where.scenario in {one.name for one in plan.scenarios}
        and where.workload in {one.name for one in plan.workloads}
        and (where.environment in environments or not where.guests)
    )


def _pair(campaigns: tuple[Campaign, Campaign], before: Reached, after: Reached, *, absolute: bool) -> Pair:
    """One comparison, A first."""
    where = after.where
    enough = [name for name in _BASES if all(len(one.by.get(name, {})) >= MIN_BLOCKS for one in (before, after))]
    some = [name for name in _BASES if all(name in one.by for one in (before, after))]
    name = _VALUES if absolute else next(iter([*enough, *some]), _VALUES)
    said = [] if absolute else [f"divided by {name}" if name else _NOTHING]
    sides = [
        Side(
            Ratios(one.by[name]), one.value, None, one.marked, one.worked_s,
            (busy.Side(f"{where.environment} in {letter}", one.results, of.plan.rules.max_disturbed_share),),
        )
        for letter, of, one in zip("AB", campaigns, (before, after), strict=True)
    ]  # fmt: skip
    return Pair(
        where=where, before=sides[0], after=sides[1], by="total", op=after.op, against=where.environment,
        reference=name, levels=unlike.workload_of(campaigns[1], where.workload).levels, said=tuple(said),
    )  # fmt: skip


def words(where: Where) -> str:
    """`linpack in box, 3 guests of together`; of what is measured alone, `linpack in box`."""
    name = f"{where.workload} in {where.environment}"
    if not where.scenario:
        return name
    guests = f"{counted(where.guests, 'guest')} of " if where.guests else ""
    return f"{name}, {guests}{where.scenario}" + (f" ({where.which + 1})" if where.which else "")
