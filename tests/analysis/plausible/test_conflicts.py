"""Which cell explains what does not follow."""

from __future__ import annotations

import numpy as np

from virtometer.analysis.plausible.conflicts import MOST_CONFLICTS, accused, conflicts
from virtometer.analysis.plausible.grid import Accused, Grid
from virtometer.analysis.plausible.pattern import pattern
from virtometer.analysis.plausible.reading import read
from virtometer.analysis.plausible.relations import named


def explained(text: str) -> list[Accused]:
    grid = read(text.encode(), "t")[0]
    found = [(turned, one) for turned in (False, True) for one in named(grid.turned() if turned else grid)]
    none = np.zeros(grid.values.shape, dtype=np.bool_)
    return accused(*conflicts(found, grid), grid, pattern(grid.values, grid.halves), none)


SUMS = "x,a,b,c,sum\nr,1.10,2.20,3.30,6.60\ns,4.00,5.50,6.00,15.50\nt,{},8.10,9.00,24.10\nsum,{},15.80,18.30,46.20\n"


def test_a_cell_that_two_broken_sums_share() -> None:
    found = explained(SUMS.format("70.00", "12.10"))
    assert [(one.place, one.rule) for one in found] == [((2, 0), "decimal point")]


def test_a_wrong_sum_alone() -> None:
    assert [one.place for one in explained(SUMS.format("7.00", "19.10"))] == [(3, 0)]


def test_an_exchange_between_two_rows() -> None:
    table = "x,a,b,sum\nr,1.00,9.00,10.00\ns,2.00,5.00,7.00\nt,8.00,3.00,7.00\nu,4.00,6.00,14.00\n"
    found = explained(f"{table}v,1.00,1.00,2.00\nw,1.00,3.00,4.00\n")
    assert {(one.place, one.rule) for one in found} == {((2, 0), "exchanged"), ((3, 0), "exchanged")}


def test_no_more_than_the_bound() -> None:
    rows = "".join(f"r{row},1.00,{row}.00,{row + (1 if row % 3 else 5)}.00\n" for row in range(3 * MOST_CONFLICTS + 6))
    grid: Grid = read(f"x,a,b,sum\n{rows}".encode(), "t")[0]
    found, held = conflicts([(False, one) for one in named(grid)], grid)
    assert len(found) == MOST_CONFLICTS
    assert held[1].tolist() == [1, 1, 1]
