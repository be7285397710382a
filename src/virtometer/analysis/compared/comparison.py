"""What is concluded of two campaigns, or of two environments: findings, and whether anything is worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from virtometer.analysis.compared.marked import Marked
from virtometer.analysis.compared.worse import Outcome, Tested
from virtometer.model import Estimate, Finding, Quantity


class Where(NamedTuple):
    """What is compared. Of a group of guests: the scenario, and how many guests worked, loads included.

    which: numbers groups that differ in nothing else, from 0. environment: of a matrix its source and target.
    """

    workload: str
    environment: str
    scenario: str = ""
    guests: int = 0
    which: int = 0


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison: the finding about B against A, and whether B is worse by more than the margin.

    before, after: what A and B reached: efficiencies, or values. floors: noise floor of the
    control of A and of B, as shares; None: not known. worked_s: seconds of counted work of B.
    """

    where: Where
    finding: Finding
    before: Quantity[Estimate | None]
    after: Quantity[Estimate | None]
    tested: Tested
    marked: tuple[Marked, Marked]
    floors: tuple[float | None, float | None]
    worked_s: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything about B against A.

    absolute: whether values are compared. left_out: what stands on one side alone or was not alike, in sentences.
    lost: what A measured and B did not, although its plan has it, in sentences. differing: what else differs between
    both campaigns, in sentences.
    """

    compared: tuple[Compared, ...]
    absolute: bool
    margin: float
    left_out: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of each comparison."""
        return tuple(one.finding for one in self.compared)

    @property
    def worse(self) -> tuple[Compared, ...]:
        """Where B is worse by more than the margin."""
        return tuple(self._with(Outcome.WORSE))

    @property
    def not_worse(self) -> tuple[Compared, ...]:
        """Where a loss as large as the margin is excluded."""
        return tuple(self._with(Outcome.NOT_WORSE))

    @property
    def open(self) -> tuple[Compared, ...]:
        """Where neither is shown."""
        return tuple(self._with(Outcome.OPEN))

    @property
    def outcome(self) -> Outcome:
        """Of all: worse where one is, not worse where all are and nothing is lost, else open."""
        if self.worse:
            return Outcome.WORSE
        return Outcome.OPEN if self.open or self.lost else Outcome.NOT_WORSE

    def _with(self, outcome: Outcome) -> Iterator[Compared]:
        return (one for one in self.compared if one.tested.outcome is outcome)
