"""What could have been detected: power of the t test. `forecast` says how many blocks a decision takes.

From the noncentral t distribution: J. Cohen, "Statistical power analysis for the behavioral sciences", 2nd ed. (1988),
section 2. `detectable` takes the spread seen so far as the true one. It is a plan for the next campaign, not a
promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from scipy import special

from virtometer.analysis.statistics.spread import Spread
from virtometer.model import MIN_BLOCKS

POWER = 0.8
MAX_BLOCKS = 10_000  # as many as a plan may have


def difference_power(shift: float, sd: float, n: int, level: float) -> float:
    """Chance that a true mean log ratio of `shift` is found different at the two-sided `level` with n blocks."""
    if sd == 0.0:
        return 1.0 if shift != 0.0 else level
    critical = float(special.stdtrit(n - 1, 1 - level / 2))
    return 1.0 - noncentral(n - 1, abs(shift) * math.sqrt(n) / sd, critical)


def detectable(of: Spread, level: float) -> float | None:
    """Smallest true difference that n blocks with this spread find with 80 % power: 0.07 is a ratio of 1.07.

    None below MIN_BLOCKS, where nothing is claimed.
    """
    if of.n < MIN_BLOCKS:
        return None
    if of.sd == 0.0:
        return 0.0
    shift = _errors_found(of.n, level) * of.error
    return math.expm1(shift) if shift < 700 else None


@lru_cache(maxsize=1024)
def _errors_found(n: int, level: float) -> float:
    """How many standard errors of the mean n blocks find with 80 % power, whatever their spread is."""

    def finds(errors: float) -> bool:
        return difference_power(errors, math.sqrt(n), n, level) >= POWER  # with that spread the standard error is 1

    low, high = 0.0, 1.0
    while not finds(high):
        low, high = high, high * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if finds(middle) else (middle, high)
    return high


def shrunken(of: Spread) -> float:
    """The mean log ratio, moved towards 0 by what its own error makes of it: m · max(0, 1 - error² / m²).

    In the form of the positive-part estimator of W. James, C. Stein, "Estimation with quadratic loss", Proc. 4th
    Berkeley Symp. Math. Statist. Prob. 1 (1961) 361-379. A mean near the margin is more often chance than truth.
    """
    return of.mean * (1.0 - (of.error / of.mean) ** 2) if abs(of.mean) > of.error else 0.0


def least_blocks(decides: Callable[[int], bool], least: int, most: int = MAX_BLOCKS) -> int | None:
    """The least number from `least` to `most` that decides, where each greater one decides too; None beyond `most`."""
    if least > most:
        return None
    low, high = least - 1, least
    while not decides(high):
        if high >= most:
            return None
        low, high = high, min(high * 2, most)
    while high - low > 1:
        middle = (low + high) // 2
        if decides(middle):
            high = middle
        else:
            low = middle
    return high


def noncentral(df: float, centre: float, t: float) -> float:
    """P(T <= t) of the noncentral t distribution, for centre, t >= 0."""
    found = float(special.nctdtr(df, centre, t))
    # The library's series gives up far out in the tail, where the answer is 0 or 1 for every purpose here.
    return found if not math.isnan(found) else float(centre < t)
