"""Columns of terms: what they mean, and what they leave out where combinations never ran."""

from __future__ import annotations

import itertools

import numpy as np

from tests.analysis.effects.known_effects import full, variables
from virtometer.analysis.effects.coding import coded, main_contrast, name_of, pair_contrast
from virtometer.analysis.effects.table import Variable


def test_a_main_effect_is_an_average_and_an_interaction_a_difference_of_differences() -> None:
    level = full([2, 3])
    terms = coded(variables([2, 3]), level)
    x = np.concatenate([one.columns(level) for one in terms], axis=1)
    assert x.shape == (6, 5) and np.linalg.matrix_rank(np.column_stack([np.ones(6), x])) == 6
    y = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])  # a=0: 1 2 4, a=1: 8 16 32
    found = np.linalg.lstsq(np.column_stack([np.ones(6), x]), y, rcond=None)[0][1:]
    assert np.isclose(main_contrast(terms[0], 1, 0) @ found[:1], (8 + 16 + 32 - 1 - 2 - 4) / 3)
    assert np.isclose(main_contrast(terms[1], 2, 0) @ found[1:3], ((4 - 1) + (32 - 8)) / 2)
    weights = pair_contrast(terms[2], (1, 2), (0, 0))
    assert weights is not None and np.isclose(weights @ found[3:], (32 - 8) - (4 - 1))


def test_a_combination_that_never_ran_takes_its_part_of_the_interaction_with_it() -> None:
    level = np.array([pair for pair in itertools.product(range(2), range(2)) if pair != (1, 1)])
    main_a, main_b, pair = coded(variables([2, 2]), level)
    assert (main_a.width, main_b.width, pair.width) == (1, 1, 0)
    assert pair.absent == ((1, 1),) and pair_contrast(pair, (1, 1), (0, 0)) is None
    level = np.array([cell for cell in itertools.product(range(3), range(3)) if cell != (2, 2)])
    pair = coded(variables([3, 3]), level)[2]
    assert pair.width == 3, "one of four"
    assert pair_contrast(pair, (2, 2), (0, 0)) is None and pair_contrast(pair, (1, 1), (0, 0)) is not None


def test_a_level_that_never_ran_has_no_column() -> None:
    level = np.array([[0, 0], [0, 1]])
    main_a, main_b, pair = coded(variables([2, 2]), level)
    assert (main_a.width, main_b.width, pair.width) == (0, 1, 0)
    assert main_a.columns(level).shape == (2, 0)


def test_interactions_of_numbers_are_linear_where_there_are_few_cells() -> None:
    ordered = [Variable(name, ("1", "2", "4"), (0, 1, 2)) for name in "abc"]
    few = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2], [0, 2, 1], [2, 0, 1], [1, 0, 2], [1, 2, 0]])
    assert [one.width for one in coded(ordered, few)] == [2, 2, 2, 1, 1, 1]
    assert [one.width for one in coded(ordered, full([3, 3, 3]))] == [2, 2, 2, 4, 4, 4]


def test_terms_have_the_names_of_their_factors() -> None:
    of = [Variable("bus", ("a",)), Variable("cache", ("b",))]
    assert (name_of((0,), of), name_of((0, 1), of)) == ("bus", "bus:cache")
