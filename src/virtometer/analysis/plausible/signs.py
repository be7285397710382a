"""Signs that are lost or added."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from virtometer.analysis.plausible.grid import Accused, Grid

_MOST_OF = 0.7  # of a line has one sign, for another one to be lost
_FEWEST = 4
_LIKE = 0.75  # of the smallest other size
_MIXED = 1 / 3  # of the other lines have both signs, so that a single one says nothing


def lost_signs(grid: Grid) -> Iterator[Accused]:
    """Cells whose sign alone differs from all others of their row or column, and whose size does not."""
    for across, lines in ((False, grid.values.T), (True, grid.values)):
        mixed = np.logical_and((lines < 0).any(axis=1), (lines > 0).any(axis=1))  # what is no number is neither
        for line in np.flatnonzero(mixed).tolist():
            numbers = lines[line]
            known = np.flatnonzero(np.isfinite(numbers) & (numbers != 0))
            if len(known) < _FEWEST or mixed.sum() - 1 > (len(lines) - 1) * _MIXED:
                continue
            negative = numbers[known] < 0
            for sign in (True, False):
                odd = known[negative == sign]
                if len(odd) == 1 and len(known) - 1 >= _MOST_OF * len(known):
                    at, others = int(odd[0]), np.abs(numbers[known[negative != sign]])
                    if abs(numbers[at]) < 10 * _step(grid, line, at, across=across):
                        continue  # one digit says little
                    if abs(numbers[at]) >= min(np.median(others) / 4, others.min() * _LIKE):
                        place = (line, at) if across else (at, line)
                        yield Accused(place, "sign", "all others of its line have the other sign", -float(numbers[at]))


def _step(grid: Grid, line: int, at: int, *, across: bool) -> float:
    """One unit of the last digit of a cell."""
    return 2 * float(grid.halves[line, at] if across else grid.halves[at, line])
