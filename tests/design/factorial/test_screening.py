"""Conference matrices and definitive screening."""

from __future__ import annotations

import numpy as np
import pytest

from tests.design.factorial.spaces import space
from virtometer.design.factorial.matrix import estimates
from virtometer.design.factorial.screening import ORDERS, conference, screening


@pytest.mark.parametrize("order", ORDERS)
def test_a_conference_matrix_has_zeros_on_the_diagonal_and_orthogonal_rows(order: int) -> None:
    found = np.array(conference(order))
    assert np.array_equal(found @ found.T, (order - 1) * np.eye(order, dtype=int))
    assert np.array_equal(found == 0, np.eye(order, dtype=bool))
    assert set(np.unique(found)) == {-1, 0, 1}


@pytest.mark.parametrize("order", [2, 5, 16, 22])
def test_other_orders_are_refused(order: int) -> None:
    with pytest.raises(ValueError, match=f"no conference matrix of the order {order}"):
        conference(order)


@pytest.mark.parametrize("factors", range(3, 17))
def test_main_effects_are_free_of_each_other_of_interactions_and_of_curvature(factors: int) -> None:
    cells = np.array(screening(factors)) - 1
    order = next(one for one in ORDERS if one >= factors)
    assert len(cells) == len({tuple(cell) for cell in cells}) == 2 * order + 1
    assert not cells[0].any()
    linear = cells.T @ cells
    assert np.array_equal(linear, np.diag(np.diag(linear)))
    squares, pairs = cells**2, [cells[:, a] * cells[:, b] for a in range(factors) for b in range(a)]
    assert not (cells.T @ squares).any()
    assert not (cells.T @ np.array(pairs).T).any()
    of = space(*[3] * factors, references=(1,) * factors)
    assert estimates(of, screening(factors), of.mains()), "three levels each, so curvature as well"


def test_too_many_factors() -> None:
    with pytest.raises(ValueError, match="at most 18 factors"):
        screening(19)
