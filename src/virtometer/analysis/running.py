"""Running estimates for the display while a campaign runs: cheap, and without verdicts, which wait for the end."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from virtometer.analysis.blocks import log_ratios, usable
from virtometer.analysis.interval import estimate, spread
from virtometer.model import Better, Estimate, Plan, TrialRecord


@dataclass(frozen=True, slots=True)
class Running:
    """Where one cell stands: `value` is the geometric mean over the trials so far, `ratio` the efficiency so far.

    `ratio` is None of the baseline, and until one block holds both the environment and the baseline. Nothing may be
    concluded from it.
    """

    value: float
    unit: str
    better: Better
    trials: int
    ratio: Estimate | None
    baseline: bool = False


def running(plan: Plan, trials: Iterable[TrialRecord]) -> dict[tuple[str, str], Running]:
    """By (workload, environment): what the finished trials say so far. Cells without a value are absent."""
    values: dict[tuple[str, str], dict[int, float]] = {}
    units: dict[tuple[str, str], tuple[str, Better]] = {}
    for record in trials:
        for run in record.scored:
            if run.placement.role == "measured" and usable(run):
                key = (run.placement.workload, run.placement.environment)
                values.setdefault(key, {})[record.trial.block] = run.scored.value
                units[key] = (run.unit, run.better)
    found = {}
    for key, by_block in values.items():
        unit, better = units[key]
        against = values.get((key[0], plan.baseline), {})
        baseline = key[1] == plan.baseline
        ratio = None if baseline else estimate(spread(log_ratios(by_block, against, better)))
        mean = math.exp(math.fsum(map(math.log, by_block.values())) / len(by_block))
        found[key] = Running(mean, unit, better, len(by_block), ratio, baseline)
    return found
