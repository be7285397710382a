"""How many timed runs `virtometer time` makes of each command, where its options say so. PURE."""

from __future__ import annotations

from dataclasses import dataclass

from virtometer.cli.timing.plan import LONG_S
from virtometer.errors import UsageError
from virtometer.model import MIN_BLOCKS

MOST = 10_000
"""Runs of a command in each environment."""

_FEWEST_TURNS = 6  # of a guest in a block, however slow it is
_SHORTEST_S = 0.001  # of a run, with all that comes before and after it


@dataclass(frozen=True, slots=True)
class Runs:
    """What was asked for; None where it was not. All numbers are from 1 to MOST. turns: whether guests take turns."""

    exactly: int | None = None
    least: int | None = None
    most: int | None = None
    turns: bool = True

    @property
    def fixed(self) -> bool:
        """Whether no further block may follow those of the plan."""
        return self.exactly is not None or self.most is not None

    def of(self, length_s: float, budget_s: float, guests: int) -> int | None:
        """The runs of a command that takes so long natively, in each guest; None where the plan's window decides.

        guests: of a block. With a largest number: as many as fit into the budget, as hyperfine has it.
        """
        if self.exactly is not None:
            return self.exactly
        if self.most is not None:
            fitting = int(budget_s / (guests * max(length_s, _SHORTEST_S)))
            return min(self.most, max(fitting, self.least or 0, MIN_BLOCKS))
        usual = MIN_BLOCKS * _FEWEST_TURNS if self.turns and length_s < LONG_S else MIN_BLOCKS
        return self.least if self.least is not None and self.least > usual else None


def runs(
    exactly: int | None,
    least: int | None,
    most: int | None,
    *,
    budget: bool = False,
    precision: bool = False,
    turns: bool = True,
) -> Runs:
    """What the options say. budget, precision: whether these options are given. turns: whether guests take turns.

    Raises UsageError for numbers that are out of range, and for options that exclude each other.
    """
    for option, number in (("--runs", exactly), ("--min-runs", least), ("--max-runs", most)):
        if number is not None and not 1 <= number <= MOST:
            raise UsageError(f"{option} is {number}, but must be from 1 to {MOST:,}")
    if exactly is not None and (least is not None or most is not None):
        raise UsageError("--runs is an exact number, and --min-runs and --max-runs are bounds", advice="leave one out")
    if least is not None and most is not None and least > most:
        raise UsageError(f"--min-runs {least} is more than --max-runs {most}")
    if exactly is not None and budget:
        raise UsageError("--runs makes its runs however long they take, so that --budget has no meaning")
    if precision and (exactly is not None or most is not None):
        option = "--runs" if exactly is not None else "--max-runs"
        raise UsageError(f"{option} limits the runs, and --precision measures until an interval is small enough")
    return Runs(exactly, least, most, turns)
