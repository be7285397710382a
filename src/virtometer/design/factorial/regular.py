"""Regular fractions of two-level factorials. PURE.

Of k factors r are basic: all 2^r combinations of them are measured. Each of the others has the level that is the sum
modulo 2 of some basic ones (its generator), with the reference as 0, so that the reference cell is always there. The
words of the defining relation are the sets of factors whose levels sum to 0 in every cell; the shortest has as many
letters as the resolution. Which generators are taken is found by search: of the resolution that is asked for, those
with the fewest short words (minimum aberration), among the first few thousand that there are.

Source: Box, Hunter: The 2^(k-p) fractional factorial designs, Technometrics 3 (1961); Fries, Hunter: Minimum
aberration 2^(k-p) designs, Technometrics 22 (1980). Nothing here is trusted: `aliases.resolution` counts the words
again from the cells alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from virtometer.design.factorial.aliases import resolution
from virtometer.design.factorial.choice import MAX_CELLS, DesignError, OneStage
from virtometer.design.factorial.space import Cell, Space, Term, ordered
from virtometer.model import Design

_WORDS = 1 << 18  # of the sets of generators that are compared, in all
_STEPS = 200_000  # of the search for them


class Fraction(OneStage):
    """A regular fraction of factors with two levels."""

    name = "fraction"
    meaning = "a regular part of those of two levels"
    takes = frozenset({"resolution"})

    def usual_terms(self, space: Space, design: Design) -> Sequence[Term]:
        """Main effects; of the resolution 5 interactions as well."""
        return [*space.mains(), *(space.pairs() if _wanted(design) == 5 else ())]

    def cells(self, space: Space, design: Design, terms: Sequence[Term]) -> Sequence[Cell]:
        """Those of the smallest fraction. Raises DesignError."""
        for name, levels in zip(space.names, space.levels, strict=True):
            if len(levels) != 2:
                raise DesignError(
                    f"a fraction has factors of two levels, and '{name}' has {len(levels)}; write 'type: optimal'",
                    "type",
                )
        factors, wanted = len(space.names), _wanted(design)
        least = max(1, math.ceil(math.log2(1 + max(factors, space.freedom(terms)))))
        for basic in range(min(least, factors), factors + 1):
            if 1 << basic > MAX_CELLS:
                break
            found = fraction(factors, basic, wanted, terms)
            if found is not None:
                # 0 is the reference: the fraction holds it whichever level that is.
                cells = ordered(
                    (tuple(one ^ first for one, first in zip(cell, space.references, strict=True)) for cell in found),
                    space.references,
                )
                counted = resolution(space, cells)
                if counted is not None and counted < wanted:
                    raise DesignError(f"the fraction has the resolution {counted} only", "resolution")
                return cells
        raise DesignError(
            f"no fraction of at most {MAX_CELLS} combinations of {factors} factors has the resolution {wanted} and "
            "estimates the terms; ask for less, or write 'type: optimal'",
            "resolution" if design.resolution is not None else "type",
        )


def _wanted(design: Design) -> int:
    """The resolution that a plan asks for; 4 where it names none."""
    return 4 if design.resolution is None else design.resolution


def fraction(factors: int, basic: int, resolution: int, terms: Sequence[Term] = ()) -> list[Cell] | None:
    """The cells of a 2^(factors - basic) fraction with that resolution at least, 0 as the reference.

    terms: to be told from each other and from the mean. None where no generators are found.
    """
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    for number, generators in enumerate(_generators(factors, basic, resolution)):
        if best is not None and number >= max(1, _WORDS >> (factors - basic)):
            break
        masks = [*(1 << at for at in range(basic)), *generators]
        if len({0, *(_sum(masks, term) for term in terms)}) <= len(terms):
            continue
        pattern = word_lengths(generators, basic)
        if best is None or pattern < best[0]:
            best = pattern, generators
    if best is None:
        return None
    masks = [*(1 << at for at in range(basic)), *best[1]]
    return [tuple((run & mask).bit_count() & 1 for mask in masks) for run in range(1 << basic)]


def word_lengths(generators: Sequence[int], basic: int) -> tuple[int, ...]:
    """How many words of the defining relation have 1, 2, ... letters (A1, A2, ...)."""
    found = [0] * (basic + len(generators))
    for chosen in range(1, 1 << len(generators)):
        mask, letters = 0, chosen.bit_count()
        for at, generator in enumerate(generators):
            if chosen >> at & 1:
                mask ^= generator
        found[letters + mask.bit_count() - 1] += 1
    return tuple(found)


def _sum(masks: Sequence[int], term: Term) -> int:
    mask = 0
    for factor in term:
        mask ^= masks[factor]
    return mask


def _generators(factors: int, basic: int, resolution: int) -> Iterator[tuple[int, ...]]:
    """Sets of generators without a word shorter than the resolution, those with many letters first."""
    choices = sorted(range(1, 1 << basic), key=lambda mask: (-mask.bit_count(), mask))
    steps = 0

    def grown(chosen: tuple[int, ...], sums: tuple[tuple[int, int], ...], start: int) -> Iterator[tuple[int, ...]]:
        """`sums`: of each set of the chosen, the empty one included, its sum and how many it has."""
        nonlocal steps
        if len(chosen) == factors - basic:
            yield chosen
            return
        for at in range(start, len(choices)):
            steps += 1
            if steps > _STEPS:
                return
            new = tuple((mask ^ choices[at], count + 1) for mask, count in sums)
            if all(mask.bit_count() + count >= resolution for mask, count in new):
                yield from grown((*chosen, choices[at]), (*sums, *new), at + 1)

    return grown((), ((0, 0),), 0)
