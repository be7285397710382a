"""Columns of the model, rank and D-efficiency."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.design.factorial.spaces import space
from virtometer.design.factorial.matrix import (
    columns,
    contrasts,
    d_efficiency,
    estimable,
    estimates,
    is_orthogonal,
    model_matrix,
)


@pytest.mark.parametrize("levels", [2, 3, 4, 7])
def test_contrasts_are_orthogonal_to_the_mean_and_each_other(levels: int) -> None:
    found = contrasts(levels)
    assert found.shape == (levels, levels - 1)
    assert np.allclose(found.sum(axis=0), 0)
    assert np.allclose(found.T @ found, levels * np.eye(levels - 1))


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_the_full_factorial_is_orthogonal_for_all_terms(sizes: list[int]) -> None:
    of = space(*sizes)
    cells, terms = list(of.cells()), [*of.mains(), *of.pairs()]
    assert is_orthogonal(of, cells, terms)
    assert d_efficiency(of, cells, terms) == pytest.approx(1.0)
    assert model_matrix(of, cells, terms).shape == (of.size, 1 + of.freedom(terms))
    assert estimates(of, cells, terms)


def test_columns_of_an_interaction_are_the_products() -> None:
    of = space(2, 3)
    cells = list(of.cells())
    first, second = columns(of, cells, (0,)), columns(of, cells, (1,))
    assert np.allclose(columns(of, cells, (0, 1)), first * second)


def test_too_few_cells_estimate_nothing() -> None:
    of = space(2, 2)
    cells = [(0, 0), (1, 1)]
    assert not estimates(of, cells, of.mains())
    assert d_efficiency(of, cells, of.mains()) == 0.0
    assert estimable(of, cells, [(0,)], [(1,), (0, 1)]) == [(0,)]


def test_a_missing_corner_costs_the_interaction_and_no_more() -> None:
    of = space(2, 2, 2)
    cells = [cell for cell in of.cells() if cell[:2] != (1, 1)]
    assert estimable(of, cells, of.mains(), of.pairs()) == [(0,), (1,), (2,), (0, 2), (1, 2)]
    assert not is_orthogonal(of, cells, of.mains())
