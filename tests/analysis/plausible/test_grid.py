"""Printed tables as numbers."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.plausible.grid import Accused, Grid, Printed

ONE, TWO = Printed("1.5", 1.5, 0.1), Printed("20", 20, 1)
GRID = Grid("t", ("r", "mean"), ("a",), ((ONE,), (None,)))


def test_values_halves_and_places() -> None:
    assert GRID.values[0, 0] == 1.5
    assert np.isnan(GRID.values[1, 0])
    assert GRID.halves[0, 0] == pytest.approx(0.05)
    assert list(GRID.places()) == [((0, 0), ONE)]


def test_turned_exchanges_rows_and_columns() -> None:
    made = GRID.turned()
    assert (made.rows, made.columns, made.cells) == (("a",), ("r", "mean"), ((ONE, None),))
    assert made.values.shape == (1, 2)
    assert (made.row_roles, made.column_roles) == (("",), ("", "mean"))
    assert Accused((1, 0), "sum", "").turned().place == (0, 1)


def test_lines_without_a_role() -> None:
    assert GRID.lines_without({"mean"}, set()).tolist() == [[True], [False]]


def test_a_value_is_shown_with_as_many_digits() -> None:
    assert (ONE.like(2.26), TWO.like(3.6)) == ("2.3", "4")


def test_columns_with_several_units_are_not_compared() -> None:
    cells = ((Printed("1.5 s", 1.5, 0.1), Printed("3 MB", 3, 1)), (Printed("200 ms", 200, 1), Printed("4 MB", 4, 1)))
    of = Grid("", ("r", "s"), ("a", "b"), cells).in_one_unit()
    assert [place for place, _ in of.places()] == [(0, 1), (1, 1)]


def test_a_function_is_asked_once_for_cells_that_are_one_object() -> None:
    asked: list[Printed | None] = []

    def is_one(cell: Printed | None) -> bool:
        asked.append(cell)
        return cell is ONE

    made = Grid("", ("r", "s"), ("a", "b"), ((ONE, TWO), (ONE, None))).of_cells(is_one, np.bool_)
    assert made.tolist() == [[True, False], [True, False]]
    assert asked == [ONE, TWO, None]


def test_texts_are_equal_where_the_same_is_printed() -> None:
    texts = Grid("", ("r",), ("a", "b", "c", "d"), ((ONE, Printed("1.5", 1.5, 0.1), TWO, None),)).texts[0].tolist()
    assert texts[0] == texts[1] != texts[2]
    assert texts[3] == 0
