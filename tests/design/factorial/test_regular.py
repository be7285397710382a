"""Regular fractions against those of the literature, and their resolution counted from the cells."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.design.factorial.spaces import space, terms
from virtometer.design.factorial.aliases import aliases, chains, resolution
from virtometer.design.factorial.matrix import estimates, is_orthogonal
from virtometer.design.factorial.regular import fraction, word_lengths
from virtometer.design.factorial.space import Cell


def words(cells: list[Cell]) -> list[set[int]]:
    """The defining relation, from the cells: sets of factors whose levels sum to an even number in all cells."""
    factors = range(len(cells[0]))
    sets = (set(some) for count in factors for some in itertools.combinations(factors, count + 1))
    return [some for some in sets if all(sum(cell[at] for at in some) % 2 == 0 for cell in cells)]


# Box, Hunter, Hunter: Statistics for experimenters, table 6.22 of the 2nd edition: runs, factors, resolution, and the
# word length pattern of minimum aberration from Wu and Hamada, tables 5A.
KNOWN = [
    (3, 2, 3, {3: 1}),
    (4, 3, 4, {4: 1}),
    (5, 3, 3, {3: 2, 4: 1}),
    (6, 3, 3, {3: 4, 4: 3}),
    (7, 3, 3, {3: 7, 4: 7, 7: 1}),
    (5, 4, 5, {5: 1}),
    (6, 4, 4, {4: 3}),
    (7, 4, 4, {4: 7}),
    (8, 4, 4, {4: 14, 8: 1}),
    (9, 4, 3, {3: 4, 4: 14, 5: 8, 7: 4, 8: 1}),
    (6, 5, 6, {6: 1}),
    (7, 5, 4, {4: 1, 5: 2}),
    (8, 5, 4, {4: 3, 5: 4}),
    (9, 5, 4, {4: 6, 5: 8, 8: 1}),
    (7, 6, 7, {7: 1}),
    (8, 6, 5, {5: 2, 6: 1}),
]


@pytest.mark.parametrize(("factors", "basic", "order", "pattern"), KNOWN)
def test_the_fractions_of_the_literature(factors: int, basic: int, order: int, pattern: dict[int, int]) -> None:
    cells = fraction(factors, basic, order)
    assert cells is not None
    assert len(set(cells)) == 1 << basic
    assert cells[0] == (0,) * factors
    lengths = [len(word) for word in words(cells)]
    assert {length: lengths.count(length) for length in set(lengths)} == pattern
    of = space(*[2] * factors)
    assert is_orthogonal(of, cells, of.mains())
    assert (resolution(of, cells, most=8) or 0) == min(pattern)


def test_a_quarter_of_five_factors_has_the_aliases_of_the_books() -> None:
    """2^(5-2) of resolution III: two words of three letters that share one, whose factor has two aliases."""
    of = space(2, 2, 2, 2, 2)
    cells = fraction(5, 3, 3)
    assert cells is not None
    found = {one.term: one.whole for one in aliases(of, cells, of.mains())}
    assert sorted(len(some) for some in found.values()) == [1, 1, 1, 1, 2]
    for word in words(cells):
        if len(word) == 3:
            for main in word:
                assert tuple(sorted(word - {main})) in found[main,]
    assert not any(one.part for one in aliases(of, cells, of.mains()))


def test_a_sixteenth_of_eight_factors_has_seven_chains_of_four_interactions() -> None:
    """2^(8-4) of resolution IV: main effects are clear, 28 interactions in 7 groups of 4."""
    of = space(*[2] * 8)
    cells = fraction(8, 4, 4)
    assert cells is not None
    assert not any(one.whole or one.part for one in aliases(of, cells, of.mains()))
    groups = chains(of, cells, of.mains())
    assert [len(group) for group in groups] == [4] * 7
    for group in groups:
        assert all(set(one) ^ set(other) in words(cells) for one, other in itertools.combinations(group, 2))


def test_asked_interactions_are_told_from_each_other() -> None:
    of = space(*[2] * 6)
    asked = terms(of, "A", "B", "C", "D", "E", "F", "AB", "CD", "EF", "AC")
    cells = fraction(6, 4, 4, asked)
    assert cells is not None
    assert estimates(of, cells, asked)


def test_what_there_is_not_is_not_found() -> None:
    assert fraction(6, 4, 5) is None
    assert fraction(12, 6, 5) is None
    assert fraction(8, 2, 3) is None


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.integers(0, 6), st.integers(3, 5))
def test_every_fraction_has_the_resolution_that_was_asked_for(basic: int, more: int, order: int) -> None:
    cells = fraction(basic + more, basic, order)
    if cells is None:
        return
    found = resolution(space(*[2] * (basic + more)), cells)
    assert found is None or found >= order
    assert word_lengths((), basic) == (0,) * basic
