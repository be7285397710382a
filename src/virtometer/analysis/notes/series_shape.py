"""Whether one series of values has a shape of which its mean says little: one side of a comparison of two campaigns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from virtometer.analysis.notes.block_shapes import TESTS, Series

_LEVEL = 0.0008  # of each shape: of the 60 series of 30 comparisons one is called so by chance in 5 % of cases
_LEAST = math.log(1.01)


def notes(logs: Sequence[float], name: str) -> list[str]:
    """The shapes of logarithms of values in the order of their blocks, in sentences; `name`: whose they are.

    The tests are those of `block_shapes`, from six values on. A difference below 1 % is not named.
    """
    series = Series(dict(enumerate(logs)), name)
    found = (test(series, _LEAST) for test in TESTS)
    return [one.note.text for one in found if one.note is not None and one.p_value < _LEVEL]
