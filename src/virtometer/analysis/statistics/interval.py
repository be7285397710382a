"""The estimate behind the blocks with its interval: the methods that there are, and which one is used.

A method gets the data, so that it may look at more than their mean and spread. A further one is a file beside this
and a line here, and callers choose it by `method`. Verdicts need no interval: they have `verdicts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from virtometer.analysis.statistics import median, student
from virtometer.model import Estimate


class IntervalMethod(Protocol):
    """From the logarithms of the blocks, in their order, to what is behind them, taken back from the log scale."""

    def __call__(self, logs: Sequence[float], level: float, jointly: int) -> Estimate | None:
        """None without a block; no interval where there are too few.

        `jointly`: how many intervals cover `level` jointly (Bonferroni).
        """


METHODS: Mapping[str, IntervalMethod] = {
    "student": student.interval,
    "median": median.interval,
}

USUAL = "student"
"""That of ratios and values where a caller names none."""


def interval(
    logs: Iterable[float], level: float = 0.95, *, alpha_factor: float = 1.0, jointly: int = 1, method: str = USUAL
) -> Estimate | None:
    """The estimate behind the logarithms of blocks; None without any.

    alpha_factor: what 1 - level is multiplied by in a campaign with stages. 0.6 makes an interval of 97 %, as the
    estimate says, that covers 95 %. `jointly`: as of a method; the estimate says the joint level.
    """
    return METHODS[method]([*logs], stricter(alpha_factor, level), jointly)


def stricter(alpha_factor: float, level: float = 0.95) -> float:
    """The level of an interval in a campaign with stages."""
    return round(1 - alpha_factor * (1 - level), 9)
