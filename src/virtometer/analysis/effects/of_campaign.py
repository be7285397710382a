"""The experiment of a campaign whose plan has factors: each workload, its slow operations and its cost are metrics."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from virtometer.analysis.compare.blocks import Key, TreatmentData, usable
from virtometer.analysis.describe.measures import histograms_of, merged_times
from virtometer.analysis.effects.comparable import Blocks, Incomparable, comparable, sentences
from virtometer.analysis.effects.of_levels import ratios
from virtometer.analysis.effects.table import Experiment, Response, Variable
from virtometer.analysis.notes import busy
from virtometer.model import Better, Campaign, Factor, Plan, Run, TrialRecord

COST = "host CPU per work of"
"""How the metric of a workload's cost begins."""

PERCENTILE = 0.99


def experiment(campaign: Campaign, table: Mapping[Key, TreatmentData]) -> Experiment | None:
    """None where the plan has no factors. table: of the campaign, by workload and environment.

    The value of a treatment in a block is the one that findings compare, made `comparable`. Its place in the order is
    that of its first trial. Of a sequential design: the first stage.
    """
    plan = campaign.plan
    if not plan.factors:
        return None
    promised = plan.design.terms if plan.design is not None else []
    if campaign.follow_up_stage is None:
        return _experiment(campaign, table, tuple(map(_variable, plan.factors)), promised)
    first, _ = stages(campaign, table)
    ran = {name: {one.levels[name] for one in plan.cells} for name in (factor.name for factor in plan.factors)}
    return _experiment(campaign, first, _with_levels(map(_variable, plan.factors), ran), promised)


def second_experiment(campaign: Campaign, table: Mapping[Key, TreatmentData]) -> Experiment | None:
    """The second stage of a sequential design, with the factors that it varies. None where there is none."""
    stage = campaign.follow_up_stage
    if stage is None or stage.follow_up is None or not stage.follow_up.cells:
        return None
    levels = {name: set(some) for name, some in stage.follow_up.levels.items()}
    varied = (_variable(one) for one in campaign.plan.factors if one.name in levels)
    _, second = stages(campaign, table)
    return _experiment(campaign, second, _with_levels(varied, levels), stage.follow_up.terms)


def stages(
    campaign: Campaign, table: Mapping[Key, TreatmentData]
) -> tuple[dict[Key, TreatmentData], dict[Key, TreatmentData]]:
    """The treatments with the blocks of the first stage of a sequential design alone, and with those that follow.

    All blocks belong to the first where no second one is fixed.
    """
    stage = campaign.follow_up_stage
    begin = math.inf if stage is None else _first_block(campaign, stage.first_trial)
    return _within(table, lambda block: block < begin), _within(table, lambda block: block >= begin)


def _first_block(campaign: Campaign, first_trial: int) -> float:
    return min((trial.block for trial in campaign.planned if trial.index >= first_trial), default=math.inf)


def _within(table: Mapping[Key, TreatmentData], holds: Callable[[int], bool]) -> dict[Key, TreatmentData]:
    return {key: _part(data, holds) for key, data in table.items()}


def _part(data: TreatmentData, holds: Callable[[int], bool]) -> TreatmentData:
    """What the effects of a part of the blocks are made from."""
    return replace(
        data,
        results=[one for one in data.results if holds(one[0].trial.block)],
        failed=[one for one in data.failed if holds(one.trial.block)],
        values={block: value for block, value in data.values.items() if holds(block)},
        costs={block: cost for block, cost in data.costs.items() if holds(block)},
    )


def _with_levels(variables: Iterable[Variable], levels: Mapping[str, Collection[str]]) -> tuple[Variable, ...]:
    """The variables with these of their levels, in their order."""
    found = []
    for one in variables:
        kept = [at for at, level in enumerate(one.levels) if level in levels[one.name]]
        ranks = None if one.ordered is None else sorted(one.ordered[at] for at in kept)
        found.append(
            Variable(
                one.name,
                tuple(one.levels[at] for at in kept),
                None if ranks is None or one.ordered is None else tuple(ranks.index(one.ordered[at]) for at in kept),
            )
        )
    return tuple(found)


def _experiment(
    campaign: Campaign, table: Mapping[Key, TreatmentData], variables: tuple[Variable, ...], promised: Sequence[str]
) -> Experiment:
    """table: those whose values count."""
    plan = campaign.plan
    levels = {one.name: one.levels for one in plan.cells}
    place = {one.name: number for number, one in enumerate(plan.factors)}
    responses: list[Response] = []
    values: dict[str, Response] = {}
    for workload in plan.workloads:
        of = {name: data for name in levels if (data := table.get((workload.name, name))) is not None}
        shape = next((data.shape for data in of.values() if data.shape is not None), None)
        if shape is None:
            continue
        refused = _busy_host(workload.name, of, levels, plan)
        made = _Workload(of, table.get((workload.name, plan.baseline)), levels, refused)
        values[workload.name] = made.response(
            (workload.name, shape[1], shape[2]), attrgetter("values"), attrgetter("long_values")
        )
        responses.append(values[workload.name])
        slow = {name: _slowest(data) for name, data in of.items()}
        for histogram in dict.fromkeys(one for found in slow.values() for one in found):
            metric = f"{100 * PERCENTILE:g} % {histogram} of {workload.name}"
            responses.append(made.response((metric, "s", "lower"), _slow(histogram), beside=True))
        if any(data.costs for data in of.values()):
            responses.append(made.response((f"{COST} {workload.name}", "s", "lower"), attrgetter("costs"), beside=True))
    return Experiment(
        variables,
        (*responses, *ratios(plan.workloads, values)),
        frozenset(":".join(sorted(term.split(":"), key=lambda name: place.get(name, 0))) for term in promised),
    )


def _busy_host(
    workload: str, of: Mapping[str, TreatmentData], levels: Mapping[str, Mapping[str, str]], plan: Plan
) -> str:
    """Why no effect on a workload gets a verdict on a busy host; empty where they do.

    The sides of an effect are the trials at each level of a factor. of: of combinations, by name.
    """
    limit = plan.rules.max_disturbed_share
    at: defaultdict[str, list[tuple[TrialRecord, Run]]] = defaultdict(list)
    for name, data in of.items():
        for factor, level in levels[name].items():
            at[f"{factor} {level}"] += data.results
    whole = busy.Side(workload, [one for data in of.values() for one in data.results], limit)
    sides = (whole, *(busy.Side(name, results, limit) for name, results in at.items()))
    why = next((note for side in sides if (note := busy.reason([side])) is not None), None)
    return "" if why is None else why.text


def _variable(of: Factor) -> Variable:
    """The levels with the reference first; where they are numbers, with the rank of each."""
    names = sorted(of.level_names, key=lambda name: name != of.reference)
    if of.numbers is None:
        return Variable(of.name, tuple(names))
    by_name = dict(zip(of.level_names, of.numbers, strict=True))
    rank = {number: at for at, number in enumerate(sorted(set(of.numbers)))}
    return Variable(of.name, tuple(names), tuple(rank[by_name[name]] for name in names))


@dataclass(frozen=True, slots=True)
class _Workload:
    """One workload. treatments: of combinations, by name. baseline: if there is one. levels: of combinations.

    refused: why no effect on it gets a verdict, in a sentence.
    """

    treatments: Mapping[str, TreatmentData]
    baseline: TreatmentData | None
    levels: Mapping[str, Mapping[str, str]]
    refused: str = ""

    def response(
        self,
        about: tuple[str, str, Better],
        of: Callable[[TreatmentData], Blocks],
        long_of: Callable[[TreatmentData], Blocks] | None = None,
        *,
        beside: bool = False,
    ) -> Response:
        """about: name, unit and direction of the metric. of, long_of: its numbers, as for `comparable`."""
        rows = []
        left_out: list[Incomparable] = []
        for name, data in self.treatments.items():
            first: dict[int, int] = {}
            for record, _ in data.results:
                at = first.setdefault(record.trial.block, record.trial.index)
                first[record.trial.block] = min(at, record.trial.index)
            numbers, without = comparable(data, self.baseline, of, long_of)
            left_out += without
            rows += [(first[block], block, self.levels[name], value) for block, value in numbers.items() if value > 0]
        rows.sort(key=lambda row: row[0])
        return Response(
            *about,
            levels=[row[2] for row in rows],
            blocks=[row[1] for row in rows],
            logs=[math.log(row[3]) for row in rows],
            missing=sum(len(data.failed) for data in self.treatments.values()),
            beside=beside,
            notes=tuple(sentences(left_out)),
            refused=self.refused,
        )


def _slow(histogram: str) -> Callable[[TreatmentData], Blocks]:
    return lambda data: _slowest(data).get(histogram, {})


def _slowest(data: TreatmentData) -> dict[str, dict[int, float]]:
    """The percentile of each histogram over all trials of a block, by its name and block."""
    found: dict[str, dict[int, float]] = {}
    runs: defaultdict[int, list[Run]] = defaultdict(list)
    for record, run in data.results:
        if usable(run):
            runs[record.trial.block].append(run)
    for block, jointly in runs.items():
        for histogram in dict.fromkeys(one for run in jointly for one in histograms_of(run)):
            times = merged_times(jointly, histogram)
            if times is not None and times.quantile(PERCENTILE) > 0:
                found.setdefault(histogram, {})[block] = times.quantile(PERCENTILE)
    return found
