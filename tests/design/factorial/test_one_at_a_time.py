"""One factor changed at a time."""

from __future__ import annotations

from tests.design.factorial.spaces import space
from virtometer.design.factorial.one_at_a_time import OneAtATime
from virtometer.model import Design


def test_every_other_cell_differs_from_the_reference_in_one_factor() -> None:
    of = space(2, 3, 2, references=(1, 1, 0))
    found = OneAtATime().cells(of, Design(), of.mains())
    assert found == ((1, 1, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1), (1, 2, 0))
