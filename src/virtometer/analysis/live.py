"""Live estimates for the display while a campaign runs: cheap, and without verdicts, which wait for the end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from virtometer.analysis.compare.blocks import Key, usable
from virtometer.analysis.score.alone import alone_in
from virtometer.analysis.score.judged import judged
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Better, Estimate, Plan, Quantity, TrialRecord

_Where: TypeAlias = tuple[int, int | None]
"""The block, and the group of guests in it where guests take turns."""


@dataclass(frozen=True, slots=True)
class LiveEstimate:
    """Where one cell stands: its value over the blocks so far, and `ratio`, the efficiency so far.

    `ratio` is None of the baseline, until one block holds both the environment and the baseline, and where long windows
    are compared. Nothing may be concluded from it.
    """

    value: Quantity[Estimate]
    blocks: int
    ratio: Estimate | None
    baseline: bool = False


class LiveEstimates:
    """By (workload, environment): what the finished trials say so far. Cells without a value are absent.

    No earlier trial is read again. What a trial changes is computed anew when it is looked at: its own cell, and those
    that are compared with it.
    """

    def __init__(self, plan: Plan) -> None:
        """Nothing has been measured."""
        self._baseline = plan.baseline
        self._alone = alone_in(plan)
        self._in_groups = _in_groups(plan)
        self._measured: dict[Key, _Measured] = {}
        self._known: dict[Key, LiveEstimate] = {}

    @property
    def cells(self) -> Mapping[Key, LiveEstimate]:
        """As they are now; what was read before stays as it was."""
        for key in self._measured.keys() - self._known.keys():
            self._known[key] = self._estimate(*key)
        return {key: self._known[key] for key in self._measured}

    def add(self, record: TrialRecord) -> None:
        """One more finished trial."""
        for run in record.scored if self._alone(record.trial) else ():
            if run.placement.role == "measured" and usable(run):
                workload, environment = run.placement.workload, run.placement.environment
                of, group = judged(run), record.trial.start_group if record.trial.scenario in self._in_groups else None
                cell = self._measured.setdefault((workload, environment), _Measured(of.unit, of.better))
                cell.in_windows |= run.in_long_windows
                cell.values.setdefault((record.trial.block, group), []).append(math.log(of.value))
                for key in [*self._known]:
                    if key[0] == workload and environment in (key[1], self._baseline):
                        del self._known[key]

    def _estimate(self, workload: str, environment: str) -> LiveEstimate:
        cell, baseline = self._measured[workload, environment], self._measured.get((workload, self._baseline))
        logs, ratio, sign = cell.logs, None, 1.0 if cell.better == "higher" else -1.0
        if environment != self._baseline and baseline and not (cell.in_windows or baseline.in_windows):
            against = baseline.logs
            ratio = interval(sign * (log - against[where]) for where, log in logs.items() if where in against)
        value = interval(logs.values())
        assert value is not None
        of = Quantity(environment, workload, cell.unit, cell.better, "geometric mean", value)
        return LiveEstimate(of, len({block for block, _ in logs}), ratio, environment == self._baseline)


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
class _Measured:
    """What is kept of one cell: the logs of its values, and whether any is of long windows."""

    unit: str
    better: Better
    values: dict[_Where, list[float]] = field(default_factory=dict)
    in_windows: bool = False

    @property
    def logs(self) -> dict[_Where, float]:
        """The mean of each block or group."""
        return {where: math.fsum(of) / len(of) for where, of in self.values.items()}
