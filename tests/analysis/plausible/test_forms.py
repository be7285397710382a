"""Relations that no label names."""

from __future__ import annotations

import random

import pytest

from virtometer.analysis.plausible.forms import MOST_COLUMNS, discovered
from virtometer.analysis.plausible.grid import Grid
from virtometer.analysis.plausible.reading import read


def table(rows: int, wrong: int, factor: float = 1.2) -> Grid:
    """The column c is 100 x a / b, but in one row."""
    chance = random.Random(5)
    lines = ["x,a,b,c"]
    for row in range(rows):
        a, b = round(chance.uniform(100, 900), 2), round(chance.uniform(100, 900), 2)
        lines.append(f"r{row},{a},{b},{100 * a / b * (factor if row == wrong else 1):.2f}")
    return read("\n".join(lines).encode(), "t")[0]


@pytest.mark.parametrize("rows", [5, 12, 1000])
def test_a_ratio_that_one_row_breaks(rows: int) -> None:
    breaks = [one.breaks.tolist() for one in discovered(table(rows, wrong=3), set())]
    assert breaks
    assert all(one == [3] for one in breaks)


def test_random_numbers_follow_nothing() -> None:
    chance = random.Random(2)
    lines = ["x,a,b,c,d"] + [
        f"r{row}," + ",".join(f"{chance.uniform(1, 99):.2f}" for _ in range(4)) for row in range(9)
    ]
    assert discovered(read("\n".join(lines).encode(), "t")[0], set()) == []


def test_explained_targets_and_wide_tables_are_left_out() -> None:
    assert all(one.target != 2 for one in discovered(table(9, wrong=3), {2}))
    wide = "x," + ",".join(f"c{n}" for n in range(MOST_COLUMNS + 1)) + "\n"
    wide += "".join(f"r{row}," + ",".join(["1.5"] * (MOST_COLUMNS + 1)) + "\n" for row in range(4))
    assert discovered(read(wide.encode(), "t")[0], set()) == []
