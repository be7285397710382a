"""The control: the baseline compared with itself, as two guests in each block.

Both are the same, so that their ratio is 1; what it differs by is noise. The noise floor is the smallest margin within
which the two guests would be found equivalent by the two one-sided tests of `equivalence`. Verdicts about typical
ratios have the noise floor of typical ratios.
"""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis.blocks import Cell, Key
from virtometer.analysis.equivalence import noise_floor_share
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.analysis.ratios import Ratios, ratios_of
from virtometer.model import Campaign, Control, Estimate, VerdictBy

_FIRST, _SECOND = 1, 2  # numbers of the baseline's guests


def controls(campaign: Campaign, table: Mapping[Key, Cell]) -> tuple[Control, ...]:
    """One for each workload of which some block has both guests, in the plan's order. `table`: the campaign's cells."""
    found = []
    for workload in campaign.plan.workloads:
        cell = table.get((workload.name, campaign.plan.baseline))
        if cell is None or cell.shape is None:
            continue
        compared = _compared(cell, campaign.plan.verdict)
        of = spread(list(compared.decisive.values()))
        if of is None:
            continue
        op, unit, _ = cell.shape
        ratio = estimate(of)
        differs = ratio is not None and _leaves_out_1(ratio)
        found.append(Control(workload.name, op, unit, ratio, noise_floor_share(of), differs, compared.by))
    return tuple(found)


def _leaves_out_1(ratio: Estimate) -> bool:
    return ratio.low is not None and ratio.high is not None and not ratio.low <= 1 <= ratio.high


def control_spread(cell: Cell, by: VerdictBy = "total") -> Spread | None:
    """The spread of the baseline's log ratios over the blocks that have both guests; None without any.

    by: which ratios are wanted. Where not every block has a typical one, they are the total ones.
    """
    return spread(list(_compared(cell, by).decisive.values()))


def _compared(cell: Cell, by: VerdictBy) -> Ratios:
    """The baseline's second guest against its first."""
    if cell.shape is None:
        return Ratios()
    values = cell.starts.get(_SECOND, {}), cell.starts.get(_FIRST, {})
    taken = {} if cell.long_blocks else cell.start_rounds
    return ratios_of(values, (taken.get(_SECOND, {}), taken.get(_FIRST, {})), cell.shape[2], by)
