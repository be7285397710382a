"""What is compared: one value per block, environment and workload, from the measured placements of finished trials.

A block's value is the geometric mean of its usable trials (one, unless a plan repeats a treatment inside a block). A
result is usable when its value is a positive number and not all of its samples were set aside. Marked trials are
kept: see METHODOLOGY.md.
"""

from __future__ import annotations

import datetime
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from virtometer.analysis import typical
from virtometer.analysis.judged import judged
from virtometer.analysis.slices import long_value
from virtometer.model import Better, Campaign, MarkKind, Run, SetAside, Treatment, TrialRecord

Key = tuple[str, str]
"""Workload and environment."""

_ENOUGH = 0.25  # of a window, for its CPU time to tell what the work costs


@dataclass(slots=True)
class Cell:
    """All that happened to one treatment. `values` and `costs` are by block.

    values: as `judged`. rounds: what was reached in each slice, by block and number. long_values: of the long windows
    beside slices; long_blocks: where these are the values. costs: host CPU seconds of the guest per unit of work;
    `cost_gaps` counts usable results without. `untimed`: there are none, because most of the window lies between the
    samples.
    """

    treatment: Treatment
    results: list[tuple[TrialRecord, Run]] = field(default_factory=list)
    failed: list[TrialRecord] = field(default_factory=list)
    planned: int = 0
    values: dict[int, float] = field(default_factory=dict)
    rounds: dict[int, Mapping[int, float]] = field(default_factory=dict)
    long_values: dict[int, float] = field(default_factory=dict)
    long_blocks: set[int] = field(default_factory=set)
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
    return math.isfinite(value) and value > 0 and (not run.samples or any(sample.used for sample in run.samples))


def _work(run: Run) -> int:
    """The work that a guest's CPU time was spent on: in slices that of the run-in too."""
    return run.scored.work + sum(one.work for one in run.samples if one.set_aside is SetAside.RUN_IN)


def _timed_share(run: Run) -> float:
    """How much of the window the samples cover that are used, 0 to 1: both by the clock that is believed."""
    score = run.scored
    window_ns = score.window_end_host_ns - score.window_start_host_ns
    if not run.samples or run.in_slices or window_ns <= 0:  # what lies between slices is counted nowhere
        return 1.0
    timed_s = sum(score.clock.duration_s(one.start_ns, one.end_ns) for one in run.samples if one.used)
    return timed_s * 1e9 / window_ns


def cells(campaign: Campaign) -> dict[Key, Cell]:
    """Every combination of the plan, by (workload, environment), in the plan's order."""
    plan = campaign.plan
    table = {
        (workload.name, environment.name): Cell(Treatment(environment.name, workload.name, workload.levels))
        for workload in plan.workloads
        for environment in plan.environments
    }
    for trial in campaign.planned:
        for placement in trial.placements:
            cell = table.get((placement.workload, placement.environment))
            if cell is not None and placement.role == "measured":
                cell.planned += 1
    for record in campaign.trials:
        if record.failure is None:
            for run in record.scored:
                cell = table.get((run.placement.workload, run.placement.environment))
                if cell is not None and run.placement.role == "measured":
                    cell.results.append((record, run))
        else:
            measured = [one for one in record.trial.placements if one.role == "measured"]
            for key in dict.fromkeys((one.workload, one.environment) for one in measured):
                if key in table:
                    table[key].failed.append(record)
    for cell in table.values():
        _fill(cell)
    return table


def _fill(cell: Cell) -> None:
    values: defaultdict[int, list[float]] = defaultdict(list)
    costs: defaultdict[int, list[float]] = defaultdict(list)
    for record, run in cell.results:
        if not usable(run):
            continue
        score = run.scored
        values[record.trial.block].append(judged(run).value)
        if run.in_slices:
            block = record.trial.block
            if not any(mark.kind is MarkKind.AGAIN for mark in record.marks):  # its rounds were no one else's
                cell.rounds[block] = typical.rounds(run)
            if (long := long_value(run)) is not None:
                cell.long_values[block] = long
            if run.in_long_windows:
                cell.long_blocks.add(block)
        if score.guest_cpu_s is not None and score.guest_cpu_s > 0 and score.work > 0:
            costs[record.trial.block].append(score.guest_cpu_s / _work(run))
        else:
            cell.cost_gaps += 1
    cell.values = {block: statistics.geometric_mean(found) for block, found in sorted(values.items())}
    shares = [_timed_share(run) for _, run in cell.results if usable(run)]
    cell.untimed = bool(shares) and statistics.median(shares) < _ENOUGH
    if cell.untimed:
        costs.clear()
    cell.costs = {block: statistics.geometric_mean(found) for block, found in sorted(costs.items())}


def counterpart(cell: Cell, against: Cell) -> dict[int, float]:
    """What a cell's values are compared with, by block: long windows with long windows, slices with slices."""
    apart = {block: value for block, value in against.long_values.items() if block in cell.long_blocks}
    in_windows = cell.long_blocks | against.long_blocks
    return {block: value for block, value in against.values.items() if block not in in_windows} | apart


def log_ratios(subject: Mapping[int, float], against: Mapping[int, float], better: Better) -> list[float]:
    """Logs of within-block ratios, over the blocks that both have, turned so that above 0 the subject is better."""
    sign = 1.0 if better == "higher" else -1.0
    return [sign * (math.log(value) - math.log(against[block])) for block, value in subject.items() if block in against]


def seconds_per_block(campaign: Campaign) -> float | None:
    """What one block takes, in seconds: median of the times from one block's first trial to the next one's.

    That includes the starts of guests; the median leaves out the pause before a campaign was resumed. With fewer than
    two blocks: what the trials and the starts of the guests took by themselves. None when no trial has run.
    """
    begun: dict[int, float] = {}
    walls: defaultdict[int, float] = defaultdict(float)
    for record in campaign.trials:
        block = record.trial.block
        moment = _moment(record.started_at)
        if moment is not None:
            begun[block] = min(moment, begun.get(block, moment))
        walls[block] += record.wall_s
    steps = [begun[block + 1] - begun[block] for block in begun if block + 1 in begun]
    if steps and statistics.median(steps) > 0:
        return statistics.median(steps)
    if not walls:
        return None
    return (math.fsum(walls.values()) + math.fsum(guest.provision_s for guest in campaign.guests)) / len(walls)


def _moment(text: str) -> float | None:
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
