"""Changes of single numbers that restore a pattern."""

from __future__ import annotations

import numpy as np

from virtometer.analysis.plausible.pattern import LARGE
from virtometer.analysis.plausible.reading import read
from virtometer.analysis.plausible.repairs import base_cells, base_values, repairs


def changes(values: np.ndarray, free: np.ndarray | None = None) -> list[tuple[tuple[int, int], str]]:
    lines = ["x," + ",".join(f"c{n}" for n in range(values.shape[1]))]
    lines += [f"r{row}," + ",".join(f"{value:.2f}" for value in line) for row, line in enumerate(values)]
    grid = read("\n".join(lines).encode(), "t")[0]
    every = np.ones(values.shape, dtype=np.bool_)
    return [(one.place, one.rule) for one in repairs(grid, every if free is None else free, ~every)]


def even(rows: int, columns: int) -> np.ndarray:
    chance = np.random.default_rng(4)
    values = np.outer(chance.uniform(20, 90, rows), chance.uniform(1, 9, columns))
    return np.asarray(values * chance.normal(1, 0.005, values.shape))


def test_an_even_table_has_none() -> None:
    assert changes(even(5, 6)) == []


def test_a_decimal_point_and_an_exchange() -> None:
    values = even(6, 6)
    values[1, 2] *= 100
    values[[3, 4], 4] = values[[4, 3], 4]
    assert set(changes(values)) == {((1, 2), "decimal point"), ((3, 4), "exchanged"), ((4, 4), "exchanged")}


def test_cells_that_are_not_free_stay() -> None:
    values = even(5, 5)
    values[1, 2] *= 100
    free = np.ones(values.shape, dtype=np.bool_)
    free[1, 2] = False
    assert changes(values, free) == []


def test_several_slips_of_a_large_table() -> None:
    values = even(LARGE // 20 + 1, 20)
    values[100, 3] *= 10
    values[700, 9] /= 10
    assert {place for place, _ in changes(values)} == {(100, 3), (700, 9)}


def test_derived_lines_are_no_base() -> None:
    grid = read(b"x,a,mean\nr,1,2\nsum,3,4\n", "t")[0]
    assert base_cells(grid).tolist() == [[True, False], [False, False]]
    assert np.isfinite(base_values(grid)).sum() == 1
