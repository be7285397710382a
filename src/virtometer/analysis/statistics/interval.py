"""Confidence interval of a geometric mean: Student's t on logarithms.

Student (W. S. Gosset), "The probable error of a mean", Biometrika 6 (1908) 1-25. The logs of the blocks' values are
taken as independent draws around one mean; the interval is mean ± t(n-1) · s / √n, taken back from the log scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scipy import special

from virtometer.model import MIN_BLOCKS, Estimate


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


def spread(logs: Sequence[float]) -> Spread | None:
    """Summarise logarithms; None when there are none."""
    n = len(logs)
    if n == 0:
        return None
    mean = math.fsum(logs) / n
    if n == 1:
        return Spread(mean, 0.0, 1)
    return Spread(mean, math.sqrt(math.fsum([(x - mean) ** 2 for x in logs]) / (n - 1)), n)


class RunningSpread:
    """The spread of logarithms that come and go one at a time, with as many steps for the last as for the first.

    Its sums are exact: a logarithm that goes leaves no rounding error.
    """

    def __init__(self) -> None:
        """No logarithm has come."""
        self._n = 0
        self._sum = Fraction()
        self._squares = Fraction()

    def add(self, log: float) -> None:
        """One more logarithm."""
        self._change(log, 1)

    def remove(self, log: float) -> None:
        """One that was added goes."""
        self._change(log, -1)

    @property
    def spread(self) -> Spread | None:
        """As `spread` of those that are there."""
        if self._n == 0:
            return None
        mean = float(self._sum) / self._n
        if self._n == 1:
            return Spread(mean, 0.0, 1)
        return Spread(mean, math.sqrt((self._squares - self._sum**2 / self._n) / (self._n - 1)), self._n)

    def _change(self, log: float, sign: int) -> None:
        exact = Fraction(log)
        self._n += sign
        self._sum += sign * exact
        self._squares += sign * exact**2


def estimate(of: Spread | None, level: float = 0.95, *, strictness: float = 1.0, together: int = 1) -> Estimate | None:
    """Geometric mean with its interval, which is None on both sides below MIN_BLOCKS blocks.

    strictness: what 1 - level is multiplied by in a campaign with stages: 0.6 makes an interval of 97 %, as the
    estimate says, that covers 95 %. together: how many intervals cover `level` jointly (Bonferroni); the estimate
    says the joint level.
    """
    level = round(1 - strictness * (1 - level), 9)
    if of is None:
        return None
    if of.n < MIN_BLOCKS:
        return Estimate(math.exp(of.mean), None, None, of.n, level)
    half = float(special.stdtrit(of.n - 1, 1 - (1 - level) / together / 2)) * of.error
    return Estimate(math.exp(of.mean), math.exp(of.mean - half), math.exp(of.mean + half), of.n, level)
