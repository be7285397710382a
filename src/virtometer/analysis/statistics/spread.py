"""Mean and spread of the logarithms of blocks, and Student's t of them: what tests and forecasts start from.

Student (W. S. Gosset), "The probable error of a mean", Biometrika 6 (1908) 1-25. The logs of the blocks' values are
taken as independent draws around one mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy import special


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sample standard deviation (n - 1) of logarithms, and how many there are. `sd` is 0 for n = 1."""

    mean: float
    sd: float
    n: int

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.sd / math.sqrt(self.n)

    def reach(self, beyond: float) -> float:
        """How far from the mean the true one may be, but for a chance of `beyond` on either side. n is above 1."""
        return float(special.stdtrit(self.n - 1, 1 - beyond)) * self.error

    @property
    def p_of_none(self) -> float | None:
        """Two-sided p of no difference at all, the paired t test of a mean of 0; None for fewer than two blocks."""
        return min(1.0, 2.0 * self.p_value(-abs(self.mean))) if self.n > 1 else None

    def p_value(self, away: float) -> float:
        """One-sided p of a mean that lies `away` (below 0: on the side that is claimed). n is above 1.

        Without any spread the answer is certain.
        """
        if self.sd == 0.0:
            return 0.0 if away < 0 else 1.0
        return float(special.stdtr(self.n - 1, away / self.error))


def spread(logs: Iterable[float]) -> Spread | None:
    """Summarise logarithms; None when there are none."""
    logs = [*logs]
    n = len(logs)
    if n == 0:
        return None
    mean = math.fsum(logs) / n
    if n == 1:
        return Spread(mean, 0.0, 1)
    return Spread(mean, math.sqrt(math.fsum([(x - mean) ** 2 for x in logs]) / (n - 1)), n)
