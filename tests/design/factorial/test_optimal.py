"""Exchange and random parts."""

from __future__ import annotations

import itertools

import pytest

from tests.design.factorial.spaces import never, space
from virtometer.design.factorial.matrix import d_efficiency, estimates, is_orthogonal
from virtometer.design.factorial.optimal import optimal, random_part


def test_the_best_of_all_small_designs_is_found() -> None:
    """All 8 of 12 cells with the reference, by brute force."""
    of = space(2, 3, 2)
    candidates = list(of.cells())
    found = optimal(of, candidates, of.mains(), 7, seed=1)
    assert found is not None
    best = max(
        d_efficiency(of, [of.references, *some], of.mains()) for some in itertools.combinations(candidates[1:], 6)
    )
    assert d_efficiency(of, found, of.mains()) == pytest.approx(best)


def test_where_an_orthogonal_fraction_exists_it_is_found() -> None:
    of = space(2, 2, 2, 2)
    found = optimal(of, list(of.cells()), of.mains(), 8, seed=3)
    assert found is not None
    assert is_orthogonal(of, found, of.mains())


def test_a_seed_gives_the_same_design_for_ever() -> None:
    of = space(3, 2, 2, 2, without=[never(A=1, C=1)])
    candidates = list(of.cells())
    terms = [*of.mains(), (0, 1)]
    first = optimal(of, candidates, terms, 11, seed=7)
    assert first == optimal(of, candidates, terms, 11, seed=7)
    assert first is not None and first[0] == of.references
    assert len(set(first)) == 11
    assert all(of.allows(cell) for cell in first)
    assert estimates(of, first, terms)
    drawn = random_part(of, candidates, terms, 11, seed=7)
    assert drawn == random_part(of, candidates, terms, 11, seed=7)
    assert drawn is not None and drawn[0] == of.references and len(set(drawn)) == 11
    assert estimates(of, drawn, terms)


def test_random_parts_of_several_seeds_differ() -> None:
    of = space(2, 2, 2, 2, 2)
    parts = [random_part(of, list(of.cells()), of.mains(), 10, seed=seed) for seed in range(5)]
    assert len({tuple(part or ()) for part in parts}) == 5


def test_what_cannot_be_estimated_is_not_made_up() -> None:
    of = space(2, 2, without=[never(A=1, B=1)])
    candidates = list(of.cells())
    everything = [*of.mains(), *of.pairs()]
    assert optimal(of, candidates, everything, 3, seed=1) is None
    assert random_part(of, candidates, everything, 3, seed=1) is None
    assert optimal(of, candidates, of.mains(), 4, seed=1) is None
    assert random_part(of, candidates, of.mains(), 4, seed=1) is None
