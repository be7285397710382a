"""How many of the trials behind one side of a comparison were marked as disturbed, and by what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from virtometer.counted import counted
from virtometer.model import TrialRecord


@dataclass(frozen=True, slots=True)
class Marked:
    """Trials of one side that are done, how many of them have a mark, and how many have each kind of mark."""

    trials: int = 0
    marked: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)

    def words(self, name: str) -> str:
        """`3 of 16 trials in A (foreign 3, run-delay 1)`; name: of the side."""
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.kinds.items())
        return f"{self.marked} of {counted(self.trials, 'trial')} in {name}" + (f" ({kinds})" if kinds else "")


def marked(records: Iterable[TrialRecord]) -> Marked:
    """Of the records of one side; each counts once, however often it is there."""
    once = {record.trial.index: record for record in records}.values()
    of_each = [frozenset(mark.kind.value for mark in record.marks) for record in once]
    kinds = Counter(kind for kinds in of_each for kind in sorted(kinds))
    return Marked(len(of_each), sum(map(bool, of_each)), dict(sorted(kinds.items())))


def notes(before: Marked, after: Marked) -> list[str]:
    """How many trials were marked on each side, in a sentence; none where no trial was."""
    if before.marked == after.marked == 0:
        return []
    return [f"marked as disturbed: {before.words('A')}, {after.words('B')}"]
