"""The power of equivalence with a known spread, which forecasts and rules are held against."""

from __future__ import annotations

import math

from scipy import special

from virtometer.analysis.statistics.equivalence import LEVEL
from virtometer.analysis.statistics.precision import noncentral


def equivalence_power(shift: float, sd: float, n: int, limit: float, level: float = LEVEL) -> float:
    """Chance (at least) that a true mean log ratio of `shift` is found equivalent within ±`limit` with n blocks.

    P(lower test rejects) - P(upper test does not), as in K. F. Phillips, J. Pharmacokin. Biopharm. 18 (1990) 137-144.
    """
    inside = limit - abs(shift)
    if inside <= 0:
        return 0.0
    if sd == 0.0:
        return 1.0
    critical = float(special.stdtrit(n - 1, 1 - level))
    scale = math.sqrt(n) / sd
    near = 1.0 - noncentral(n - 1, inside * scale, critical)
    far = noncentral(n - 1, (limit + abs(shift)) * scale, critical)
    return max(0.0, near - far)
