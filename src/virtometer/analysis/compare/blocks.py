"""What is compared: one value per block, environment and workload, from the measured placements of finished trials.

A block's value is the geometric mean of its usable trials: one, and of the baseline two, with its control. Where a
block has groups of guests, the baseline is in each, and `beside` has its values in the groups of a treatment. A result
is usable when its value is a positive number and not all of its samples are excluded. Marked trials are kept: see
docs/methods/comparisons.md.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from virtometer.analysis.score import typical
from virtometer.analysis.score.alone import alone_in, compared_in
from virtometer.analysis.score.judged import judged
from virtometer.analysis.score.slices import long_value
from virtometer.model import Better, Campaign, Excluded, MarkKind, Run, Treatment, TrialRecord, columns_of

Key = tuple[str, str]
"""Workload and environment."""

_ENOUGH = 0.25  # of a window, for its CPU time to show the cost of the work


@dataclass(slots=True)
class TreatmentData:
    """All that happened to one treatment. `values` and `costs` are by block.

    values: as `judged`. rounds: what each guest reached in each slice, by block and number. long_values: of the long
    windows beside slices; long_blocks: where these are the values. starts: the values of each guest, by its number;
    start_rounds: their rounds. costs: host CPU seconds of the guest per unit of work; `cost_gaps` counts usable results
    without. `untimed`: there are none, because most of the window lies between the samples. groups: by block, the
    starts of guests of which it is a part.
    """

    treatment: Treatment
    results: list[tuple[TrialRecord, Run]] = field(default_factory=list)
    failed: list[TrialRecord] = field(default_factory=list)
    planned: int = 0
    groups: dict[int, set[int]] = field(default_factory=dict)
    values: dict[int, float] = field(default_factory=dict)
    rounds: dict[int, list[typical.Rounds]] = field(default_factory=dict)
    long_values: dict[int, float] = field(default_factory=dict)
    long_blocks: set[int] = field(default_factory=set)
    starts: dict[int, dict[int, float]] = field(default_factory=dict)
    start_rounds: dict[int, dict[int, typical.Rounds]] = field(default_factory=dict)
    costs: dict[int, float] = field(default_factory=dict)
    cost_gaps: int = 0
    untimed: bool = False

    @property
    def environment(self) -> str:
        """Name of the environment."""
        return self.treatment.environment

    @property
    def workload(self) -> str:
        """Name of the workload."""
        return self.treatment.workload

    @property
    def key(self) -> Key:
        """Workload and environment."""
        return self.workload, self.environment

    @property
    def done(self) -> list[TrialRecord]:
        """The trials with results, each once, however many placements of this treatment they have."""
        return list({record.trial.index: record for record, _ in self.results}.values())

    @property
    def tried(self) -> int:
        """Trials that ran, done or failed."""
        return len(self.done) + len(self.failed)

    @property
    def shape(self) -> tuple[str, str, Better] | None:
        """Operation, unit and direction as compared, or None when nothing was."""
        if not self.results:
            return None
        first = self.results[0][1]
        of = judged(first)
        return first.op, of.unit, of.better


def usable(run: Run) -> bool:
    """Whether a run's value may be compared."""
    value = judged(run).value
    return math.isfinite(value) and value > 0 and (not run.samples or bool(columns_of(run.samples).used.any()))


def _work(run: Run) -> int:
    """The work that a guest's CPU time was spent on: in slices that of the warm-up too."""
    of = columns_of(run.samples)
    return run.scored.work + of.work_of(of.excluded_by(Excluded.WARM_UP))


def _timed_share(run: Run) -> float:
    """Share of the window that the used samples cover, 0 to 1. Both lengths are by the clock that is used."""
    score = run.scored
    window_ns = score.window_end_host_ns - score.window_start_host_ns
    if not run.samples or run.in_slices or window_ns <= 0:  # what lies between slices is counted nowhere
        return 1.0
    of = columns_of(run.samples)
    timed_s: float = sum(of.lasted_s(score.clock.rate)[of.used].tolist())
    return timed_s * 1e9 / window_ns


def by_treatment(campaign: Campaign) -> dict[Key, TreatmentData]:
    """What the plan measures alone, by (workload, environment), in the plan's order.

    Trials of groups of guests are in none: see `groups`.
    """
    plan = campaign.plan
    alone, compared = alone_in(plan), compared_in(plan)
    table = {
        (workload.name, environment.name): TreatmentData(Treatment(environment.name, workload.name, workload.levels))
        for workload in plan.workloads
        for environment in plan.environments
        if compared(workload.name, environment.name)
    }
    for trial in filter(alone, campaign.planned):
        for placement in trial.placements:
            data = table.get((placement.workload, placement.environment))
            if data is not None and placement.role == "measured":
                data.planned += 1
                data.groups.setdefault(trial.block, set()).add(trial.start_group)
    for record in campaign.trials:
        if not alone(record.trial):
            continue
        if record.failure is None:
            for run in record.scored:
                data = table.get((run.placement.workload, run.placement.environment))
                if data is not None and run.placement.role == "measured":
                    data.results.append((record, run))
        else:
            measured = [one for one in record.trial.placements if one.role == "measured"]
            for key in dict.fromkeys((one.workload, one.environment) for one in measured):
                if key in table:
                    table[key].failed.append(record)
    for data in table.values():
        _fill(data)
    return table


_Where = TypeVar("_Where", int, tuple[int, int])


def _fill(data: TreatmentData) -> None:
    results = [(record, run) for record, run in data.results if usable(run)]
    sliced = [(record, run) for record, run in results if run.in_slices]
    data.values = _means((record.trial.block, judged(run).value) for record, run in results)
    data.long_values = _means((record.trial.block, long_value(run)) for record, run in sliced)
    data.long_blocks = {record.trial.block for record, run in sliced if run.in_long_windows}
    values = (((run.placement.guest, record.trial.block), judged(run).value) for record, run in results)
    for (guest, block), value in _means(values).items():
        data.starts.setdefault(guest, {})[block] = value
    rounds: defaultdict[tuple[int, int], list[typical.Rounds]] = defaultdict(list)
    for record, run in sliced:
        if not any(mark.kind is MarkKind.AGAIN for mark in record.marks):  # its rounds were no one else's
            rounds[run.placement.guest, record.trial.block].append(typical.rounds(run))
            data.rounds.setdefault(record.trial.block, []).append(rounds[run.placement.guest, record.trial.block][-1])
    for (guest, block), of in rounds.items():
        data.start_rounds.setdefault(guest, {})[block] = _mean_rounds(of)
    costs = [(record.trial.block, _cost(run)) for record, run in results]
    data.cost_gaps = sum(cost is None for _, cost in costs)
    data.untimed = bool(results) and statistics.median(_timed_share(run) for _, run in results) < _ENOUGH
    data.costs = {} if data.untimed else _means(costs)


def _cost(run: Run) -> float | None:
    """Host CPU seconds of the guest per unit of work; None where they are not known."""
    score = run.scored
    return score.guest_cpu_s / _work(run) if score.guest_cpu_s and score.guest_cpu_s > 0 and score.work > 0 else None


def _means(values: Iterable[tuple[_Where, float | None]]) -> dict[_Where, float]:
    """The geometric mean of those that are known in each place, in the order of the places."""
    found: defaultdict[_Where, list[float]] = defaultdict(list)
    for where, value in values:
        if value is not None:
            found[where].append(value)
    return {where: statistics.geometric_mean(of) for where, of in sorted(found.items())}


def _mean_rounds(of: Sequence[typical.Rounds]) -> typical.Rounds:
    """The geometric mean of what several trials reached in each round; one has none of the work of a mean."""
    if len(of) == 1:
        return of[0]
    numbers = sorted(set().union(*of))
    return {number: statistics.geometric_mean([one[number] for one in of if number in one]) for number in numbers}


def counterpart(data: TreatmentData, against: TreatmentData) -> dict[int, float]:
    """What a treatment's values are compared with, by block: long windows with long windows, slices with slices."""
    apart = {block: value for block, value in against.long_values.items() if block in data.long_blocks}
    in_windows = data.long_blocks | against.long_blocks
    return {block: value for block, value in against.values.items() if block not in in_windows} | apart


def beside(data: TreatmentData, against: TreatmentData) -> TreatmentData:
    """What a treatment is compared with: of each block in which both share groups, only what was reached in those.

    `against` itself where there is nothing to leave out: the guests of a block are one group, or were started alone.
    """
    shared = {block: of & data.groups.get(block, set()) or of for block, of in against.groups.items()}
    if shared == against.groups:
        return against
    made = TreatmentData(against.treatment, planned=against.planned, groups=shared)
    made.results = [(record, run) for record, run in against.results if _within(record, shared)]
    made.failed = [record for record in against.failed if _within(record, shared)]
    _fill(made)
    return made


def _within(record: TrialRecord, groups: Mapping[int, Collection[int]]) -> bool:
    return record.trial.start_group in groups.get(record.trial.block, (record.trial.start_group,))


def apart(data: TreatmentData, other: TreatmentData, baseline: TreatmentData) -> set[int]:
    """The blocks in which two treatments were in other groups, so that the baseline alone was beside both."""
    return {
        block
        for block in data.groups.keys() & other.groups.keys() & baseline.groups.keys()
        if data.groups[block].isdisjoint(other.groups[block])
        and not data.groups[block].isdisjoint(baseline.groups[block])
        and not other.groups[block].isdisjoint(baseline.groups[block])
    }


def logs_by_block(subject: Mapping[int, float], against: Mapping[int, float], better: Better) -> dict[int, float]:
    """Logs of within-block ratios, over the blocks that both have, turned so that above 0 the subject is better."""
    sign = 1.0 if better == "higher" else -1.0
    return {
        block: sign * (math.log(value) - math.log(against[block]))
        for block, value in subject.items()
        if block in against
    }
