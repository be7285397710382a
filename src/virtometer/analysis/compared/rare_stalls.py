"""Which loss by rare stalls the counted work of one side does not exclude.

Stalls that come at random, at so many per second of work, are all absent from T seconds with the chance exp(-rate T).
Where the loss is as large as the margin and each stall lasts STALL_S, the rate is margin / STALL_S. This chance is the
p value of "no such stalls": at a margin of 5 % and a level of 5 % it takes 6.6 s of work. The bound is that of
J. A. Hanley, A. Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249 (1983) 1743-1745. Stalls that
were seen are in the values, and so in their spread between the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from virtometer.model import Run, columns_of

STALL_S = 0.11
"""Length of the stalls that are looked for: a period of the quota of CPU time and a tick."""


def worked_s(runs: Iterable[Run]) -> float:
    """Seconds of host time in which the work of these runs was counted."""
    return math.fsum(map(_of_run, runs))


def _of_run(run: Run) -> float:
    if run.score is None:
        return 0.0
    if not run.samples:
        return max(run.score.window_end_host_ns - run.score.window_start_host_ns, 0) * 1e-9
    of = columns_of(run.samples)
    return float(of.lasted_s(run.score.clock.rate)[of.used].sum())


def p_value(worked_s: float, margin: float) -> float:
    """The chance that no stall was seen although stalls cost as much as the margin."""
    return math.exp(-margin * worked_s / STALL_S)


def needed_s(margin: float, level: float) -> float:
    """Seconds of work from which on the p value is below the level."""
    return -math.log(level) * STALL_S / margin
