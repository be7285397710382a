"""What no host can give: more CPU time than it has, or more work than all its processors do natively.

Both are checked because a mistake in a measurement shows here first: windows that do not overlap, a guest's clock that
is slow, CPU time that is counted twice. What breaks a limit is not hidden, but marked in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.analysis.groups.members import GroupTrial, cpu_s
from virtometer.model import Estimate

_TICKS_S = 0.02  # accounts of the kernel are in steps of up to 10 ms at both ends of the stretch
_INEXACT = 0.02  # of the host's time: the readings of guests and host are not of one instant


def broken(trial: GroupTrial) -> str:
    """What the CPU times of a trial contradict, in a sentence; empty where they can be right or are unknown."""
    if (used := cpu_s(trial.members)) is None:
        return ""
    guests = len({member.whose for member in trial.members})
    limit = trial.offered * trial.window_s
    slack = _INEXACT * limit + _TICKS_S * guests
    if trial.offered and used > limit + slack:
        return (
            f"trial {trial.index}: its guests are said to have had {used:.3g} CPU seconds, "
            f"but the processors that they may use ({trial.offered}) had {limit:.3g}"
        )
    if trial.host is not None and trial.host.busy > 0 and used > trial.host.busy + slack:
        return (
            f"trial {trial.index}: its guests are said to have had {used:.3g} CPU seconds, "
            f"but the host worked for {trial.host.busy:.3g}"
        )
    return ""


def broken_in(trials: Sequence[GroupTrial]) -> list[str]:
    """One sentence for all trials that break it: how many, and the first; none where no trial does."""
    found = [said for trial in trials if (said := broken(trial))]
    if not found:
        return []
    more = f" (and {len(found) - 1} more of {len(trials)} trials)" if len(found) > 1 else ""
    return [f"CPU time cannot be right: {found[0]}{more}"]


def above_ceiling(total: Estimate | None, ceiling: Estimate | None, margin: float) -> str:
    """That a sum lies above what all processors reach natively, in a sentence; empty where it does not.

    It does where the lower bound of the sum is above the upper bound of the ceiling and the margin.
    """
    if total is None or ceiling is None or total.low is None or ceiling.high is None:
        return ""
    if total.low <= ceiling.high * (1 + margin):
        return ""
    return (
        f"the sum is {total.value / ceiling.value:.3g} times what all processors of the host reach natively: "
        "caches, or work that was not done"
    )
