"""The combinations that factors have, and terms of a model in them. PURE.

A cell is a combination as positions of levels, one for each factor, in the order of the plan. A term is the positions
of its factors: one for a main effect, two for an interaction.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Cell: TypeAlias = tuple[int, ...]
Term: TypeAlias = tuple[int, ...]

MAX_CANDIDATES = 1 << 16
"""Combinations that are looked at one by one."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Cells that are not measured: those with one of `levels` for each factor in there.

    `unless`: not those that have one of these levels for each factor in here.
    """

    levels: Mapping[int, frozenset[int]]
    unless: Mapping[int, frozenset[int]]

    def excludes(self, cell: Cell) -> bool:
        """Whether the cell is one of them."""
        if any(cell[factor] not in allowed for factor, allowed in self.levels.items()):
            return False
        return not self.unless or any(cell[factor] not in allowed for factor, allowed in self.unless.items())


@dataclass(frozen=True, slots=True)
class Space:
    """Factors with the names of their levels, the positions of the references, and what is excluded."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    references: Cell
    exclusions: tuple[Exclusion, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each factor has."""
        return tuple(map(len, self.levels))

    @property
    def size(self) -> int:
        """All combinations, the excluded ones included."""
        return math.prod(self.sizes)

    def allows(self, cell: Cell) -> bool:
        """Whether no constraint excludes the cell."""
        return not any(one.excludes(cell) for one in self.exclusions)

    def cells(self) -> Iterator[Cell]:
        """All combinations that are allowed, in the order of the plan, with the last factor changing first."""
        return filter(self.allows, itertools.product(*map(range, self.sizes)))

    def pairs(self) -> list[Term]:
        """All interactions of two factors."""
        return list(itertools.combinations(range(len(self.names)), 2))

    def mains(self) -> list[Term]:
        """All main effects."""
        return [(factor,) for factor in range(len(self.names))]

    def freedom(self, terms: Iterable[Term]) -> int:
        """How many numbers describe the terms, without the mean."""
        return sum(math.prod(self.sizes[factor] - 1 for factor in term) for term in terms)

    def term_name(self, term: Term) -> str:
        """A term as a plan writes it: bus, or bus:cache."""
        return ":".join(self.names[factor] for factor in term)

    def cell_name(self, cell: Cell) -> str:
        """A cell in words: bus=ide, cache=none."""
        return ", ".join(f"{name}={some[at]}" for name, some, at in zip(self.names, self.levels, cell, strict=True))


def ordered(cells: Iterable[Cell], first: Cell) -> tuple[Cell, ...]:
    """The cells in the order of the plan, each once, the reference before all others."""
    found = sorted(set(cells))
    return (first, *(one for one in found if one != first)) if first in found else tuple(found)


def listed(words: Sequence[str], most: int = 6) -> str:
    """Words as a list of a sentence: a, b and c."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""
