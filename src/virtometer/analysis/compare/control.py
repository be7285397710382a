"""The control: the baseline compared with itself, as two guests in each block.

Both are the same, so that their ratio is 1; what it differs by is noise. The noise floor is the smallest margin within
which the two guests would be found equivalent by the two one-sided tests of `equivalence`. Verdicts about typical
ratios have the noise floor of typical ratios. Where a block has groups of guests, each with the baseline, the group
with the largest noise floor stands for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis.compare.blocks import Cell, Key, beside
from virtometer.analysis.compare.ratios import Ratios, ratios_of
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.statistics.equivalence import noise_floor_share
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.model import Campaign, Control, VerdictBy

_FIRST, _SECOND = 1, 2  # numbers of the baseline's guests


def controls(campaign: Campaign, table: Mapping[Key, Cell]) -> tuple[Control, ...]:
    """One for each workload of which some block has both guests, in the plan's order. `table`: the campaign's cells."""
    found = []
    for workload in campaign.plan.workloads:
        cell = table.get((workload.name, campaign.plan.baseline))
        if cell is None or cell.shape is None:
            continue
        compared = _widest(table, cell, campaign.plan.verdict)
        of, estimate = _spread(compared), interval(compared.decisive.values())
        if of is not None and estimate is not None:
            ratio = efficiency(cell.environment, cell.environment, estimate)
            found.append(Control(workload.name, cell.shape[0], ratio, noise_floor_share(of), compared.by))
    return tuple(found)


def _widest(table: Mapping[Key, Cell], baseline: Cell, by: VerdictBy) -> Ratios:
    """The ratios of the group of guests with the largest noise floor; of all blocks where there are no groups."""
    others = [cell for key, cell in table.items() if key[0] == baseline.workload]
    apart = [group for cell in others if (group := beside(cell, baseline)) is not baseline]
    return max((_compared(group, by) for group in apart or [baseline]), key=_floor)


def _floor(of: Ratios) -> float:
    """Below 0 where no block has both guests."""
    there = _spread(of)
    return -1.0 if there is None else noise_floor_share(there) or 0.0


def control_spread(cell: Cell, by: VerdictBy = "total") -> Spread | None:
    """The spread of the baseline's log ratios over the blocks that have both guests; None without any.

    by: which ratios are wanted. Where not every block has a typical one, they are the total ones.
    """
    return _spread(_compared(cell, by))


def _spread(of: Ratios) -> Spread | None:
    return spread(of.decisive.values())


def _compared(cell: Cell, by: VerdictBy) -> Ratios:
    """The baseline's second guest against its first."""
    if cell.shape is None:
        return Ratios()
    values = cell.starts.get(_SECOND, {}), cell.starts.get(_FIRST, {})
    taken = {} if cell.long_blocks else cell.start_rounds
    second, first = ({block: (of,) for block, of in taken.get(guest, {}).items()} for guest in (_SECOND, _FIRST))
    return ratios_of(values, (second, first), cell.shape[2], by)
