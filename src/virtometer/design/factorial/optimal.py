"""Cells that estimate given terms best: D-optimal ones by exchange, or a random part. PURE.

From random cells that estimate the terms, one cell after the other is exchanged for the candidate that raises
det(X'X) most, until none does (Fedorov: Theory of Optimal Experiments, 1972, in the modified form of Cook and
Nachtsheim: A comparison of algorithms for constructing exact D-optimal designs, Technometrics 22, 1980). The best of
several starts is taken. The reference cell is never exchanged, and no cell occurs twice. The order is that of
shuffle.Generator, so that a seed gives the same design for ever.

Potential terms need not be estimated, but shall be mixed up with the others as little as possible: each of their
columns counts as if one trial had told of it already (DuMouchel, Jones: A simple Bayesian modification of D-optimal
designs to reduce dependence on an assumed model, Technometrics 36, 1994).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from virtometer.design.factorial.choice import MAX_CELLS, DesignError, OneStage, cannot_estimate
from virtometer.design.factorial.matrix import Matrix, estimable, estimates, model_matrix
from virtometer.design.factorial.space import MAX_CANDIDATES, Cell, Space, Term, ordered
from virtometer.design.schedule.shuffle import Generator
from virtometer.model import Design

_STARTS = 8
_PASSES = 30
_BETTER = 1 + 1e-7  # a gain below it is rounding, and would depend on the machine
_RIDGE = 1e-6  # makes a determinant of cells that do not yet estimate all terms
_TRIES = 200
_LOOKED_AT = 1_024  # combinations, drawn from more: an exchange tries each of them many times


def usual_runs(numbers: int) -> int:
    """Combinations for a model of so many numbers where the plan does not say: a quarter more, two at least."""
    return numbers + max(2, math.ceil(numbers / 4))


def allowed(space: Space, seed: int) -> list[Cell]:
    """The combinations that no constraint excludes, or a random part of many; the reference is among them."""
    found = list(space.cells())
    if len(found) <= _LOOKED_AT:
        return found
    others = [cell for cell in Generator(seed).shuffled(found) if cell != space.references]
    return [space.references, *others[: _LOOKED_AT - 1]]


def optimal(
    space: Space,
    candidates: Sequence[Cell],
    terms: Sequence[Term],
    runs: int,
    seed: int,
    potential: Sequence[Term] = (),
) -> list[Cell] | None:
    """`runs` of the candidates, the reference among them; None where no such part estimates all terms."""
    if runs > len(candidates):
        return None
    width = 1 + space.freedom(terms)
    matrix = model_matrix(space, candidates, [*terms, *potential])
    known = np.full(matrix.shape[1], _RIDGE)
    known[width:] = 1.0
    kept = [at for at, cell in enumerate(candidates) if cell == space.references]
    generator = Generator(seed)
    best: tuple[float, list[int]] | None = None
    for _ in range(_STARTS):
        others = [at for at in generator.shuffled(range(len(candidates))) if at not in kept]
        found = _exchanged(matrix, kept, others[: runs - len(kept)], known)
        prior = np.diag(known * (known > _RIDGE))
        value = float(np.linalg.slogdet(matrix[found].T @ matrix[found] + prior)[1])
        if np.linalg.matrix_rank(matrix[found][:, :width]) < width:
            continue
        if best is None or value > best[0] + np.log(_BETTER):
            best = value, found
    if best is None:
        return None
    return list(ordered((candidates[at] for at in best[1]), space.references))


def _exchanged(matrix: Matrix, kept: Sequence[int], start: Sequence[int], known: Matrix) -> list[int]:
    """Rows of the matrix: the kept ones, and others exchanged from `start` until no exchange helps.

    known: of each column, how many trials have told of it before.
    """
    chosen = [*kept, *start]
    for _ in range(_PASSES):
        better = False
        for place in range(len(kept), len(chosen)):
            rest = matrix[[at for number, at in enumerate(chosen) if number != place]]
            information = rest.T @ rest + np.diag(known)
            # det(M + x x') = det(M) (1 + x' M^-1 x)
            gain = 1 + np.einsum("ij,ji->i", matrix, np.linalg.solve(information, matrix.T))
            gain[[at for at in chosen if at != chosen[place]]] = 0.0
            # The first of the candidates that are equally good but for rounding.
            new = int(np.flatnonzero(gain * _BETTER >= gain.max())[0])
            if gain[new] > gain[chosen[place]] * _BETTER:
                chosen[place], better = new, True
        if not better:
            break
    return chosen


def random_part(
    space: Space, candidates: Sequence[Cell], terms: Sequence[Term], runs: int, seed: int
) -> list[Cell] | None:
    """`runs` of the candidates at random, the reference among them; None where none of many estimates all terms."""
    if runs > len(candidates):
        return None
    generator = Generator(seed)
    kept = [one for one in candidates if one == space.references]
    others = [one for one in candidates if one != space.references]
    for _ in range(_TRIES):
        found = ordered([*kept, *generator.shuffled(others)[: runs - len(kept)]], space.references)
        if estimates(space, found, terms):
            return list(found)
    return None


class _Part(OneStage):
    """So many of the cells that constraints allow."""

    takes = frozenset({"runs"})

    def __init__(self, make: Callable[[Space, Sequence[Cell], Sequence[Term], int, int], list[Cell] | None]) -> None:
        """make: takes so many of the candidates by a seed; None where no such part was found."""
        self._make = make

    def usual_terms(self, space: Space, design: Design) -> Sequence[Term]:
        """Main effects, and all interactions that the allowed cells can estimate, if so many runs hold both."""
        mains, everything = space.mains(), [*space.mains(), *space.pairs()]
        runs = MAX_CELLS if design.runs is None else design.runs
        if space.size > MAX_CANDIDATES or space.freedom(everything) + 1 > runs:
            return mains
        return estimable(space, allowed(space, 1), mains, space.pairs())

    def cells(self, space: Space, design: Design, terms: Sequence[Term]) -> Sequence[Cell]:
        """So many of the combinations that are allowed. Raises DesignError."""
        if space.size > MAX_CANDIDATES:
            raise DesignError(
                f"the factors have {space.size} combinations, and {MAX_CANDIDATES} at most can be chosen from", "type"
            )
        candidates = allowed(space, design.seed)
        needed = space.freedom(terms) + 1
        runs = design.runs if design.runs is not None else min(usual_runs(needed), len(candidates), MAX_CELLS)
        if runs > len(candidates):
            raise DesignError(f"'runs' is {runs}, and only {len(candidates)} combinations are possible", "runs")
        if runs < needed:
            raise DesignError(f"{runs} combinations cannot estimate {needed} numbers: the mean and the terms", "runs")
        found = self._make(space, candidates, terms, runs, design.seed)
        if found is None:
            found = candidates if len(candidates) <= runs else None
        if found is None or not estimates(space, found, terms):
            if not estimates(space, candidates, terms):
                raise DesignError(cannot_estimate(space, candidates, terms), "terms" if design.terms else "")
            raise DesignError(
                f"no {runs} combinations were found that estimate the terms; ask for more with 'runs'",
                "runs" if design.runs is not None else "",
            )
        return tuple(found)


class Optimal(_Part):
    """The cells that estimate the terms best."""

    name = "optimal"
    meaning = "combinations that estimate the terms best"

    def __init__(self) -> None:
        """By `optimal`."""
        super().__init__(optimal)


class Random(_Part):
    """Random cells, for factors whose constraints exclude much."""

    name = "random"
    meaning = "a random part"

    def __init__(self) -> None:
        """By `random_part`."""
        super().__init__(random_part)
