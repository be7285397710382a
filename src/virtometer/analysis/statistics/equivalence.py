"""Is the difference too small to matter? Two one-sided tests (TOST).

D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680. Both "the
ratio is at or below 1 / (1 + margin)" and "the ratio is at or above 1 + margin" must be rejected, each at 5 %. That
is the same as: the 90 % interval lies inside the margins.
"""

from __future__ import annotations

import math

from virtometer.analysis.statistics.spread import Spread
from virtometer.model import MIN_BLOCKS

LEVEL = 0.05
_LARGEST = 700.0  # logarithm of a ratio that a floating-point number holds


def limit(margin: float) -> float:
    """The margin on the log scale: a margin of 0.05 accepts ratios between 1/1.05 and 1.05."""
    return math.log1p(margin)


def noise_floor(of: Spread) -> float | None:
    """The smallest limit on the log scale within which both tests reject; None below MIN_BLOCKS blocks."""
    if of.n < MIN_BLOCKS:
        return None
    return abs(of.mean) + of.reach(LEVEL)


def noise_floor_share(of: Spread) -> float | None:
    """The noise floor as a share: 0.05 is a ratio of 1.05. None as for `noise_floor`."""
    floor = noise_floor(of)
    return None if floor is None else math.expm1(min(floor, _LARGEST))


def p_value(of: Spread, margin: float) -> float | None:
    """The larger p of both one-sided tests; None for fewer than two blocks."""
    return of.p_value(abs(of.mean) - limit(margin)) if of.n > 1 else None
