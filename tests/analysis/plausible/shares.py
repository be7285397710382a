"""How many planted errors are found, and how many clean cells are accused: `python -m tests.analysis.plausible.shares`.

The first argument is the number of tables of each kind, 100 by default; the second one is the first seed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

from tests.analysis.plausible.planted import CLEAN, PLANTED, Made
from tests.analysis.plausible.structures import FURTHER, STRUCTURES, separator
from virtometer.analysis.plausible.check import Implausible, check
from virtometer.analysis.plausible.reading import read

Maker = Callable[[random.Random], Made]


def tables(make: Maker, count: int, first: int = 0) -> Iterator[tuple[Made, list[Implausible]]]:
    """Tables of a kind, each with its findings."""
    for seed in range(first, first + count):
        made = make(random.Random(seed))
        yield made, check(read(made.csv(separator(made)), "table"))


def is_found(made: Made, findings: list[Implausible]) -> bool:
    """Whether a planted cell is accused, or named as one of those that may be wrong."""
    labels = {(made.rows[row], made.columns[column] if column >= 0 else "") for row, column in made.planted}
    named = {(one.row, one.column) for one in findings}
    named |= {(row, column) for one in findings for _, row, column in one.others}
    return bool(labels & named)


def share_found(make: Maker, count: int, first: int = 0) -> float:
    """Of tables with an error, from 0 to 1."""
    return sum(is_found(*one) for one in tables(make, count, first)) / count


def share_accused(make: Maker, count: int, first: int = 0) -> float:
    """Of the cells of clean tables, from 0 to 1."""
    cells = accused = 0
    for made, findings in tables(make, count, first):
        cells += len(made.rows) * len(made.columns)
        accused += len(findings)
    return accused / cells


def main(count: int = 100, first: int = 0) -> None:
    """Print both shares of each kind as rows of a table."""
    for name, make in (PLANTED | FURTHER).items():
        print(f"| {name.replace('_', ' ')} | {share_found(make, count, first):.0%} | |")
    for name, make in (CLEAN | STRUCTURES).items():
        print(f"| {name.replace('_', ' ')} | | {share_accused(make, count, first):.2%} |")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
