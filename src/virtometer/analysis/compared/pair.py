"""One comparison before anything is concluded, and the conclusions of a family of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from virtometer.analysis.compare.ratios import Ratios
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.compared import marked as marks
from virtometer.analysis.compared.comparison import Compared, Where
from virtometer.analysis.compared.drift import between_campaigns
from virtometer.analysis.compared.marked import Marked
from virtometer.analysis.compared.worse import tested
from virtometer.analysis.notes import between_stalls, block_shapes, busy
from virtometer.analysis.statistics import student
from virtometer.analysis.statistics.equivalence import noise_floor, noise_floor_share
from virtometer.analysis.statistics.interval import interval, stricter
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.unpaired import difference
from virtometer.analysis.statistics.verdicts import Decision, decide
from virtometer.model import Estimate, Finding, Level, Quantity, VerdictBy


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its logs by block, above 0 where it is better, and what is known beside them.

    control: the spread of the baseline with itself, of the ratios that are compared. value: absolute. hosts: whose
    trials and slices other programs may have disturbed.
    """

    ratios: Ratios
    value: Quantity[Estimate | None]
    control: Spread | None = None
    marked: Marked = field(default_factory=Marked)
    worked_s: float = 0.0
    hosts: tuple[busy.Side, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """What is compared with what. paired: the logs of B against A by block, where both were in the same blocks.

    reference: of the efficiencies that are compared; empty: values are. said: what is known beside the numbers, in
    sentences. unlike: names of the conditions that differ.
    """

    where: Where
    before: Side
    after: Side
    by: VerdictBy
    op: str
    against: str
    levels: Mapping[str, Level] = field(default_factory=dict)
    reference: str = ""
    paired: Ratios | None = None
    said: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both sides are the same measurements, so that no noise is between them."""
        one, other = ((side.ratios, side.value, side.marked) for side in (self.before, self.after))
        return self.paired is None and bool(self.after.ratios.total) and one == other

    @property
    def control(self) -> Spread | None:
        """That of the side with the wider noise floor."""
        known = [side.control for side in (self.before, self.after) if side.control is not None]
        return max(known, key=lambda one: noise_floor(one) or 0.0, default=None)

    def difference(self, by: VerdictBy) -> Spread | None:
        """The logs of B less those of A."""
        if self.paired is not None:
            return spread(self.paired.logs(by).values())
        if self.same:
            return spread(0.0 for _ in self.after.ratios.logs(by))
        after, before = (
            between_campaigns(list(side.ratios.logs(by).values()), side.control) for side in (self.after, self.before)
        )
        return difference(after, before)

    def ratio(self, by: VerdictBy, alpha_factor: float) -> Estimate | None:
        """B against A, with the number of blocks of the side that has fewer."""
        of = self.difference(by)
        return None if of is None else replace(student.of_spread(of, stricter(alpha_factor)), n=self.blocks(by))

    def blocks(self, by: VerdictBy) -> int:
        """Of the side that has fewer."""
        sides = [self.paired] if self.paired is not None else [self.before.ratios, self.after.ratios]
        return min(len(one.logs(by)) for one in sides)

    def reached(self, side: Side) -> Quantity[Estimate | None]:
        """What one side reached: its value, or its efficiency."""
        if not self.reference:
            return side.value
        return efficiency(self.where.environment, self.reference, interval(side.ratios.logs(self.by).values()))


def conclude(pairs: Sequence[Pair], margin: float, alpha_factor: float) -> tuple[Compared, ...]:
    """Decide and test all comparisons as one family. alpha_factor: what every level is multiplied by."""
    refused = refusals(pairs)
    family = {pair.where: pair.difference(pair.by) for pair in pairs}
    controls = {pair.where: pair.control for pair in pairs if pair.control is not None and not pair.same}
    worked = {pair.where: math.inf if pair.same else pair.after.worked_s for pair in pairs}
    decisions = decide(family, margin, controls=controls, refused=refused, alpha_factor=alpha_factor)
    outcomes = tested(family, margin, worked, controls=controls, refused=refused, alpha_factor=alpha_factor)
    made = []
    for pair in pairs:
        decision = _counted(decisions[pair.where], family[pair.where], pair)
        test = outcomes[pair.where]
        sides = (pair.before, pair.after)
        floors = tuple(None if side.control is None else noise_floor_share(side.control) for side in sides)
        finding = _finding(pair, decision, test.why, alpha_factor)
        finding = between_stalls.qualified(finding, pair.difference("total"), margin, alpha_factor)
        finding = busy.qualified(finding, busy=pair.where in refused)
        made.append(
            Compared(
                where=pair.where, finding=finding,
                before=pair.reached(pair.before), after=pair.reached(pair.after), tested=test,
                marked=(pair.before.marked, pair.after.marked), floors=(floors[0], floors[1]),
                worked_s=pair.after.worked_s,
            )
        )  # fmt: skip
    return tuple(made)


def refusals(pairs: Sequence[Pair]) -> dict[Where, str]:
    """Why comparisons get no verdict, in sentences: on either side the host was busy."""
    hosts = {pair.where: [*pair.before.hosts, *pair.after.hosts] for pair in pairs if not pair.same}
    return {where: why.text for where, why in busy.refused(hosts).items()}


def _counted(decision: Decision, of: Spread | None, pair: Pair) -> Decision:
    """With the blocks of the campaigns in place of the degrees of freedom of their difference."""
    per_block = 1.0 if of is None else pair.blocks(pair.by) / of.n
    needed, low, high = (
        None if blocks is None else math.ceil(blocks * per_block)
        for blocks in (decision.blocks_needed, decision.blocks_needed_low, decision.blocks_needed_high)
    )
    return replace(decision, blocks_needed=needed, blocks_needed_low=low, blocks_needed_high=high)


def _finding(pair: Pair, decision: Decision, why: Sequence[str], alpha_factor: float) -> Finding:
    said = [
        *(["A and B are the same measurements"] if pair.same else []),
        *pair.said,
        *(
            note
            for name, side in zip("AB", (pair.before, pair.after), strict=True)
            for note in block_shapes.of_one((side.ratios.logs(pair.by) or side.ratios.total).values(), name)
        ),
        *marks.notes(pair.before.marked, pair.after.marked),
        *decision.why,
        *why,
    ]
    sides, typical = (pair.where.environment, pair.against), pair.ratio("typical", alpha_factor)
    return Finding(
        **decision.concluded, workload=pair.where.workload, op=pair.op, value=pair.after.value,
        ratio=efficiency(*sides, pair.ratio("total", alpha_factor)),
        typical=typical and efficiency(*sides, typical, "trimmed mean"), notes=tuple(dict.fromkeys(said)),
        unlike=pair.unlike, levels=pair.levels, verdict_by=pair.by,
    )  # fmt: skip
