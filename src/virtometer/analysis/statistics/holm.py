"""Many comparisons: Holm's step-down adjustment, which bounds the chance of any wrong claim in the family.

S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979) 65-70.
Valid under any dependence between the comparisons, which share their baseline and are therefore not independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Which = TypeVar("Which")


def adjust(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given: compare each with the family's level."""
    count = len(p_values)
    adjusted = [1.0] * count
    running = 0.0
    for rank, index in enumerate(sorted(range(count), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (count - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def adjusted(p_values: Mapping[Which, float], alpha_factor: float = 1.0) -> dict[Which, float]:
    """As `adjust`, by comparison; each divided by the alpha factor, so that a claim always takes the usual level."""
    return dict(zip(p_values, (min(1.0, p / alpha_factor) for p in adjust([*p_values.values()])), strict=True))


def level_faced(adjusted: Sequence[float], level: float) -> float:
    """The level that a comparison which was not claimed had to meet: level / (comparisons that are still open)."""
    still_open = sum(p >= level for p in adjusted)
    return level / max(still_open, 1)
