"""Both stages of a sequential design, checked from their cells alone."""

from __future__ import annotations

import itertools

import pytest

from tests.design.factorial.spaces import space
from virtometer.design.factorial.aliases import aliases, resolution
from virtometer.design.factorial.choice import DesignError
from virtometer.design.factorial.matrix import estimates
from virtometer.design.factorial.sequential import first_levels, first_stage, part_of, second_stage
from virtometer.design.factorial.space import Exclusion
from virtometer.model import Design

SEQUENTIAL = Design(type="sequential")


def test_eight_factors_of_two_levels_begin_in_sixteen_cells_that_keep_main_effects_clean() -> None:
    of = space(*[2] * 8)
    made = first_stage(of, [None] * 8, SEQUENTIAL)
    assert len(made.cells) == 16
    assert made.cells[0] == of.references
    assert resolution(of, made.cells) == 4
    assert made.terms == tuple(of.mains())


def test_a_resolution_is_of_the_first_stage() -> None:
    of = space(*[2] * 8)
    made = first_stage(of, [None] * 8, Design(type="sequential", resolution=3))
    assert len(made.cells) == 16 or resolution(of, made.cells) == 3
    with pytest.raises(DesignError, match="'resolution' is for factors that have two levels"):
        first_stage(space(2, 3), [None] * 2, Design(type="sequential", resolution=4))


def test_numbers_begin_with_their_ends_and_the_reference_and_names_with_all() -> None:
    of = space(5, 5, 3, 2, references=(0, 2, 0, 1))
    numbers = [(1.0, 2.0, 4.0, 8.0, 16.0), (1.0, 2.0, 4.0, 8.0, 16.0), None, None]
    assert first_levels(of, numbers) == {0: (0, 4), 1: (0, 2, 4), 2: (0, 1, 2), 3: (0, 1)}
    assert first_levels(space(3), [(8.0, 1.0, 4.0)]) == {0: (0, 1)}


def test_three_numeric_levels_each_begin_with_definitive_screening() -> None:
    of = space(*[5] * 6, references=(2,) * 6)
    made = first_stage(of, [(1.0, 2.0, 3.0, 4.0, 5.0)] * 6, SEQUENTIAL)
    assert len(made.cells) == 13
    assert made.cells[0] == of.references
    assert {cell[0] for cell in made.cells} == {0, 2, 4}


def test_what_is_irregular_begins_with_twice_as_many_cells_as_main_effects_take() -> None:
    of = space(3, 2, 2, 2, without=[Exclusion({0: frozenset({1}), 1: frozenset({1})}, {})])
    made = first_stage(of, [None] * 4, SEQUENTIAL)
    assert len(made.cells) == 12
    assert all(map(of.allows, made.cells))
    assert estimates(of, made.cells, of.mains())
    worst = max(share for one in aliases(of, made.cells, of.mains()) for _, share in one.part)
    assert not any(one.whole for one in aliases(of, made.cells, of.mains()))
    assert worst < 0.9


def test_a_reference_that_is_excluded_is_refused() -> None:
    of = space(2, 2, without=[Exclusion({0: frozenset({0})}, {})])
    with pytest.raises(DesignError, match="exclude the reference"):
        first_stage(of, [None] * 2, SEQUENTIAL)


@pytest.mark.parametrize(("kept", "cells"), [([0], 2), ([0, 1], 4), ([1, 2, 4], 8), (range(5), 16), (range(6), 32)])
def test_the_second_stage_has_all_interactions_and_leaves_the_others_at_their_references(
    kept: list[int], cells: int
) -> None:
    of = space(*[2] * 8, references=(0, 1, 0, 0, 0, 0, 0, 1))
    found = second_stage(of, [None] * 8, kept, 32, 1)
    assert found is not None
    assert len(found.chosen.cells) == cells
    assert found.chosen.cells[0] == of.references
    terms = [*((one,) for one in kept), *itertools.combinations(kept, 2)]
    assert sorted(found.chosen.terms) == sorted(terms)
    assert not found.chosen.left_out
    others = set(range(8)) - set(kept)
    assert all(cell[factor] == of.references[factor] for cell in found.chosen.cells for factor in others)


def test_all_levels_come_back_as_far_as_there_is_room() -> None:
    numbers = [(1.0, 2.0, 4.0, 8.0, 16.0)] * 4
    of = space(*[5] * 4)
    one = second_stage(of, numbers, [0, 1], 32, 1)
    assert one is not None
    assert len(one.chosen.cells) == 25
    assert one.part.levels == (tuple(range(5)), tuple(range(5)))
    more = second_stage(of, numbers, [0, 1, 2], 32, 1)
    assert more is not None
    assert more.part.levels == ((0, 4),) * 3, "with all levels the interactions take 61 numbers"


def test_more_than_there_is_room_for_is_no_design() -> None:
    of = space(*[2] * 10)
    assert second_stage(of, [None] * 10, range(10), 32, 1) is None
    assert second_stage(of, [None] * 10, [], 32, 1) is None
    seven = second_stage(of, [None] * 10, range(7), 32, 1)
    assert seven is not None
    assert len(seven.chosen.cells) == 32


def test_cells_that_cannot_be_measured_are_left_out_and_constraints_stay() -> None:
    excluded = Exclusion({0: frozenset({1}), 2: frozenset({1})}, {})
    of = space(3, 2, 2, without=[excluded])
    found = second_stage(of, [None] * 3, [0, 1], 32, 1, excluded=[(2, 1, 0)])
    assert found is not None
    assert sorted(found.chosen.cells) == [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (2, 0, 0)]
    both = second_stage(of, [None] * 3, [0, 2], 32, 1)
    assert both is not None
    assert (1, 0, 1) not in both.chosen.cells
    assert len(both.chosen.cells) == 5


@pytest.mark.parametrize("unless", [{}, {1: frozenset({1})}, {2: frozenset({0})}, {2: frozenset({1})}])
@pytest.mark.parametrize("levels", [{0: frozenset({1})}, {0: frozenset({1}), 2: frozenset({1})}, {2: frozenset({0})}])
def test_a_part_allows_what_the_whole_allows(
    levels: dict[int, frozenset[int]], unless: dict[int, frozenset[int]]
) -> None:
    of = space(3, 2, 2, without=[Exclusion(levels, unless)])
    part = part_of(of, {0: (0, 2, 1), 1: (1,)})
    assert part.factors == (0, 1)
    assert part.levels == ((0, 1, 2), (0, 1))
    for cell in itertools.product(range(3), range(2)):
        assert part.space.allows(cell) == of.allows(part.whole(cell)), cell
    assert part_of(of, {1: (0, 1), 2: (0, 1)}).whole_term((0, 1)) == (1, 2)
