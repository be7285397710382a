"""The error of one campaign's mean against other campaigns: noise that differs between campaigns counts too.

The blocks of one campaign are close in time. Noise that changes slowly, or from start to start, differs less between
them than between two campaigns. The standard error of the mean is too small then. Three estimates make it larger:

- lag: the variance of a mean whose blocks follow each other, (1 + r) / (1 - r) times that of independent blocks. r is
  the correlation of neighbours without its bias of -1/n, from 0 to MOST_R. M. S. Bartlett, "Some aspects of the
  time-correlation problem", Journal of the Royal Statistical Society 98 (1935) 536-543.
- halves: half of the difference between the means of both halves of the campaign, which is the error of the mean.
- own noise: the variance between PARTS consecutive parts of the campaign beyond that of the baseline with itself. A
  part of it (BETWEEN) is taken for noise between campaigns. More blocks make it smaller only as far as they make the
  parts more alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from virtometer.analysis.statistics.spread import Spread, spread

MOST_R = 0.8
PARTS = 6
BETWEEN = 0.25
"""Of 1/f noise about as much lies between campaigns; simulated in tests/analysis/compared/test_drift.py."""


def between_campaigns(logs: Sequence[float], control: Spread | None) -> Spread | None:
    """The spread of the logs, in the order of their blocks, with its error made as large as campaigns differ.

    control: of the baseline with itself; None: not known, then all noise is the subject's own. None without logs.
    """
    of = spread(logs)
    if of is None or of.n < 2 or of.sd == 0.0:
        return of
    within = max(of.error**2 * _by_lag(logs, of), _halves(logs) ** 2)
    parts = min(PARTS, of.n)
    usual = control.sd**2 * parts / of.n if control is not None else 0.0
    own = max(_between_parts(logs, parts) - usual, 0.0)
    return Spread(of.mean, math.sqrt(of.n * (within + BETWEEN * own)), of.n)


def _by_lag(logs: Sequence[float], of: Spread) -> float:
    """How many times as large the variance of the mean is as that of independent blocks."""
    away = [log - of.mean for log in logs]
    pairs = math.fsum(one * other for one, other in pairwise(away))
    r = pairs / math.fsum(one**2 for one in away) + 1 / of.n
    r = min(max(r, 0.0), MOST_R)
    return (1 + r) / (1 - r)


def _halves(logs: Sequence[float]) -> float:
    middle = len(logs) // 2
    first, second = logs[:middle], logs[middle:]
    return abs(math.fsum(first) / len(first) - math.fsum(second) / len(second)) / 2


def _between_parts(logs: Sequence[float], parts: int) -> float:
    """The variance of the means of consecutive parts of the campaign."""
    edges = [len(logs) * at // parts for at in range(parts + 1)]
    means = spread([math.fsum(logs[begin:end]) / (end - begin) for begin, end in pairwise(edges)])
    return 0.0 if means is None else means.sd**2
