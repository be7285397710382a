"""Combinations, constraints, terms."""

from __future__ import annotations

from tests.design.factorial.spaces import never, space
from virtometer.design.factorial.space import Exclusion, listed, ordered


def test_all_combinations_in_the_order_of_the_plan() -> None:
    of = space(2, 3)
    assert list(of.cells()) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert (of.size, of.sizes, of.mains(), of.pairs()) == (6, (2, 3), [(0,), (1,)], [(0, 1)])
    assert of.freedom([(0,), (1,), (0, 1)]) == 5
    assert (of.term_name((0, 1)), of.cell_name((1, 2))) == ("A:B", "A=1, B=2")


def test_never_excludes_where_all_its_levels_meet() -> None:
    of = space(2, 2, 2, without=[never(A=1, C=0)])
    assert [cell for cell in space(2, 2, 2).cells() if not of.allows(cell)] == [(1, 0, 0), (1, 1, 0)]


def test_only_excludes_all_other_levels() -> None:
    # Only B=2 where A=1.
    of = space(2, 3, without=[Exclusion({0: frozenset({1})}, {1: frozenset({2})})])
    assert list(of.cells()) == [(0, 0), (0, 1), (0, 2), (1, 2)]


def test_the_reference_is_the_first_and_no_cell_comes_twice() -> None:
    assert ordered([(1, 1), (0, 1), (1, 1), (1, 0)], (1, 0)) == ((1, 0), (0, 1), (1, 1))
    assert ordered([(1, 1), (0, 1)], (1, 0)) == ((0, 1), (1, 1))


def test_words_of_a_list() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
