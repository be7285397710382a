"""Slices beside long windows: the ratio that slices show by the ratio that long windows of the same guests show.

Both are of total work / total time, in the same blocks, so that what a whole block has in common cancels out.
"""

from __future__ import annotations

from virtometer.analysis.compare.blocks import Cell, logs_by_block
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.note import Note
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Estimate, Quantity


def slices_by_windows(cell: Cell, against: Cell, strictness: float = 1.0) -> Quantity[Estimate] | None:
    """(cell / against in slices) / (cell / against in long windows); None where no block has both of both.

    Above 1 slices show the subject as better than long windows do. Blocks that count by their long windows have no
    slices. Without an interval (fewer than six blocks) nothing is known but the value. strictness: as of `interval`.
    """
    if cell.shape is None:
        return None
    better = cell.shape[2]
    by_slices = logs_by_block(_in_slices(cell), _in_slices(against), better)
    by_windows = logs_by_block(cell.long_values, against.long_values, better)
    both = sorted(by_slices.keys() & by_windows.keys())
    of = interval((by_slices[block] - by_windows[block] for block in both), strictness=strictness)
    return of and efficiency(cell.environment, against.environment, of, metric="efficiency in slices by in windows")


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


def _in_slices(cell: Cell) -> dict[int, float]:
    """The values of the blocks that count by slices."""
    return {
        block: value for block, value in cell.values.items() if block in cell.rounds and block not in cell.long_blocks
    }
