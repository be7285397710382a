"""The control: the baseline compared with itself, as two guests in each block.

Both are the same, so that their ratio is 1; what it differs by is noise. The noise floor is the smallest margin within
which the two guests would be found equivalent by the two one-sided tests of `equivalence`.
"""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis.blocks import Cell, Key, cells, log_ratios
from virtometer.analysis.equivalence import noise_floor_share
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.model import Campaign, Control, Estimate

_FIRST, _SECOND = 1, 2  # numbers of the baseline's guests


def controls(campaign: Campaign) -> tuple[Control, ...]:
    """One for each workload of which some block has both guests, in the plan's order."""
    table = cells(campaign)
    found = []
    for workload in campaign.plan.workloads:
        cell = table.get((workload.name, campaign.plan.baseline))
        if cell is None or cell.shape is None or (of := control_spread(cell)) is None:
            continue
        op, unit, _ = cell.shape
        ratio = estimate(of)
        differs = ratio is not None and _leaves_out_1(ratio)
        found.append(Control(workload.name, op, unit, ratio, noise_floor_share(of), differs))
    return tuple(found)


def _leaves_out_1(ratio: Estimate) -> bool:
    return ratio.low is not None and ratio.high is not None and not ratio.low <= 1 <= ratio.high


def control_spreads(table: Mapping[Key, Cell], baseline: str) -> dict[str, Spread]:
    """By workload: the spread of the log ratios of the baseline's two guests. Workloads without both are absent."""
    found = {key[0]: control_spread(cell) for key, cell in table.items() if key[1] == baseline}
    return {workload: of for workload, of in found.items() if of is not None}


def control_spread(cell: Cell) -> Spread | None:
    """The spread of the baseline's log ratios over the blocks that have both guests; None without any."""
    if cell.shape is None:
        return None
    return spread(log_ratios(cell.starts.get(_SECOND, {}), cell.starts.get(_FIRST, {}), cell.shape[2]))
