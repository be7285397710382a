"""Live estimates for the display while a campaign runs: cheap, and without verdicts, which wait for the end."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.analysis.blocks import Key, log_ratios, usable
from virtometer.analysis.interval import estimate, spread
from virtometer.analysis.judged import judged
from virtometer.model import Better, Estimate, Plan, TrialRecord


@dataclass(frozen=True, slots=True)
class LiveEstimate:
    """Where one cell stands: `value` is the geometric mean over the blocks so far, `ratio` the efficiency so far.

    `ratio` is None of the baseline, and until one block holds both the environment and the baseline. Nothing may be
    concluded from it.
    """

    value: float
    unit: str
    better: Better
    blocks: int
    ratio: Estimate | None
    baseline: bool = False


class LiveEstimates:
    """By (workload, environment): what the finished trials say so far. Cells without a value are absent."""

    def __init__(self, plan: Plan) -> None:
        """Nothing has been measured."""
        self._baseline = plan.baseline
        self._values: dict[Key, dict[int, list[float]]] = {}
        self._shapes: dict[Key, tuple[str, Better]] = {}
        self._cells: dict[Key, LiveEstimate] = {}

    @property
    def cells(self) -> Mapping[Key, LiveEstimate]:
        """As they are now; what was read before stays as it was."""
        return dict(self._cells)

    def add(self, record: TrialRecord) -> None:
        """One more finished trial. Only its workloads are computed again."""
        touched = set()
        for run in record.scored:
            if run.placement.role == "measured" and usable(run):
                key, of = (run.placement.workload, run.placement.environment), judged(run)
                self._values.setdefault(key, {}).setdefault(record.trial.block, []).append(of.value)
                self._shapes[key] = (of.unit, of.better)
                touched.add(run.placement.workload)
        for workload in touched:
            means = {key: _means(blocks) for key, blocks in self._values.items() if key[0] == workload}
            against = means.get((workload, self._baseline), {})
            for key, values in means.items():
                self._cells[key] = self._estimate(key, values, against)

    def _estimate(self, key: Key, values: Mapping[int, float], against: Mapping[int, float]) -> LiveEstimate:
        unit, better = self._shapes[key]
        baseline = key[1] == self._baseline
        ratio = None if baseline else estimate(spread(log_ratios(values, against, better)))
        mean = math.exp(math.fsum(map(math.log, values.values())) / len(values))
        return LiveEstimate(mean, unit, better, len(values), ratio, baseline)


def _means(blocks: Mapping[int, list[float]]) -> dict[int, float]:
    return {block: statistics.geometric_mean(values) for block, values in blocks.items()}
