"""The difference of two series that share no blocks, such as the efficiencies in two campaigns: Welch's t.

B. L. Welch, "The generalization of 'Student's' problem when several different population variances are involved",
Biometrika 34 (1947) 28-35; degrees of freedom after F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
"""

from __future__ import annotations

import math

from virtometer.analysis.statistics.spread import Spread


def difference(of: Spread | None, against: Spread | None) -> Spread | None:
    """The mean of `of` less that of `against`, as the spread of a series with the same error and degrees of freedom.

    Degrees of freedom are rounded down. None where a side has fewer than two values.
    """
    if of is None or against is None or of.n < 2 or against.n < 2:
        return None
    error = math.hypot(of.error, against.error)
    if error == 0:
        return Spread(of.mean - against.mean, 0.0, min(of.n, against.n))
    one, other = (of.error / error) ** 2, (against.error / error) ** 2
    freedom = 1 / (one**2 / (of.n - 1) + other**2 / (against.n - 1))
    n = math.floor(freedom + 1e-9) + 1
    return Spread(of.mean - against.mean, error * math.sqrt(n), n)
