"""Rows and values that stand twice."""

from __future__ import annotations

import numpy as np

from virtometer.analysis.plausible.grid import Grid
from virtometer.analysis.plausible.pattern import pattern
from virtometer.analysis.plausible.reading import read
from virtometer.analysis.plausible.repeats import duplicated_rows, echoes, repeated_values


def grid(text: str) -> Grid:
    return read(text.encode(), "t")[0]


VALUES = "x,a,b,c,d\nr,211.31,522.64,733.92,918.33\ns,244.12,{},799.13,981.17\nt,271.93,640.21,610.18,871.58\n"


def test_duplicated_rows() -> None:
    assert duplicated_rows(grid("x,a,b\nr,1.25,2.37\ns,3.11,4.52\nt,1.25,2.37\n")) == [(0, 2)]
    assert duplicated_rows(grid("x,a,b\nr,1,2\ns,3,4\nt,1,2\n")) == []  # chance repeats so few digits


def test_the_value_of_a_neighbour() -> None:
    for text, count in (("244.12", 1), ("588.31", 0)):
        table = grid(VALUES.format(text))
        free = np.ones(table.values.shape, dtype=np.bool_)
        found = list(repeated_values(table, pattern(table.values, table.halves), free))
        assert [one.place for one in found] == [(1, 1)][:count]
        assert echoes(table).sum() == 2 * count


def test_equal_counts_and_equal_ranks_are_no_repeats() -> None:
    assert not duplicated_rows(grid("x,a,b\nr,1240,31\ns,1240,31\nt,1301,33\nu,1350,38\n"))
    of = grid("x,score,rank\nr,91.3,1\ns,85.0,2\nt,85.0,2\nu,62.4,4\n")
    assert not list(repeated_values(of, pattern(of.values, of.halves), np.ones(of.values.shape, dtype=np.bool_)))
