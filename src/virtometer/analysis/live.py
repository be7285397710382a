"""Live estimates for the display while a campaign runs: cheap, and without verdicts, which wait for the end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from virtometer.analysis.compare.blocks import Key, usable
from virtometer.analysis.score.alone import alone_in
from virtometer.analysis.score.judged import Judged, judged
from virtometer.analysis.statistics.interval import RunningSpread, estimate
from virtometer.model import Better, Estimate, Plan, TrialRecord

_Where: TypeAlias = tuple[int, int | None]
"""The block, and the group of guests in it where guests take turns."""


@dataclass(frozen=True, slots=True)
class LiveEstimate:
    """Where one cell stands: `value` is the geometric mean over the blocks so far, `ratio` the efficiency so far.

    `ratio` is None of the baseline, until one block holds both the environment and the baseline, and where long windows
    are compared. Nothing may be concluded from it.
    """

    value: float
    unit: str
    better: Better
    blocks: int
    ratio: Estimate | None
    baseline: bool = False


class LiveEstimates:
    """By (workload, environment): what the finished trials say so far. Cells without a value are absent.

    A trial costs as much after a thousand others as after one: it changes sums, and no earlier trial is read again.
    """

    def __init__(self, plan: Plan) -> None:
        """Nothing has been measured."""
        self._baseline = plan.baseline
        self._alone = alone_in(plan)
        self._in_groups = _in_groups(plan)
        self._sums: dict[str, dict[str, _Sums]] = {}  # by workload and environment
        self._cells: dict[Key, LiveEstimate] = {}
        self._apart: set[Key] = set()  # measured in long windows
        self._blocks: dict[Key, set[int]] = {}

    @property
    def cells(self) -> Mapping[Key, LiveEstimate]:
        """As they are now; what was read before stays as it was."""
        return dict(self._cells)

    def add(self, record: TrialRecord) -> None:
        """One more finished trial."""
        for run in record.scored if self._alone(record.trial) else ():
            if run.placement.role == "measured" and usable(run):
                if run.in_long_windows:
                    self._apart.add((run.placement.workload, run.placement.environment))
                key = run.placement.workload, run.placement.environment
                self._blocks.setdefault(key, set()).add(record.trial.block)
                group = record.trial.start_group if record.trial.scenario in self._in_groups else None
                self._add(*key, (record.trial.block, group), judged(run))

    def _add(self, workload: str, environment: str, where: _Where, of: Judged) -> None:
        """The value of a run changes its cell, and that of the baseline the ratios of all cells beside it."""
        beside = self._sums.setdefault(workload, {})
        cell = beside.setdefault(environment, _Sums(of.unit, of.better))
        against = beside[self._baseline].logs if self._baseline in beside else {}
        changed = {environment: cell}
        if environment == self._baseline:
            changed |= {name: other for name, other in beside.items() if where in other.logs}
        for one in changed.values():
            one.forget_ratio(where, against)
        cell.put(where, math.log(of.value))
        for name, one in changed.items():
            one.compare(where, against)
            apart = any((workload, side) in self._apart for side in (name, self._baseline))
            baseline = name == self._baseline
            found = one.estimate(baseline, compared=not (baseline or apart))
            self._cells[workload, name] = replace(found, blocks=len(self._blocks[workload, name]))


def _in_groups(plan: Plan) -> set[str]:
    """The scenarios in which guests take turns, and are compared within their group: a block may have several.

    A scenario of one environment has nothing to be compared with in its own groups.
    """
    turning = {one.name for one in plan.workloads if one.scheduling == "interleaved"}
    if not plan.scenarios:
        return {""} if turning else set()
    return {
        one.name
        for one in plan.scenarios
        if one.type == "alone" and one.environment is None and turning & set(one.workloads or turning)
    }


@dataclass(slots=True)
class _Sums:
    """What is kept of one cell: the mean log of its values in each block (or group of guests), and the sums over them.

    ratios: of its logs above the baseline's, in the blocks that both have.
    """

    unit: str
    better: Better
    logs: dict[_Where, float] = field(default_factory=dict)
    counts: dict[_Where, int] = field(default_factory=dict)
    values: RunningSpread = field(default_factory=RunningSpread)
    ratios: RunningSpread = field(default_factory=RunningSpread)

    def put(self, where: _Where, log: float) -> None:
        """One more value in a block or group."""
        before, count = self.logs.get(where), self.counts.get(where, 0) + 1
        if before is not None:
            self.values.remove(before)
            log = before + (log - before) / count
        self.logs[where], self.counts[where] = log, count
        self.values.add(log)

    def forget_ratio(self, where: _Where, against: Mapping[_Where, float]) -> None:
        """A side of the ratio in this place is about to change."""
        if where in self.logs and where in against:
            self.ratios.remove(self.logs[where] - against[where])

    def compare(self, where: _Where, against: Mapping[_Where, float]) -> None:
        """The ratio in this place, where both sides have a value."""
        if where in against:
            self.ratios.add(self.logs[where] - against[where])

    def estimate(self, baseline: bool, *, compared: bool) -> LiveEstimate:
        """Where the cell stands."""
        values, ratios = self.values.spread, self.ratios.spread
        assert values is not None
        if ratios is not None and self.better == "lower":
            ratios = replace(ratios, mean=-ratios.mean)
        ratio = estimate(ratios) if compared else None
        return LiveEstimate(math.exp(values.mean), self.unit, self.better, values.n, ratio, baseline)
