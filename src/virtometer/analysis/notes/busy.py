"""A busy host gives no verdicts: other programs disturbed more than half of the trials or slices of either side.

Differences that no such disturbance explains keep their verdict, with a warning (docs/methods/disturbance.md).

A trial is disturbed where it has a mark of what other programs did. A slice is disturbed where it is excluded as
`disturbed`. Marks of stalls, clocks and frequencies do not count, nor does a second laboratory alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from virtometer.analysis.compare.blocks import TreatmentData
from virtometer.analysis.note import Note
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.counted import counted
from virtometer.model import Excluded, Finding, MarkKind, Plan, Run, TrialRecord, Verdict, columns_of

QUALIFIED = "the host was busy"
"""What stands beside the verdict of a comparison that is refused for this."""

BY_OTHERS = frozenset({MarkKind.FOREIGN, MarkKind.RUN_DELAY, MarkKind.STEAL, MarkKind.SWAP})
"""Marks of what programs outside of the campaign did."""

_ADVICE = "end the other programs, choose a quieter time, or set `rules: {max_disturbed_share: 1}` in a new plan"
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Disturbed:
    """How many trials and slices of one side other programs disturbed, and how many there are."""

    trials: int
    of_trials: int
    slices: int
    of_slices: int

    def exceeds(self, limit: float) -> bool:
        """Whether more than this share of either is disturbed."""
        return self.trials > limit * self.of_trials or self.slices > limit * self.of_slices

    def sentence(self, name: str, limit: float) -> str:
        """What exceeds the limit, with its counts."""
        if self.trials > limit * self.of_trials:
            return f"{self.trials} of {counted(self.of_trials, 'trial')} of {name}"
        return f"{self.slices} of {counted(self.of_slices, 'slice')} of {name}"


def disturbed(results: Iterable[tuple[TrialRecord, Run]]) -> Disturbed:
    """Of trials that were done, with a run of each that is compared."""
    pairs = list(results)
    marked = {record.trial.index: not BY_OTHERS.isdisjoint(mark.kind for mark in record.marks) for record, _ in pairs}
    slices = [_slices(run) for _, run in pairs]
    return Disturbed(
        sum(marked.values()), len(marked), sum(lost for lost, _ in slices), sum(all_ for _, all_ in slices)
    )


def _slices(run: Run) -> tuple[int, int]:
    """The disturbed slices of a run, and all of them."""
    of = columns_of(run.samples)
    if of.excluded_by(Excluded.SLICE).any():  # long windows are compared, not slices
        return 0, 0
    there = (of.slice >= 0) & ~of.excluded_by(Excluded.OUTSIDE)
    lost = there & of.excluded_by(Excluded.DISTURBED)
    return len(np.unique(of.slice[lost])), len(np.unique(of.slice[there]))


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its name, its results, and `max_disturbed_share` of its plan."""

    name: str
    results: Sequence[tuple[TrialRecord, Run]]
    limit: float


def sides_of(*sides: TreatmentData | None, plan: Plan, where: str = "") -> list[Side]:
    """Cells as sides, those that there are. where: what follows their names, such as ` in A`."""
    limit = plan.rules.max_disturbed_share
    return [Side(f"{data.environment}{where}", data.results, limit) for data in sides if data is not None]


def reason(sides: Iterable[Side]) -> Note | None:
    """Why a comparison of these sides gets no verdict; None where no side is disturbed by more than its limit."""
    found = [(one, disturbed(one.results)) for one in sides]
    beyond = [(one, of) for one, of in found if of.exceeds(one.limit)]
    if not beyond:
        return None
    counts = " and ".join(of.sentence(one.name, one.limit) for one, of in beyond)
    limit = beyond[0][0].limit
    return Note(
        f"{QUALIFIED}: other programs disturbed {counts}; {_ADVICE}",
        f"{QUALIFIED}: other programs disturbed more than {limit:.0%} of the trials or slices; {_ADVICE}",
    )


FAR = 3.0
"""A factor that no share of a processor explains which the host's scheduler may have taken from one side alone."""

_BLOCKS = 6


def is_far(logs: Collection[float], control: Spread | None) -> bool:
    """Whether a difference is far larger than what other programs can have made of no difference.

    logs: ratios of blocks, as logarithms. control: the spread of the baseline's ratios with itself on the same host;
    None: nothing is far. All blocks must be beyond FAR on one side. So must the mean by its 95 % interval, of twice its
    width, and by the farthest that the baseline is from itself.
    """
    of = spread(logs)
    if of is None or of.n < _BLOCKS or control is None or control.n < _BLOCKS:
        return False
    sign, limit = math.copysign(1.0, of.mean), math.log(FAR)
    doubt = 2 * of.reach(0.025) + abs(control.mean) + control.reach(0.025) + 2 * control.sd
    return abs(of.mean) - doubt > limit and all(sign * one > limit for one in logs)


def warning(why: Note) -> Note:
    """Beside a verdict that the busy host does not keep from being given."""
    text = f"{why.text.partition(';')[0]}; the difference is far beyond what that can explain"
    return Note(text, f"{QUALIFIED}, and the difference is far beyond what that can explain")


def refused(pairs: Mapping[_Key, Iterable[Side]]) -> dict[_Key, Note]:
    """Why comparisons get no verdict, for those that get none. pairs: the sides of each."""
    reasons = {key: reason(sides) for key, sides in pairs.items()}
    return {key: why for key, why in reasons.items() if why is not None}


def qualified(finding: Finding, *, busy: bool) -> Finding:
    """The finding with `the host was busy` beside its verdict, where it is refused for this."""
    busy = busy and finding.verdict is Verdict.UNDECIDED and not finding.qualified
    return replace(finding, qualified=QUALIFIED) if busy else finding
