"""What each cell should be as far as rows and columns change alike, and how far cells are from it.

A cell is predicted by double ratios: (same row, other column) x (other row, same column) / (other row, other column).
The median over all of these holds also where one other cell is wrong, and where columns have different units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LARGE = 20_000
"""A table with more cells is searched less closely."""

_FEWEST = 3  # double ratios, for a prediction
_NEAR = 12  # lines on each side that predict, where a table has more
_NEAR_IN_LARGE = 4
_NORMAL = 1.4826  # median absolute deviation to standard deviation
_FEW_LINES = 3
_SHARE_OF_FEW = 0.4  # of the residuals, which one wrong cell of so few lines leaves right
_NORMAL_OF_FEW = 1.907  # this quantile of absolute deviations to standard deviation
_FLOOR = 1e-4  # of a relative spread
_AT_ONCE = 1 << 19  # double ratios in memory


@dataclass(frozen=True)
class Pattern:
    """logs: of the values, rows x columns. residuals: logs minus the prediction. spreads: what is usual for a residual.

    Not a number where a value is not positive, or nothing predicts it.
    """

    logs: Floats
    residuals: Floats
    spreads: Floats

    @cached_property
    def strangeness(self) -> Floats:
        """Residuals in units of what is usual; 0 where there is none."""
        with np.errstate(all="ignore"):
            return np.nan_to_num(np.abs(self.residuals) / self.spreads, nan=0.0, posinf=0.0)


def near(cells: int) -> int:
    """How many lines on each side of a cell predict it, in a table of so many cells."""
    return _NEAR if cells <= LARGE else _NEAR_IN_LARGE


def pattern(values: Floats, halves: Floats, within: int | None = None) -> Pattern:
    """Of a table of numbers and what rounding may change in each, both rows x columns.

    within: lines on each side that predict a cell; None for as many as a table of this size has.
    """
    with np.errstate(all="ignore"):
        logs = np.where(values > 0, np.log(values), np.nan)
        rounding = np.where(values > 0, halves / values, np.nan)
    predicted, spreads = _predicted(logs, near(logs.size) if within is None else within)
    residuals = logs - predicted
    usual = _usual(residuals) if np.isfinite(residuals).any() else np.nan
    return Pattern(logs, residuals, np.maximum(np.maximum(spreads, usual), 2 * rounding + _FLOOR))


def _usual(residuals: Floats) -> float:
    """The standard deviation that most residuals show. Of few lines one wrong cell spoils nearly half of them."""
    if min(residuals.shape) > _FEW_LINES:
        return _NORMAL * float(np.nanmedian(np.abs(residuals)))
    return _NORMAL_OF_FEW * float(np.nanquantile(np.abs(residuals), _SHARE_OF_FEW, method="lower"))


def _predicted(logs: Floats, within: int) -> tuple[Floats, Floats]:
    """Of each cell the median of its double ratios, and their spread. Not a number where fewer than three are known."""
    rows, columns = logs.shape
    medians, spreads = np.full(logs.shape, np.nan), np.full(logs.shape, np.nan)
    up, left = min(within, rows - 1), min(within, columns - 1)
    if not up or not left:
        return medians, spreads
    around = np.pad(logs, ((up, up), (left, left)), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(around, (2 * up + 1, 2 * left + 1))
    rows_around, columns_around = np.delete(np.arange(2 * up + 1), up), np.delete(np.arange(2 * left + 1), left)
    step = max(1, _AT_ONCE // (columns * 4 * up * left))
    for first in range(0, rows, step):
        part = slice(first, first + step)
        block = windows[part][:, :, rows_around[:, None], columns_around]
        same_row = np.delete(windows[part, :, up, :], left, axis=2)
        same_column = np.delete(windows[part, :, :, left], up, axis=2)
        made = same_row[:, :, None, :] + same_column[:, :, :, None] - block
        made = made.reshape(*made.shape[:2], -1)
        known = np.isfinite(made).sum(axis=2)
        middle = np.where(known >= _FEWEST, _median(made, known), np.nan)
        made -= middle[:, :, None]
        medians[part] = middle
        spreads[part] = _NORMAL * _median(np.abs(made), known) / np.sqrt(3)
    return medians, spreads


def _median(numbers: Floats, known: NDArray[np.int64]) -> Floats:
    """Along the last axis, of the numbers that are known: all others are not a number, and so the last when sorted."""
    ranked = np.sort(numbers, axis=-1)
    last = np.maximum(known, 1)
    low = np.take_along_axis(ranked, ((last - 1) // 2)[..., None], axis=-1)[..., 0]
    high = np.take_along_axis(ranked, (last // 2)[..., None], axis=-1)[..., 0]
    return (low + high) / 2


def roughness(logs: Floats) -> float:
    """How uneven rows and columns are: second differences of neighbours, as far as they differ along other lines.

    Tells which of two cells that contradict each other is the uneven one.
    """
    total = 0.0
    for lines in (logs, logs.T):
        if lines.shape[0] >= 3:
            bends = lines[2:] - 2 * lines[1:-1] + lines[:-2]
            total += float(np.nansum(np.abs(bends)))
    return total
