"""Logarithms to summarise, as strategies of hypothesis draw them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from virtometer.analysis.statistics.spread import Spread, spread

logs = st.lists(st.floats(-3, 3), min_size=2, max_size=40).filter(lambda xs: np.std(xs) > 1e-6)


def summarised(values: list[float]) -> Spread:
    found = spread(values)
    assert found is not None
    return found
