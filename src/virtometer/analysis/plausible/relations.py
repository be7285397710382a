"""A relation between columns, and those that labels name: means, sums, deviations and extremes over other columns.

A relation says for each row what one column should be, and how far rounding can move it. Rows are looked at by turning
the grid.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.plausible.grid import Accused, Grid
from virtometer.analysis.plausible.labels import DERIVED, OVER_ALL, intensive, leading, unit
from virtometer.analysis.plausible.slips import slips

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

RULE_OF = {
    "mean": "mean", "sum": "sum", "sd": "deviation", "minimum": "extreme", "maximum": "extreme", "median": "extreme",
    "expected": "expected", "share": "percentage", "efficiency": "percentage",
}  # fmt: skip
"""The rule of a derived line, by its role."""

_FEWEST = 2  # rows that follow, to say what a column should be
_CHANCE = math.log(1e-3)  # that so many follow
_SLIPPED = 0.01  # of a number: a wider tolerance would let chance explain a slip
_MOST_NAMED = 4  # columns in a reason
_MOST_BESIDE = 16  # columns beside a derived one, of which the nearest may be its members


@dataclass(frozen=True)
class Relation:
    """Column `target` as calculated from the columns `members`.

    expected, reach: by row, what the target should be and how far it may be away; not a number where a member lacks.
    holds: rows that follow. breaks: rows that do not. solve: the value that a member should have in a row, or None.
    words: the calculation, such as `the mean of the row`. free: with a factor that the rows themselves show.
    """

    rule: str
    target: int
    members: tuple[int, ...]
    expected: Floats
    reach: Floats
    holds: Rows
    breaks: Rows
    words: str
    solve: Callable[[int, int], float | None]
    linear: bool = False
    free: bool = False


def judged(printed: Floats, expected: Floats, reach: Floats) -> tuple[Rows, Rows]:
    """Rows that follow, and rows that do not. Rows in which a number lacks are neither."""
    known = np.isfinite(printed) & np.isfinite(expected)
    near = np.abs(printed - expected) <= reach
    return np.flatnonzero(known & near), np.flatnonzero(known & ~near)


def named(grid: Grid) -> Iterator[Relation]:
    """Columns called mean, sum, deviation, minimum, maximum or median, as far as their rows follow.

    A label of several words may mean something else: its rows are wrong where most others follow.
    """
    roles = grid.column_roles
    for target, label in enumerate(grid.columns):
        exact = roles[target] in OVER_ALL
        what = roles[target] if exact else leading(label)
        if what in OVER_ALL:
            best = _best(grid, target, what)
            if best is not None:
                wrong = _enforced(grid, best, exact=exact)
                if len(wrong) or len(best.holds) > len(best.breaks):
                    yield replace(best, breaks=wrong)


def misnamed(grid: Grid, line: str) -> Iterator[Accused]:
    """Columns called mean or sum that are something else in most rows. line: what a column of this grid is.

    The rows that follow show what the column should be: so many do not follow by chance. A column over cells that are
    not printed has no such rows.
    """
    for target, what in enumerate(grid.column_roles):
        best = _best(grid, target, what) if what in ("mean", "sum") else None
        if best is None or len(best.holds) < _FEWEST or len(best.holds) >= len(best.breaks):
            continue
        if len(_enforced(grid, best, exact=True)):
            continue  # its rows are accused
        followed = {_kind(grid, row) for row in best.holds.tolist()}
        broken = [row for row in best.breaks.tolist() if _kind(grid, row) in followed]
        if len(broken) > len(best.holds) and _log_chance(grid, best, len(broken)) < _CHANCE:
            rows = len(broken) + len(best.holds)
            others = [grid.columns[one] for one in best.members]
            of = f"{', '.join(others[:-1])} and {others[-1]}" if len(others) <= _MOST_NAMED else f"{len(others)} others"
            words = f"the {line} is named {grid.columns[target]}, and is not {best.words} of {of}"
            yield Accused((-1, target), best.rule, f"{words} in {len(broken)} of {rows} cells")


def _log_chance(grid: Grid, of: Relation, broken: int) -> float:
    """The logarithm of the chance that so many rows follow what their column is not, in any of the choices of cells."""
    values = grid.values[:, of.members][of.holds]
    spread = np.nanstd(values, axis=1) / (1.0 if of.rule == "sum" else math.sqrt(len(of.members)))
    odds = np.minimum(1.0, 2 * of.reach[of.holds] / (spread + 1e-300))
    rows, choices = broken + len(of.holds), sum(1 for _ in _members(grid, grid.column_roles, of.target))
    return float(np.log(odds).sum()) + math.log(math.comb(rows, broken)) + math.log(choices)


def _best(grid: Grid, target: int, what: str) -> Relation | None:
    """A statistic over those columns of which most rows follow; None without columns."""
    return max(
        (_over(grid, target, what, members) for members in _members(grid, grid.column_roles, target)),
        key=lambda one: (len(one.holds), -len(one.breaks)),
        default=None,
    )


def _kind(grid: Grid, row: int) -> tuple[str, bool]:
    """Rows of one kind have one unit, and all or none of them name a quantity that does not add up."""
    return unit(grid.rows[row]), intensive(grid.rows[row])


def _enforced(grid: Grid, of: Relation, *, exact: bool) -> Rows:
    """The rows that break a relation and are wrong: as many of their own kind follow, or it is the only row."""
    kinds: dict[tuple[str, bool], list[tuple[int, bool]]] = defaultdict(list)
    for holds, rows in ((True, of.holds), (False, of.breaks)):
        for row in rows.tolist():
            kinds[_kind(grid, row)].append((row, holds))
    wrong: list[int] = []
    for (_, is_intensive), rows_of in kinds.items():
        follow = sum(holds for _, holds in rows_of)
        broken = [row for row, holds in rows_of if not holds]
        alone = exact and not is_intensive and len(of.holds) + len(of.breaks) == 1
        halved = exact and follow == len(broken) and (follow > 1 or not is_intensive)
        if alone or halved or follow > len(broken):
            wrong += broken
        elif not follow and len(of.holds) >= _FEWEST:
            wrong += [row for row in broken if _by_slip(grid, of, row)]
    return np.array(sorted(wrong), dtype=np.int64)


def _by_slip(grid: Grid, of: Relation, row: int) -> bool:
    """Whether the decimal point of one member is all that keeps a row from following."""
    for member in of.members if of.linear else ():
        cell, solution = grid.cells[row][member], of.solve(row, member)
        if cell is None or solution is None or (row, member) in grid.restored:
            continue
        reach = float(of.reach[row] - grid.halves[row, member])
        for rule, value, _ in slips(cell, by_arithmetic=True):
            if rule == "decimal point" and abs(value - solution) <= reach < abs(solution) * _SLIPPED:
                return True
    return False


def _members(grid: Grid, roles: Sequence[str], target: int) -> Iterator[tuple[int, ...]]:
    """Columns that a derived one may be made from: all others, or those beside it up to the next derived one."""
    apart = DERIVED | {"low", "high"}
    base = [column for column, what in enumerate(roles) if what not in apart and column != target]
    counts = {column for column in base if roles[column] == "count"}
    sets = [base, [column for column in base if column not in counts]]
    alike = [column for column in base if unit(grid.columns[column]) == unit(grid.columns[target])]
    sets.append(alike)
    earlier = itertools.dropwhile(lambda column: roles[column] in DERIVED, range(target - 1, -1, -1))
    before = [*itertools.takewhile(lambda column: roles[column] not in DERIVED, earlier)]
    after = [*itertools.takewhile(lambda column: roles[column] not in DERIVED, range(target + 1, len(roles)))]
    sets += [before[::-1], [column for column in before[::-1] if column not in counts], after]
    sets += [before[:count][::-1] for count in range(2, min(len(before), _MOST_BESIDE))]
    sets += [after[:count] for count in range(2, min(len(after), _MOST_BESIDE))]
    seen = set()
    for one in sets:
        members = tuple(one)
        if len(members) >= 2 and members not in seen:
            seen.add(members)
            yield members


def _over(grid: Grid, target: int, what: str, members: tuple[int, ...]) -> Relation:
    """A statistic over members. Cells that are not printed are left out; a sum without one of them is not judged."""
    values, halves = grid.values[:, members], grid.halves[:, members]
    count = np.isfinite(values).sum(axis=1)
    some = count >= (len(members) if what == "sum" else 2)
    expected, moved = np.full(len(values), np.nan), np.full(len(values), np.nan)
    own = grid.values[some, target]
    expected[some], moved[some] = _statistic(what, values[some], count[some], np.nansum(halves[some], axis=1), own)
    reach = (moved + grid.halves[:, target]) * (1 + 1e-9) + 1e-12 * np.abs(expected)
    holds, breaks = judged(grid.values[:, target], expected, reach)
    words = {"mean": "the mean", "sum": "the sum", "sd": "the standard deviation"}.get(what, f"the {what}")

    def solve(row: int, member: int) -> float | None:
        own = float(grid.values[row, target])
        others = np.delete(values[row], members.index(member))
        rest = float(np.nansum(others))
        if what == "sum":
            return own - rest
        return own * int(count[row]) - rest if what == "mean" else None

    linear = what in ("mean", "sum")
    return Relation(RULE_OF[what], target, members, expected, reach, holds, breaks, words, solve, linear)


def _statistic(
    what: str, kept: Floats, count: NDArray[np.int64], rounding: Floats, printed: Floats
) -> tuple[Floats, Floats]:
    """The statistic of each row, and how far rounding of its cells can move it."""
    none = np.zeros(len(kept))
    match what:
        case "sum":
            return np.nansum(kept, axis=1), rounding
        case "mean":
            arithmetic = np.nansum(kept, axis=1) / count
            return arithmetic, rounding / count
        case "sd":
            sample, whole = np.nanstd(kept, axis=1, ddof=1), np.nanstd(kept, axis=1)
            nearer = np.abs(printed - whole) < np.abs(printed - sample)
            return np.where(nearer, whole, sample), 2 * rounding / count
        case "minimum":
            return np.nanmin(kept, axis=1), none
        case "maximum":
            return np.nanmax(kept, axis=1), none
        case _:
            return np.nanmedian(kept, axis=1), none
