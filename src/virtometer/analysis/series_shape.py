"""Whether a series of values drifts from block to block, or has two modes: means say little about either."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

_ENOUGH = 8
_DRIFT_LEVEL = 0.001
_SMALLER_PART = 0.25  # of the values that the smaller mode holds at least
_APART = 6.0  # distance of the modes in standard deviations within them


def notes(logs: Sequence[float], name: str) -> list[str]:
    """What is special about logarithms of values in the order of their blocks, in sentences; `name`: whose they are.

    Drift: Spearman's rank correlation with the order (C. Spearman, 1904), at the level of 0.001. Two modes: some split
    leaves a quarter of the values on either side, six standard deviations within the parts from each other. Nothing is
    said of fewer than eight values.
    """
    if len(logs) < _ENOUGH or max(logs) == min(logs):
        return []
    from scipy import stats  # takes half a second to load

    found = []
    trend = stats.spearmanr(range(len(logs)), logs)
    if trend.pvalue < _DRIFT_LEVEL:
        found.append(f"{name} drifts from block to block: it {'rises' if trend.statistic > 0 else 'falls'}")
    if (apart := _modes(sorted(logs))) is not None:
        low, high = apart
        found.append(f"{name} has two modes, the higher one at {math.exp(high - low):.3g} times the lower one")
    return found


def _modes(ordered: Sequence[float]) -> tuple[float, float] | None:
    """The means of two modes of sorted values; None where there is one."""
    least = max(math.ceil(len(ordered) * _SMALLER_PART), 2)
    splits = range(least, len(ordered) - least + 1)
    at = max(splits, key=lambda split: ordered[split] - ordered[split - 1], default=0)
    low, high = ordered[:at], ordered[at:]
    if not low or not high:
        return None
    within = math.sqrt(
        (statistics.variance(low) * (len(low) - 1) + statistics.variance(high) * (len(high) - 1)) / (len(ordered) - 2)
    )
    apart = statistics.fmean(high) - statistics.fmean(low)
    return (statistics.fmean(low), statistics.fmean(high)) if apart > _APART * within else None
