"""Factors for tests: A, B, C ... with so many levels each."""

from __future__ import annotations

from collections.abc import Iterable

from virtometer.design.factorial.space import Exclusion, Space, Term

NAMES = "ABCDEFGHJKLMNOPQ"


def space(*sizes: int, without: Iterable[Exclusion] = (), references: tuple[int, ...] | None = None) -> Space:
    """Levels are 0, 1, 2 ...; the first is the reference."""
    levels = tuple(tuple(map(str, range(size))) for size in sizes)
    return Space(tuple(NAMES[: len(sizes)]), levels, references or (0,) * len(sizes), tuple(without))


def never(**levels: int) -> Exclusion:
    """never(A=1, C=0)."""
    return Exclusion({NAMES.index(name): frozenset({level}) for name, level in levels.items()}, {})


def terms(of: Space, *words: str) -> list[Term]:
    """terms(space, "A", "AB")."""
    return [tuple(of.names.index(letter) for letter in word) for word in words]
