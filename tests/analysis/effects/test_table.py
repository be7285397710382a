"""What goes in: trials as arrays, and several values of one start."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.effects.table import MOST_FACTORS, Observed, Response, Variable, observed
from virtometer.errors import UsageError

BUS = Variable("bus", ("ide", "virtio"))


def test_levels_are_numbers_in_the_order_of_the_variable() -> None:
    rows = [{"bus": "virtio"}, {"bus": "ide"}]
    found = observed([BUS], Response("read", "B/s", "higher", rows, [3, 3], [1.0, 2.0]))
    assert found.level.tolist() == [[1], [0]]
    assert found.logs.tolist() == [[1.0], [2.0]] and found.order.tolist() == [0, 1]
    assert BUS.reference == "ide"


def test_several_values_of_a_cell_in_a_block_are_one_where_cells_come_again() -> None:
    level = np.array([[0], [1], [1], [1], [0]])
    block = np.array([0, 0, 0, 1, 1])
    logs = np.array([[1.0], [2.0], [4.0], [5.0], [6.0]])
    found = Observed(level, block, np.arange(5), logs).averaged()
    assert found.level.tolist() == [[0], [1], [1], [0]]
    assert found.logs.ravel().tolist() == [1.0, 3.0, 5.0, 6.0]
    assert found.order.tolist() == [0, 1, 3, 4], "the place of the first"


def test_in_a_single_block_each_value_is_a_start_of_its_own() -> None:
    found = Observed(np.array([[0], [1], [1]]), np.zeros(3, dtype=np.int64), np.arange(3), np.ones((3, 1)))
    assert found.averaged() is found


def test_too_many_factors_are_one_sentence() -> None:
    many = [Variable(f"f{number}", ("0", "1")) for number in range(MOST_FACTORS + 1)]
    with pytest.raises(UsageError, match="there are 33 factors; effects can be estimated for 32"):
        observed(many, Response("read", "", "higher", [], [], []))
