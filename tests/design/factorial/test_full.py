"""All combinations."""

from __future__ import annotations

import pytest

from tests.design.factorial.spaces import space
from virtometer.design.factorial.choice import DesignError
from virtometer.design.factorial.full import Full
from virtometer.model import Design


def test_all_cells_once_and_the_reference_first() -> None:
    of = space(2, 3, references=(1, 2))
    found = Full().cells(of, Design(), of.mains())
    assert found[0] == (1, 2)
    assert sorted(found) == list(of.cells())


def test_more_combinations_than_can_be_looked_at_are_refused_before_they_are_made() -> None:
    of = space(*[16] * 16)
    with pytest.raises(DesignError, match=str(16**16)):
        Full().cells(of, Design(), of.mains())
