"""What stalls cost an environment beside others: slow slices, time lost, and sentences about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from virtometer.analysis.compare import lost_time
from virtometer.analysis.compare.blocks import TreatmentData, usable
from virtometer.analysis.compare.lost_time import Lengths
from virtometer.analysis.note import Note
from virtometer.analysis.score.of_run import in_host_time
from virtometer.counted import counted
from virtometer.model import Estimate, Run

SLOW = 2.0
"""Times as long as the median slice: it stalled for longer than it worked, or worked at another level."""

_LEAST = 0.001  # part of the work that stalls cost, for a note about them
_CHANCE = 0.005  # in which slow slices differ so much where there is nothing, in either direction
_POOLED = 0.002  # as `_CHANCE`, against all environments
_LOST = 0.0005  # as `_CHANCE`, of the time lost: against one, and against all


def notes(data: TreatmentData, limit: float, *, name: str) -> list[Note]:
    """Trials in which the window reached less than the agent's median sample by more than `limit`, in a sentence."""
    where = f" in {name}" if name else ""
    shares = [_slower(result) for _, result in data.results if usable(result)]
    slow = [share for share in shares if share > limit]
    if not slow:
        return []
    of = counted(data.tried, "trial") + where
    verb, whose = ("was", "its") if len(slow) == 1 else ("were", "their")
    return [
        Note(
            f"{len(slow)} of {of} {verb} slower over the whole window than in {whose} median sample, "
            f"by up to {max(slow):.0%}: stalls are part of their values",
            "trials slower over the whole window than in their median sample: stalls are part of their values",
        )
    ]


@dataclass(frozen=True, slots=True)
class SlowSlices:
    """Slices of a treatment that took so many times as long for their work as the median slice of their guest.

    count: how many of `slices`. blocks: in how many of `of_blocks` blocks there are any.
    """

    count: int
    slices: int
    blocks: int
    of_blocks: int

    @property
    def in_many_blocks(self) -> bool:
        """Whether they are in half of the blocks, or in half as many blocks as there are slow slices."""
        return self.count > 0 and 2 * self.blocks >= min(self.of_blocks, self.count)

    def exceed(self, other: SlowSlices, chance: float = _CHANCE) -> bool:
        """Whether there are more of them than there, by more than chance, and in many blocks.

        Fisher's exact test (R. A. Fisher, Statistical Methods for Research Workers, 1934) takes slices for independent;
        a disturbance of the host hits several in a row, but not one guest alone in many blocks.
        """
        if not self.in_many_blocks or other.slices == 0:
            return False
        slow = self.count + other.count
        more = np.arange(self.count, min(slow, self.slices) + 1)
        ways = _log_ways(self.slices, more) + _log_ways(other.slices, slow - more)
        return float(np.exp(ways - _log_ways(self.slices + other.slices, slow)).sum()) < chance


def _log_ways(of: int, count: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Log of the number of ways to choose so many."""
    return np.asarray(gammaln(of + 1) - gammaln(np.add(count, 1)) - gammaln(np.subtract(of, count) + 1))


def slow_of(lengths: Lengths, times: float = SLOW) -> SlowSlices:
    """Those of one side, from `lost_time.lengths`."""
    slow = [int(np.count_nonzero(one > times)) for one in lengths.values()]
    return SlowSlices(sum(slow), sum(map(len, lengths.values())), sum(map(bool, slow)), len(slow))


def pooled(*of: Lengths) -> dict[int, NDArray[np.float64]]:
    """The slices of several sides as one."""
    blocks = dict.fromkeys(block for one in of for block in one)
    return {block: np.concatenate([one[block] for one in of if block in one]) for block in blocks}


def cost(
    total: Estimate | None,
    typical: Estimate | None,
    own: Lengths,
    other: Lengths,
    *,
    against: str,
    beside: Lengths | None = None,
) -> list[str]:
    """What stalls cost where guests took turns, where they are certain.

    The total ratio lies beyond both intervals from the typical one: below it where the subject stalled, above it where
    `against` did. Or the subject has more slow slices than `against`, or than that and all other environments beside
    it (`beside`), or loses more time; or fewer and less.
    """
    if total is None or typical is None:
        return []
    share = total.value / typical.value
    whose, part = ("", 1 - share) if share < 1 else (f" of {against}", 1 - 1 / share)
    if part < _LEAST:
        return []
    begin = f"stalls{whose} cost {'it ' if whose else ''}{part:.1%} in all: "
    if _apart(total, typical):
        return [f"{begin}the typical ratio of a round is {typical.value:.3g} [{typical.low:.3g}, {typical.high:.3g}]"]
    more, less = (own, other) if share < 1 else (other, own)
    if slow_of(more).exceed(slow_of(less)):
        return [f"{begin}{counts(own, other, against)}"]
    if beside and slow_of(more).exceed(slow_of(pooled(less, beside)), _POOLED):
        others = slow_of(beside)
        return [f"{begin}{counts(own, other, against)}, and {others.count} of {others.slices:,} of the others"]
    if _loses_more(more, less) or (beside and _loses_more(more, pooled(less, beside))):
        return [
            f"{begin}slices lost {lost_time.lost_share(own):.1%} of their time beyond the pace, and those of {against} "
            f"{lost_time.lost_share(other):.1%}"
        ]
    return []


def counts(own: Lengths, other: Lengths, against: str) -> str:
    """How many slices of both sides were slow, in words."""
    mine, theirs = slow_of(own), slow_of(other)
    return (
        f"{mine.count} of {counted(mine.slices, 'slice')} took more than {SLOW:g} times as long for their "
        f"work as the median one, and {theirs.count} of {theirs.slices:,} of {against}"
    )


def _loses_more(own: Lengths, other: Lengths) -> bool:
    return slow_of(own, 1 + lost_time.LEAST).in_many_blocks and lost_time.p_value(own, other) < _LOST


def _apart(one: Estimate, other: Estimate) -> bool:
    low, high = sorted((one, other), key=lambda of: of.value)
    return high.low is not None and low.high is not None and low.high < high.low


def _slower(run: Run) -> float:
    """By which part the value lies below the agent's median in host time; 0 where that is not known."""
    value, median = run.scored.value, run.reported.value
    if run.host_timed or run.in_slices or run.by_tool or median is None or not (median > 0 and value > 0):
        return 0.0
    expected = in_host_time(median, run.unit, run.scored.clock.rate)
    return 1.0 - (expected / value if run.unit == "s" else value / expected)
