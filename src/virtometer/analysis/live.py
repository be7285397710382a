"""Live estimates for the display while a campaign runs: cheap, and without verdicts, which wait for the end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from virtometer.analysis.alone import alone_in
from virtometer.analysis.blocks import Key, usable
from virtometer.analysis.interval import RunningSpread, estimate
from virtometer.analysis.judged import Judged, judged
from virtometer.model import Better, Estimate, Plan, TrialRecord


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
        self._sums: dict[str, dict[str, _Sums]] = {}  # by workload and environment
        self._cells: dict[Key, LiveEstimate] = {}
        self._apart: set[Key] = set()  # measured in long windows

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
                self._add(run.placement.workload, run.placement.environment, record.trial.block, judged(run))

    def _add(self, workload: str, environment: str, block: int, of: Judged) -> None:
        """The value of a run changes its cell, and that of the baseline the ratios of all cells with this block."""
        beside = self._sums.setdefault(workload, {})
        cell = beside.setdefault(environment, _Sums(of.unit, of.better))
        against = beside[self._baseline].logs if self._baseline in beside else {}
        changed = {environment: cell}
        if environment == self._baseline:
            changed |= {name: other for name, other in beside.items() if block in other.logs}
        for one in changed.values():
            one.forget_ratio(block, against)
        cell.put(block, math.log(of.value))
        for name, one in changed.items():
            one.compare(block, against)
            apart = any((workload, side) in self._apart for side in (name, self._baseline))
            baseline = name == self._baseline
            self._cells[workload, name] = one.estimate(baseline, compared=not (baseline or apart))


@dataclass(slots=True)
class _Sums:
    """What is kept of one cell: the mean log of its values in each block, and the sums over the blocks.

    ratios: of its logs above the baseline's, in the blocks that both have.
    """

    unit: str
    better: Better
    logs: dict[int, float] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    values: RunningSpread = field(default_factory=RunningSpread)
    ratios: RunningSpread = field(default_factory=RunningSpread)

    def put(self, block: int, log: float) -> None:
        """One more value in a block."""
        before, count = self.logs.get(block), self.counts.get(block, 0) + 1
        if before is not None:
            self.values.remove(before)
            log = before + (log - before) / count
        self.logs[block], self.counts[block] = log, count
        self.values.add(log)

    def forget_ratio(self, block: int, against: Mapping[int, float]) -> None:
        """A side of the ratio in this block is about to change."""
        if block in self.logs and block in against:
            self.ratios.remove(self.logs[block] - against[block])

    def compare(self, block: int, against: Mapping[int, float]) -> None:
        """The ratio in this block, where both sides have a value."""
        if block in against:
            self.ratios.add(self.logs[block] - against[block])

    def estimate(self, baseline: bool, *, compared: bool) -> LiveEstimate:
        """Where the cell stands."""
        values, ratios = self.values.spread, self.ratios.spread
        assert values is not None
        if ratios is not None and self.better == "lower":
            ratios = replace(ratios, mean=-ratios.mean)
        ratio = estimate(ratios) if compared else None
        return LiveEstimate(math.exp(values.mean), self.unit, self.better, values.n, ratio, baseline)
