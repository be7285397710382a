"""A sequential design: all factors in few cells first, then those that can matter with all interactions and levels.

PURE. The first stage has few levels of each factor: all where they are names, the ends and the reference where they are
numbers. It is a regular fraction, or definitive screening of three levels each; where levels or constraints allow
neither, it is D-optimal for main effects in twice as many cells as these take, with interactions as potential terms, so
that they are mixed up with main effects as little as possible. The second stage has the factors that
are kept, with all their levels and interactions; all others stay at their references.

Source: Box, Wilson: On the experimental attainment of optimum conditions, Journal of the Royal Statistical Society B 13
(1951); Wu and Hamada: Experiments, 3rd edition 2021, chapters 5 and 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from virtometer.design.factorial.choice import (
    MAX_CELLS,
    Chosen,
    DesignError,
    DesignType,
    OneStage,
    refuse_without_reference,
    verify,
)
from virtometer.design.factorial.full import Full
from virtometer.design.factorial.optimal import Optimal, allowed, optimal, usual_runs
from virtometer.design.factorial.regular import Fraction
from virtometer.design.factorial.screening import Screening
from virtometer.design.factorial.space import Cell, Exclusion, Space, Term
from virtometer.model import Design

USUAL_CELLS = 32
"""Of the second stage, at most, where the plan does not say."""

_SMALL = 16  # cells up to which all combinations are measured
_Tried = tuple[OneStage, Design]


class Sequential(DesignType):
    """The first stage of a sequential design; the second follows from what it finds."""

    name = "sequential"
    meaning = "all factors in few combinations first, then those that can matter with all interactions and levels"

    def choose(self, space: Space, design: Design, numbers: Sequence[Sequence[float] | None]) -> Chosen:
        """The design of the first stage, as `first_stage` makes it."""
        return first_stage(space, numbers, design)


@dataclass(frozen=True, slots=True)
class Part:
    """Some factors of a space, with some of their levels, the others at their references.

    factors: their positions in the whole; levels: of each the positions of its levels there.
    """

    space: Space
    factors: tuple[int, ...]
    levels: tuple[tuple[int, ...], ...]
    references: Cell

    def whole(self, cell: Cell) -> Cell:
        """A cell of the part as one of the whole."""
        found = list(self.references)
        for factor, levels, at in zip(self.factors, self.levels, cell, strict=True):
            found[factor] = levels[at]
        return tuple(found)

    def whole_term(self, term: Term) -> Term:
        """A term of the part as one of the whole."""
        return tuple(self.factors[factor] for factor in term)


def part_of(space: Space, levels: Mapping[int, Sequence[int]], excluded: Iterable[Cell] = ()) -> Part:
    """The part with these levels, by the position of the factor. excluded: cells of the whole that it must not have."""
    factors = tuple(sorted(levels))
    chosen = tuple(tuple(sorted({*levels[factor], space.references[factor]})) for factor in factors)
    at = {factor: place for place, factor in enumerate(factors)}
    found = [one for of in space.exclusions if (one := _narrowed(of, space.references, at, chosen)) is not None]
    for cell in excluded:
        named = Exclusion({factor: frozenset({level}) for factor, level in enumerate(cell)}, {})
        one = _narrowed(named, space.references, at, chosen)
        found += [] if one is None else [one]
    return Part(
        Space(
            tuple(space.names[factor] for factor in factors),
            tuple(
                tuple(space.levels[factor][level] for level in some)
                for factor, some in zip(factors, chosen, strict=True)
            ),
            tuple(some.index(space.references[factor]) for factor, some in zip(factors, chosen, strict=True)),
            tuple(found),
        ),
        factors,
        chosen,
        space.references,
    )


def _narrowed(
    of: Exclusion, references: Cell, at: Mapping[int, int], chosen: Sequence[Sequence[int]]
) -> Exclusion | None:
    """An exclusion in a part; None where it excludes nothing there."""

    def within(given: Mapping[int, frozenset[int]]) -> tuple[dict[int, frozenset[int]], bool]:
        """What is asked of the factors of the part, and whether the others have what is asked of them."""
        found, holds = {}, True
        for factor, levels in given.items():
            if factor in at:
                places = chosen[at[factor]]
                found[at[factor]] = frozenset(place for place, level in enumerate(places) if level in levels)
            else:
                holds = holds and references[factor] in levels
        return found, holds

    levels, holds = within(of.levels)
    if not holds or not all(levels.values()):
        return None
    unless, allowed = within(of.unless)
    if of.unless and allowed and not unless:
        return None
    return Exclusion(levels, unless if allowed else {})


def first_levels(space: Space, numbers: Sequence[Sequence[float] | None]) -> dict[int, tuple[int, ...]]:
    """The levels of each factor in the first stage, as positions. numbers: of its levels, where they are numbers."""
    found = {}
    for factor, own in enumerate(numbers):
        every = range(space.sizes[factor])
        ends = every if own is None else (min(every, key=lambda at: own[at]), max(every, key=lambda at: own[at]))
        found[factor] = tuple(sorted({*ends, space.references[factor]}))
    return found


def first_stage(space: Space, numbers: Sequence[Sequence[float] | None], design: Design) -> Chosen:
    """The cells of the first stage, in positions of the whole, and the terms that it has to estimate.

    Raises DesignError where neither a regular design nor an optimal one is possible.
    """
    refuse_without_reference(space)
    part = part_of(space, first_levels(space, numbers))
    sizes = set(part.space.sizes)
    tried: list[_Tried] = []
    if sizes == {2}:
        tried.append((Fraction(), Design(resolution=design.resolution, terms=["main"])))
    elif design.resolution is not None:
        raise DesignError("'resolution' is for factors that have two levels in the first stage", "resolution")
    if sizes == {3} and all(own is not None for own in numbers) and len(numbers) > 2:
        tried.append((Screening(), Design()))
    made = _first_possible(part.space, tried)
    if made is None:
        made = _mains(part.space, design.seed)
    return Chosen(
        tuple(map(part.whole, made.cells)),
        tuple(map(part.whole_term, made.terms)),
        tuple(map(part.whole_term, made.left_out)),
    )


def _mains(space: Space, seed: int) -> Chosen:
    """An optimal design for main effects, whose interactions disturb them little. Raises DesignError."""
    terms = tuple(space.mains())
    numbers = 1 + space.freedom(terms)
    candidates = allowed(space, seed)
    runs = min(max(2 * numbers, usual_runs(numbers)), MAX_CELLS, len(candidates))
    cells = optimal(space, candidates, terms, runs, seed, space.pairs())
    if cells is None:  # says why
        return Optimal().choose(space, Design(terms=["main"], runs=runs, seed=seed))
    verify(space, cells)
    return Chosen(tuple(cells), terms, tuple(space.pairs()))


def _first_possible(space: Space, tried: Iterable[_Tried]) -> Chosen | None:
    for of_type, design in tried:
        try:
            return of_type.choose(space, design)
        except DesignError:
            continue
    return None


@dataclass(frozen=True, slots=True)
class Second:
    """The second stage: cells and terms as of the whole, and the levels of each factor that it varies."""

    chosen: Chosen
    part: Part


def second_stage(
    space: Space,
    numbers: Sequence[Sequence[float] | None],
    kept: Iterable[int],
    most: int,
    seed: int,
    excluded: Iterable[Cell] = (),
) -> Second | None:
    """All interactions of the kept factors in at most so many cells: with all levels, or those of the first stage.

    None where that takes more cells, or nothing is kept. excluded: cells that cannot be measured.
    """
    few, given = first_levels(space, numbers), sorted(kept)
    without = list(excluded)
    for levels in ({factor: range(space.sizes[factor]) for factor in given}, {factor: few[factor] for factor in given}):
        part = part_of(space, levels, without)
        if given and (made := _with_interactions(part.space, most, seed)) is not None:
            cells = tuple(map(part.whole, made.cells))
            terms = tuple(map(part.whole_term, made.terms))
            return Second(Chosen(cells, terms, tuple(map(part.whole_term, made.left_out))), part)
    return None


def _with_interactions(space: Space, most: int, seed: int) -> Chosen | None:
    """The smallest of the designs that have all interactions that the allowed cells can tell; None beyond `most`."""
    possible = sum(1 for _ in space.cells())
    numbers = 1 + space.freedom([*space.mains(), *space.pairs()])
    tried: list[_Tried] = []
    if possible <= min(_SMALL, most):
        tried.append((Full(), Design()))
    if set(space.sizes) == {2} and len(space.names) > 1:
        tried.append((Fraction(), Design(resolution=5)))
    if possible <= most:
        tried.append((Full(), Design()))
    if numbers <= most:
        tried.append((Optimal(), Design(runs=min(usual_runs(numbers), most, possible), seed=seed)))
    for one in tried:
        made = _first_possible(space, [one])
        if made is not None and len(made.cells) <= most:
            return made
    return None
