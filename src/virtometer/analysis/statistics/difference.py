"""Is there a difference at all? The paired t test, two-sided, on the logs of within-block ratios.

Student, "The probable error of a mean", Biometrika 6 (1908) 1-25. The null hypothesis is a ratio of exactly 1.
"""

from __future__ import annotations

from virtometer.analysis.statistics.spread import Spread


def p_value(of: Spread) -> float | None:
    """Two-sided p of the hypothesis that the mean log ratio is 0; None for fewer than two blocks.

    Without any spread the answer is certain: 1 where the mean is 0, else 0.
    """
    return min(1.0, 2.0 * of.p_value(-abs(of.mean))) if of.n > 1 else None
