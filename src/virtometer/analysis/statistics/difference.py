"""Is there a difference at all? The paired t test, two-sided, on the logs of within-block ratios.

Student, "The probable error of a mean", Biometrika 6 (1908) 1-25. The null hypothesis is a ratio of exactly 1.
"""

from __future__ import annotations

from scipy import special

from virtometer.analysis.statistics.interval import Spread


def p_value(of: Spread) -> float | None:
    """Two-sided p of the hypothesis that the mean log ratio is 0; None for fewer than two blocks.

    Without any spread the answer is certain: 1 where the mean is 0, else 0.
    """
    if of.n < 2:
        return None
    if of.sd == 0.0:
        return 1.0 if of.mean == 0.0 else 0.0
    return 2.0 * float(special.stdtr(of.n - 1, -abs(of.mean) / of.error))
