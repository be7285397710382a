"""The control: the baseline compared with itself, as two guests in each block.

Both are the same, so that their ratio is 1; what it differs by is noise. The noise floor is the smallest margin within
which the two guests would be found equivalent by the two one-sided tests of `equivalence`. Verdicts about typical
ratios have the noise floor of typical ratios. Where a block has groups of guests, each with the baseline, the group
with the largest noise floor stands for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis.compare.blocks import Key, TreatmentData, beside
from virtometer.analysis.compare.ratios import Ratios, ratios_of
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.statistics.equivalence import noise_floor_share
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.model import Campaign, Control, VerdictBy

_FIRST, _SECOND = 1, 2  # numbers of the baseline's guests


def controls(campaign: Campaign, table: Mapping[Key, TreatmentData]) -> tuple[Control, ...]:
    """One for each workload of which some block has both guests, in the plan's order. `table`: of the campaign."""
    found = []
    for workload in campaign.plan.workloads:
        data = table.get((workload.name, campaign.plan.baseline))
        if data is None or data.shape is None:
            continue
        compared = _widest(table, data, campaign.plan.verdict)
        of, estimate = _spread(compared), interval(compared.decisive.values())
        if of is not None and estimate is not None:
            ratio = efficiency(data.environment, data.environment, estimate)
            found.append(Control(workload.name, data.shape[0], ratio, noise_floor_share(of), compared.by))
    return tuple(found)


def _widest(table: Mapping[Key, TreatmentData], baseline: TreatmentData, by: VerdictBy) -> Ratios:
    """The ratios of the group of guests with the largest noise floor; of all blocks where there are no groups."""
    others = [data for key, data in table.items() if key[0] == baseline.workload]
    apart = [group for data in others if (group := beside(data, baseline)) is not baseline]
    return max((_compared(group, by) for group in apart or [baseline]), key=_floor)


def _floor(of: Ratios) -> float:
    """Below 0 where no block has both guests."""
    there = _spread(of)
    return -1.0 if there is None else noise_floor_share(there) or 0.0


def control_spread(data: TreatmentData, by: VerdictBy = "total") -> Spread | None:
    """The spread of the baseline's log ratios over the blocks that have both guests; None without any.

    by: which ratios are wanted. Where not every block has a typical one, they are the total ones.
    """
    return _spread(_compared(data, by))


def _spread(of: Ratios) -> Spread | None:
    return spread(of.decisive.values())


def _compared(data: TreatmentData, by: VerdictBy) -> Ratios:
    """The baseline's second guest against its first."""
    if data.shape is None:
        return Ratios()
    values = data.starts.get(_SECOND, {}), data.starts.get(_FIRST, {})
    taken = {} if data.long_blocks else data.start_rounds
    second, first = ({block: (of,) for block, of in taken.get(guest, {}).items()} for guest in (_SECOND, _FIRST))
    return ratios_of(values, (second, first), data.shape[2], by)
