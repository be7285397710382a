"""Which cell is wrong where arithmetic does not hold: the one that explains most of what does not follow.

Candidates are all cells of a broken relation. A cell that several broken relations share, whose change to one other
number mends them, is accused before the derived value.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.plausible.grid import Accused, Grid, Mask, Place
from virtometer.analysis.plausible.labels import hinted
from virtometer.analysis.plausible.pattern import Pattern
from virtometer.analysis.plausible.relations import Relation
from virtometer.analysis.plausible.slips import slips

Counts = NDArray[np.int64]

_STRANGE = 5.0
_USUAL = 2.5
_ALIKE = 0.5  # of evidence, that does not tell two cells apart
_CLEAR = 8  # times the tolerance, that a slip changes a number by: a smaller one may be chance
_ECHO = 0.8  # of evidence, where a neighbour has the same number
_HELD = 0.6  # of evidence against, for each relation that holds
MOST_CONFLICTS = 2000
"""No more conflicts of one table are looked at."""
_OF_RELATIONS = frozenset({"mean", "sum", "deviation", "extreme", "expected", "percentage", "contradiction"})


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """A relation in a row that breaks it. solutions: of each cell in it, what it should be; None where unknown.

    target: the derived cell. reach: how far rounding moves the derived value. line: the row, or the column where the
    relation is one between rows.
    """

    relation: Relation
    target: Place
    solutions: dict[Place, float | None]
    reach: float
    line: int


def conflicts(relations: Iterable[tuple[bool, Relation]], grid: Grid) -> tuple[list[Conflict], Counts]:
    """Conflicts of a grid, at most 2,000, and in how many relations that hold each cell is. True: between rows.

    The relations may be those of a grid with further cells, which then confirm others and are in no conflict.
    """
    found: list[Conflict] = []
    held = np.zeros(grid.values.shape, dtype=np.int64)
    for is_turned, of in relations:
        here, counts = (grid.turned(), held.T) if is_turned else (grid, held)
        for column in (of.target, *of.members):
            counts[of.holds, column] += 1

        def place(row: int, column: int, is_turned: bool = is_turned) -> Place:
            return (column, row) if is_turned else (row, column)

        for row in of.breaks[: MOST_CONFLICTS - len(found)].tolist():
            if here.cells[row][of.target] is None:
                continue
            target, expected = place(row, of.target), float(of.expected[row])
            solutions: dict[Place, float | None] = {target: expected}
            for member in of.members:
                if here.cells[row][member] is not None:
                    solutions[place(row, member)] = of.solve(row, member)
            found.append(Conflict(of, target, solutions, float(of.reach[row]), row))
    return found, held


def accused(found: Sequence[Conflict], held: Counts, grid: Grid, of: Pattern, echoes: Mask) -> list[Accused]:
    """The cells that explain all conflicts, the most telling first. echoes: cells with the number of a neighbour."""
    made = _exchanges(found, grid)
    gone = {one.place for one in made}
    for group in _connected([one for one in found if not gone & one.solutions.keys()]):
        made += _of_group(group, held, grid, of, echoes)
    return made


def _connected(found: Sequence[Conflict]) -> list[list[Conflict]]:
    """Conflicts in groups that share no cell."""
    group_of: dict[Place, int] = {}
    groups: dict[int, list[Conflict]] = {}
    for at, one in enumerate(found):
        joined = {group_of[place] for place in one.solutions if place in group_of}
        groups[at] = [other for group in sorted(joined) for other in groups.pop(group)] + [one]
        group_of |= {place: at for other in groups[at] for place in other.solutions}
    return [*groups.values()]


def _of_group(left: list[Conflict], held: Counts, grid: Grid, of: Pattern, echoes: Mask) -> Iterator[Accused]:
    """One cell after the other that explains most of the conflicts that are left."""
    while left:
        score: dict[Place, float] = defaultdict(float)
        for one in left:
            for place, solution in one.solutions.items():
                score[place] += _evidence(place, solution, one, grid, of) + (_ECHO if echoes[place] else 0.0)
        for place in score:
            score[place] -= _HELD * float(held[place])
        best = max(score, key=lambda place: (score[place], place))
        mended = [one for one in left if best in one.solutions]
        others = sorted(place for place in score if place != best and score[place] > score[best] - _ALIKE)
        others = [place for place in others if all(place in one.solutions for one in mended)]
        accusation = _named(best, mended, grid)
        if echoes[best] and best != mended[0].target and accusation.rule in _OF_RELATIONS:
            words = f"{accusation.reason}; a neighbour has it too"
            accusation = replace(accusation, rule="repeated value", reason=words)
        yield replace(accusation, others=tuple(others))
        left = [one for one in left if one not in mended]


def _evidence(place: Place, solution: float | None, of: Conflict, grid: Grid, pattern: Pattern) -> float:
    """How much speaks for a cell in one conflict."""
    total = 1.0 + (0.4 if place == of.target else 0.0)
    if "demand" in (hinted(grid.rows[place[0]]), hinted(grid.columns[place[1]])):
        total += 0.5  # programs calculate it from the others
    if solution is None:
        return total
    cell = grid.cells[place[0]][place[1]]
    if cell is None:
        return 0.0
    if _slip(place, solution, of, grid) is not None:
        total += 1.0
    strangeness = float(pattern.strangeness[place])
    if strangeness > _STRANGE and solution > 0 and cell.value > 0:
        after = abs(float(pattern.residuals[place]) + math.log(solution / cell.value)) / float(pattern.spreads[place])
        total += 1.0 if after < max(_USUAL, strangeness / 4) else 0.0
    return total


def _slip(place: Place, solution: float, of: Conflict, grid: Grid) -> tuple[str, str] | None:
    """Rule and words where the printed number is a slip of the one that it should be."""
    cell = grid.cells[place[0]][place[1]]
    if cell is None:
        return None
    reach = 1.5 * cell.step if place != of.target else of.reach
    reach = max(reach, of.reach * (len(of.solutions) if place != of.target else 1))
    for rule, value, words in slips(cell, by_arithmetic=True):
        if abs(value - solution) <= reach and abs(cell.value - solution) > _CLEAR * reach:
            return rule, words
    return None


def _named(place: Place, mended: Sequence[Conflict], grid: Grid) -> Accused:
    """The finding of a cell: what it should be by the first conflict, and the slip that it may be."""
    first = next((one for one in mended if one.target == place), mended[0])
    expected = first.solutions[place]
    words = f"it is not {first.relation.words}" if place == first.target else f"{_line(first, grid)} does not follow"
    rule = first.relation.rule
    if expected is not None and (slip := _slip(place, expected, first, grid)) is not None:
        rule, words = slip[0], f"{words}; maybe {slip[1]}"
    return Accused(place, rule, words, expected)


def _line(of: Conflict, grid: Grid) -> str:
    row, column = of.target
    return f"{grid.columns[column]} of {grid.rows[row]}"


def _exchanges(left: Sequence[Conflict], grid: Grid) -> list[Accused]:
    """Neighbours whose exchange mends two sums or means at once."""
    found: list[Accused] = []
    by_line: dict[tuple[int, int], list[Conflict]] = defaultdict(list)
    for one in left:
        if one.relation.linear:
            by_line[id(one.relation), one.line].append(one)
    for (relation, line), conflicts_of in [*by_line.items()]:
        for one, other in itertools.product(conflicts_of, by_line.get((relation, line + 1), [])):
            pairs = [
                (a, b)
                for a, solution_a in one.solutions.items()
                for b, solution_b in other.solutions.items()
                if a != one.target and b != other.target and abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
                and _is(solution_a, grid, b, one) and _is(solution_b, grid, a, other)
            ]  # fmt: skip
            if len(pairs) == 1:
                for place, partner in (pairs[0], pairs[0][::-1]):
                    cell = grid.cells[partner[0]][partner[1]]
                    label = f"{grid.rows[partner[0]]}, {grid.columns[partner[1]]}"
                    value = None if cell is None else cell.value
                    found.append(Accused(place, "exchanged", f"exchanged with {label}", value))
    return found


def _is(solution: float | None, grid: Grid, place: Place, of: Conflict) -> bool:
    """Whether a cell prints this number, as far as rounding lets one say."""
    cell = grid.cells[place[0]][place[1]]
    return solution is not None and cell is not None and abs(cell.value - solution) <= of.reach * len(of.solutions)
