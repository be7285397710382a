"""Is the difference too small to matter? Two one-sided tests (TOST).

D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680. Both "the
ratio is at or below 1 / (1 + margin)" and "the ratio is at or above 1 + margin" must be rejected, each at 5 %. That
is the same as: the 90 % interval lies inside the margins.
"""

from __future__ import annotations

import math

from scipy import special

from virtometer.analysis.statistics.interval import Spread
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
    return abs(of.mean) + float(special.stdtrit(of.n - 1, 1 - LEVEL)) * of.error


def noise_floor_share(of: Spread) -> float | None:
    """The noise floor as a share: 0.05 is a ratio of 1.05. None as for `noise_floor`."""
    floor = noise_floor(of)
    return None if floor is None else math.expm1(min(floor, _LARGEST))


def p_value(of: Spread, margin: float) -> float | None:
    """The larger p of both one-sided tests; None for fewer than two blocks."""
    if of.n < 2:
        return None
    inside = limit(margin) - abs(of.mean)
    if of.sd == 0.0:
        return 0.0 if inside > 0 else 1.0
    return float(special.stdtr(of.n - 1, -inside / of.error))
