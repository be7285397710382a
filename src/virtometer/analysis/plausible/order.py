"""Orders that are broken once: sizes and values, ranks, ends of ranges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.plausible.grid import Accused, Grid, Printed
from virtometer.analysis.plausible.labels import DERIVED, hinted, sizes

Floats = NDArray[np.float64]

_FEWEST = 4  # values in a line whose order means something
_STEP = 0.03  # smallest change from size to size, as a logarithm, where noise does not turn the order
_MOST_LEVELS = 200
_WITHOUT_ORDER = frozenset({"rank", "count", "minimum", "maximum"})
_UNBOUNDED = ("ratio", "relative", "overhead", "speedup", "gain", "difference")  # shares that may be above 1
_NEAR = 24  # columns on each side that a rank may follow
_OVER = 0.02  # above a limit, which noise explains


def broken_orders(grid: Grid) -> Iterator[Accused]:
    """Cells beyond all smaller sizes, in columns whose other values rise or fall with the size of the row.

    Another column must show the same order, and not more columns the opposite one. A column alone needs five sizes.
    """
    known = sizes(grid.rows)
    at = [row for row, size in enumerate(known) if size is not None and grid.row_roles[row] not in DERIVED]
    order = sorted(at, key=lambda row: known[row] or 0.0)
    if len(order) < _FEWEST or len(order) > _MOST_LEVELS or len({known[row] for row in order}) < len(order):
        return
    columns = [one for one, what in enumerate(grid.column_roles) if what not in _WITHOUT_ORDER]
    trends = [_trend(_logs(grid, order, column)) for column in columns]
    whole = Counter(trend for trend, odd in trends if odd is None)
    directions = Counter(trend for trend, _ in trends)
    for column, (trend, odd) in zip(columns, trends, strict=True):
        if odd is None:
            continue
        same, against = whole[trend], directions[-trend]
        if same < against or (not same and len(order) < _FEWEST + 1):
            continue
        beside = " and ".join(grid.rows[order[at]] for at in (odd - 1, odd + 1) if 0 <= at < len(order))
        words = f"all others {'rise' if trend > 0 else 'fall'} with the size; this one is not between {beside}"
        yield Accused((order[odd], column), "order", words)


def _logs(grid: Grid, order: Sequence[int], column: int) -> Floats:
    values = grid.values[list(order), column]
    with np.errstate(all="ignore"):
        return np.where(values > 0, np.log(values), np.nan)


def _trend(logs: Floats) -> tuple[int, int | None]:
    """1 or -1 where values rise or fall with at most one exception, else 0; and the place of the exception."""
    if len(logs) < _FEWEST or not np.isfinite(logs).all():
        return 0, None
    for trend in (1, -1):
        steps = trend * np.diff(logs)
        if (steps > 0).all():
            return trend, None
        fits = []
        for odd in range(len(logs)):
            rest = trend * np.diff(np.delete(logs, odd))
            turned = logs[odd] - logs[[at for at in (odd - 1, odd + 1) if 0 <= at < len(logs)]]
            if (rest > _STEP).all() and np.abs(turned).min() > _STEP:
                fits.append((_bend(np.delete(logs, odd)), odd))
        if fits:
            return trend, min(fits)[1]
    return 0, None


def _bend(logs: Floats) -> float:
    """How uneven the steps are."""
    return float(np.abs(np.diff(logs, 2)).sum()) if len(logs) > 2 else 0.0


def wrong_ranks(grid: Grid) -> Iterator[Accused]:
    """Ranks in a column that do not follow from the values of the column that they follow best."""
    for column, what in enumerate(grid.column_roles):
        if what != "rank":
            continue
        printed = grid.values[:, column]
        rows = np.flatnonzero(np.isfinite(printed))
        best: tuple[int, str, NDArray[np.floating]] | None = None
        for other in range(max(0, column - _NEAR), min(len(grid.columns), column + _NEAR + 1)):
            values = grid.values[rows, other]
            if other == column or grid.column_roles[other] == "rank" or not np.isfinite(values).all():
                continue
            for sign in (1, -1):
                for ranks in _ranks(sign * values):
                    right = int((ranks == printed[rows]).sum())
                    if best is None or right > best[0]:
                        best = right, grid.columns[other], ranks
        if best is not None and len(rows) >= 3 and 2 <= best[0] < len(rows) and best[0] >= len(rows) / 2:
            for row, rank in zip(rows.tolist(), best[2].tolist(), strict=True):
                if rank != printed[row]:
                    yield Accused((row, column), "rank", f"by {best[1]} the rank is {rank:g}", rank)


def _ranks(values: Floats) -> Iterator[NDArray[np.floating]]:
    """Ranks from 1, in the usual ways to rank equal values: the first place, the last, their mean, or without gaps."""
    ordered = np.sort(values)
    first, last = np.searchsorted(ordered, values), np.searchsorted(ordered, values, side="right")
    yield first + 1.0
    yield last.astype(np.float64)
    yield (first + 1 + last) / 2
    yield np.searchsorted(np.unique(values), values) + 1.0


def wrong_ranges(grid: Grid) -> Iterator[Accused]:
    """Ranges in one cell, and in neighbouring columns for the lower and the upper end."""
    exchanged = grid.of_cells(lambda cell: cell is not None and _is_exchanged(cell), np.bool_)
    for row, column in np.argwhere(exchanged).tolist():
        place, cell = (row, column), grid.cells[row][column]
        if cell is not None:
            yield Accused(place, "range", f"the lower end is {cell.value:g}, the upper one {cell.high:g}", cell.high)
    roles = grid.column_roles
    for low in range(len(roles) - 1):
        if (roles[low], roles[low + 1]) in (("low", "high"), ("minimum", "maximum")):
            yield from _exchanged_ends(grid, low)
            for value in (low - 1, low + 2):
                if 0 <= value < len(roles) and roles[value] in ("", "mean", "median"):
                    yield from _outside(grid, value, low)


def _is_exchanged(cell: Printed) -> bool:
    return cell.high is not None and cell.high < cell.value


def _exchanged_ends(grid: Grid, low: int) -> Iterator[Accused]:
    """Rows whose lower end, in the column `low`, is above the upper one in the next column."""
    lows, highs = grid.values[:, low], grid.values[:, low + 1]
    reason = f"{grid.columns[low]} is above {grid.columns[low + 1]}"
    for row in np.flatnonzero(lows > highs).tolist():
        yield Accused((row, low), "range", reason, float(highs[row]))
        yield Accused((row, low + 1), "range", reason, float(lows[row]))


def _outside(grid: Grid, value: int, low: int) -> Iterator[Accused]:
    """Values that are not between the ends in their row, where those of most rows are."""
    values, lows, highs = grid.values[:, value], grid.values[:, low], grid.values[:, low + 1]
    known = np.isfinite(values) & np.isfinite(lows) & np.isfinite(highs) & (lows <= highs)
    inside = (lows <= values) & (values <= highs)
    if known.sum() >= 2 and (known & inside).sum() > (known & ~inside).sum():
        for row in np.flatnonzero(known & ~inside).tolist():
            yield Accused((row, value), "range", f"it is not between {grid.columns[low]} and {grid.columns[low + 1]}")


def above_limits(grid: Grid) -> Iterator[Accused]:
    """Efficiencies and shares of a column above 1 or 100 %, where no other one of the column is."""
    for column, label in enumerate(grid.columns):
        what, values = hinted(label), grid.values[:, column]
        known = values[np.isfinite(values)]
        if what not in ("efficiency", "share") or len(known) < 2:
            continue
        if "cpu" in label.casefold() or (what == "share" and any(word in label.casefold() for word in _UNBOUNDED)):
            continue  # several processors make more than 100 %
        if np.median(known) <= 0:
            continue
        limit = 1.0 if np.median(known) <= 1.0 else 100.0
        over = np.flatnonzero(values > limit * (1 + _OVER))
        if len(over) == 1 and np.median(known) <= limit:
            row = int(over[0])
            yield Accused((row, column), "limit", f"it is above {limit:g}, and no other one of the column is")
