"""Slices beside long windows: the ratio that slices show by the ratio that long windows of the same guests show.

Both are of total work / total time, in the same blocks, so that what a whole block has in common cancels out.
"""

from __future__ import annotations

from virtometer.analysis.compare.blocks import TreatmentData, logs_by_block
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.note import Note
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Estimate, Quantity


def slices_by_windows(
    data: TreatmentData, against: TreatmentData, alpha_factor: float = 1.0
) -> Quantity[Estimate] | None:
    """(treatment / against in slices) / (treatment / against in long windows); None where no block has both of both.

    Above 1 slices show the subject as better than long windows do. Blocks that count by their long windows have no
    slices. Without an interval (fewer than six blocks) nothing is known but the value. alpha_factor: as of `interval`.
    """
    if data.shape is None:
        return None
    better = data.shape[2]
    by_slices = logs_by_block(_in_slices(data), _in_slices(against), better)
    by_windows = logs_by_block(data.long_values, against.long_values, better)
    both = sorted(by_slices.keys() & by_windows.keys())
    of = interval((by_slices[block] - by_windows[block] for block in both), alpha_factor=alpha_factor)
    return of and efficiency(data.environment, against.environment, of, metric="efficiency in slices by in windows")


def notes(of: Estimate | None, margin: float) -> list[Note]:
    """That slices show another ratio than long windows, where that is certain and more than the margin."""
    if of is None or of.low is None or of.high is None:
        return []
    if of.low <= 1 + margin and of.high >= 1 / (1 + margin):
        return []
    return [
        Note(
            f"slices and long windows disagree: the ratio in slices is {of.value:.3g} [{of.low:.3g}, {of.high:.3g}] "
            f"times that in long windows ({of.n} blocks)",
            "slices and long windows of the same blocks disagree",
        )
    ]


def _in_slices(data: TreatmentData) -> dict[int, float]:
    """The values of the blocks that count by slices."""
    return {
        block: value for block, value in data.values.items() if block in data.rounds and block not in data.long_blocks
    }
