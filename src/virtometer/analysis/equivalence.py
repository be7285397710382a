"""Is the difference too small to matter? Two one-sided tests (TOST).

D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680. Both "the
ratio is at or below 1 / (1 + margin)" and "the ratio is at or above 1 + margin" must be rejected, each at 5 %. That
is the same as: the 90 % interval lies inside the margins.
"""

from __future__ import annotations

import math

from scipy import special

from virtometer.analysis.interval import Spread

LEVEL = 0.05


def limit(margin: float) -> float:
    """The margin on the log scale: a margin of 0.05 accepts ratios between 1/1.05 and 1.05."""
    return math.log1p(margin)


def p_value(of: Spread, margin: float) -> float | None:
    """The larger p of both one-sided tests; None for fewer than two blocks."""
    if of.n < 2:
        return None
    inside = limit(margin) - abs(of.mean)
    if of.sd == 0.0:
        return 0.0 if inside > 0 else 1.0
    return float(special.stdtr(of.n - 1, -inside / of.error))
