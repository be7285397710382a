"""A matrix is read by the names of its rows and columns."""

from __future__ import annotations

import pytest

from virtometer.analysis.groups.matrix import Matrix
from virtometer.model import Estimate, Quantity


def test_a_cell_by_its_names() -> None:
    one = Estimate(2.0, None, None, 3)
    what = Quantity("w", "throughput", "B/s", "higher", "geometric mean", None)
    of = Matrix("s", "matrix", "w", what, ("a", "b"), ("b", "c"), ((one, None), (None, None)))
    assert of.cell("a", "b") is one and of.cell("b", "c") is None
    with pytest.raises(ValueError, match="not in tuple"):
        of.cell("c", "b")
