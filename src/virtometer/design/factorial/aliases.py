"""Which effects cannot be told from each other in a design, and its resolution, from the cells alone. PURE.

The model that is fitted has the mean and the terms X1. Where an interaction X2 that it lacks is real, the estimates of
the terms are off by A times it, A = (X1'X1)^-1 X1'X2, the alias matrix. Resolution: the fewest factors of two levels
whose product is the same in every cell. Source: Box, Wilson: On the experimental attainment of optimum conditions,
Journal of the Royal Statistical Society B 13 (1951); Box, Hunter: The 2^(k-p) fractional factorial designs,
Technometrics 3 (1961).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from virtometer.design.factorial.matrix import columns, model_matrix
from virtometer.design.factorial.space import Cell, Space, Term, listed

_WHOLE, _SOME = 0.999, 0.02


@dataclass(frozen=True, slots=True)
class Aliases:
    """What is mixed up with a term. whole: interactions that it cannot be told from; part: with their largest share."""

    term: Term
    whole: tuple[Term, ...]
    part: tuple[tuple[Term, float], ...]


def aliases(space: Space, cells: Sequence[Cell], terms: Sequence[Term]) -> list[Aliases]:
    """Of each term, which interactions of two factors that are no terms are mixed up with it."""
    inverse = np.linalg.pinv(model_matrix(space, cells, terms))
    shares: dict[Term, list[tuple[Term, float]]] = {term: [] for term in terms}
    for other in space.pairs():
        if other in terms:
            continue
        matrix = np.abs(inverse @ columns(space, cells, other))
        at = 1
        for term in terms:
            width = space.freedom([term])
            share = float(matrix[at : at + width].max(initial=0.0))
            if share > _SOME:
                shares[term].append((other, share))
            at += width
    return [
        Aliases(
            term,
            tuple(other for other, share in found if share > _WHOLE),
            tuple((other, share) for other, share in found if share <= _WHOLE),
        )
        for term, found in shares.items()
    ]


def chains(space: Space, cells: Sequence[Cell], terms: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Interactions of two factors, none of them a term, that cannot be told from each other, in groups."""
    left = [pair for pair in space.pairs() if pair not in terms]
    groups: list[list[Term]] = []
    bases: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    for pair in left:
        own = columns(space, cells, pair)
        own = own - own.mean(axis=0)
        basis, values, _ = np.linalg.svd(own, full_matrices=False)
        basis = basis[:, values > 1e-9 * len(cells)]
        if not basis.shape[1]:
            continue
        for group, other in zip(groups, bases, strict=True):
            overlap = np.linalg.svd(basis.T @ other, compute_uv=False)
            if basis.shape[1] == other.shape[1] and overlap.min(initial=1.0) > _WHOLE:
                group.append(pair)
                break
        else:
            groups.append([pair])
            bases.append(basis)
    return [tuple(group) for group in groups if len(group) > 1]


def resolution(space: Space, cells: Sequence[Cell], most: int = 5) -> int | None:
    """The fewest factors, `most` at most, whose product is constant; None where there are none, or not two levels."""
    if any(size != 2 for size in space.sizes):
        return None
    masks = [sum(cell[factor] << run for run, cell in enumerate(cells)) for factor in range(len(space.names))]
    for count in range(1, min(most, len(masks)) + 1):
        for some in itertools.combinations(masks, count):
            product = 0
            for mask in some:
                product ^= mask
            if product in (0, (1 << len(cells)) - 1):
                return count
    return None


def sentences(space: Space, found: Sequence[Aliases]) -> list[str]:
    """The aliases in words, a line for each term that has any."""
    lines = []
    for one in found:
        name = space.term_name(one.term)
        if one.whole:
            lines.append(f"the effect of {name} cannot be told from {listed(list(map(space.term_name, one.whole)))}")
        if one.part:
            worst = max(share for _, share in one.part)
            others = listed([space.term_name(other) for other, _ in one.part])
            lines.append(f"the effect of {name} is mixed with up to {100 * worst:.0f} % of {others}")
    return lines
