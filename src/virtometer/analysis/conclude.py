"""Put the methods together: campaign -> findings, one for every workload and environment, in the plan's order.

The baseline is `baseline`; what cannot run or never gave a value is `not available here`, with the reason. `verdicts`
decides the rest.
"""

from __future__ import annotations

import math
import statistics

from virtometer.analysis import conditions, cost, missing, stalls, typical
from virtometer.analysis.blocks import Cell, Key, cells, counterpart, log_ratios, seconds_per_block
from virtometer.analysis.interval import estimate, spread
from virtometer.analysis.slices import long_windows
from virtometer.analysis.values import metric, value_of
from virtometer.analysis.verdicts import Decision, decide
from virtometer.analysis.window_level import level
from virtometer.model import Better, Campaign, Estimate, Finding, Verdict


def findings(campaign: Campaign) -> tuple[Finding, ...]:
    """Compare every environment with the plan's baseline, in every workload."""
    table = cells(campaign)
    baseline = campaign.plan.baseline
    family = {}
    for key, cell in table.items():
        against = table.get((cell.workload, baseline))
        if cell.environment != baseline and against is not None:
            shape = cell.shape
            logs = log_ratios(cell.values, counterpart(cell, against), shape[2]) if shape else []
            family[key] = spread(logs)
    decisions = decide(family, campaign.plan.margin)
    concluder = _Concluder(campaign, table)
    return tuple(
        concluder.comparison(cell, decisions[key]) if key in decisions else concluder.alone(cell)
        for key, cell in table.items()
    )


class _Concluder:
    """What all findings of a campaign share: the plan, the table of cells, the length of a block."""

    def __init__(self, campaign: Campaign, table: dict[Key, Cell]) -> None:
        self.plan = campaign.plan
        self.table = table
        self.status = {status.name: status for status in campaign.environments}
        self.workloads = {workload.name: workload for workload in self.plan.workloads}
        self.block_s = seconds_per_block(campaign)

    def alone(self, cell: Cell) -> Finding:
        """The baseline's own row, or a row that has no baseline to be compared with."""
        gone = missing.unavailable(cell, self.status.get(cell.environment))
        happened = [*self._happened(cell, name=""), *conditions.notes(cell), *conditions.changes(cell).values()]
        said = happened if gone is None else gone
        if cell.environment == self.plan.baseline:
            ratio = Estimate(1.0, None, None, len(cell.values)) if cell.values else None
            verdict = Verdict.BASELINE if gone is None else Verdict.UNAVAILABLE
            price = Estimate(1.0, None, None, len(cell.costs)) if cell.costs else None
            return self._finding(cell, Decision(ratio, verdict, None, None), said, host_cpu=price)
        said = [*said, f"the plan's baseline {self.plan.baseline} is not among its environments"]
        verdict = Verdict.UNDECIDED if gone is None else Verdict.UNAVAILABLE
        return self._finding(cell, Decision(None, verdict, None, None), said)

    def comparison(self, cell: Cell, decision: Decision) -> Finding:
        """One environment against the baseline."""
        against = self.table[cell.workload, self.plan.baseline]
        gone = missing.unavailable(cell, self.status.get(cell.environment))
        if gone is not None:
            return self._finding(cell, Decision(None, Verdict.UNAVAILABLE, None, None), gone)
        typical_ratio = self._typical(cell, against)
        said = [
            *conditions.differences(cell, against).values(),
            *conditions.notes(cell),
            *conditions.changes(cell).values(),
            *self._happened(cell, name=""),
            *self._happened(against, name=against.environment),
            *cost.notes(cell, against),
            *stalls.cost(decision.ratio, typical_ratio),
            *self._levels(cell, against),
        ]
        if not against.values:
            said.append(f"{against.environment} gave no value to compare with")
        never = decision.ratio is None and bool(cell.failed or against.failed)
        return self._finding(
            cell,
            decision,
            [*said, *decision.why],
            host_cpu=cost.ratio(cell, against),
            typical_ratio=typical_ratio,
            never_decided=never,
        )

    def _levels(self, cell: Cell, against: Cell) -> list[str]:
        """That slices would not measure what a long window measures, in a sentence."""
        if not cell.long_blocks:
            return []
        changes = {"its": self._change(cell), f"{against.environment}'s": self._change(against)}
        said = [
            f"{whose} speed changes within a window: after {self.plan.slice_s * 1e3:g} ms it is {change:.3g} times "
            "that of the beginning"
            for whose, change in changes.items()
            if abs(math.log(change)) > math.log1p(self.plan.margin)
        ]
        return ["; ".join([*said, "windows as long as the plan's are compared here, not slices"])]

    def _change(self, cell: Cell) -> float:
        """How many times the speed of its beginning a long window of a cell reaches later (median); 1: not known."""
        slice_ns = round(self.plan.slice_s * 1e9)
        windows = [one for _, run in cell.results for one in long_windows(run.samples).values()]
        found = [one for one in (level(window, slice_ns) for window in windows) if one is not None]
        return statistics.median(one.later / one.beginning for one in found) if found else 1.0

    def _typical(self, cell: Cell, against: Cell) -> Estimate | None:
        if cell.long_blocks or against.long_blocks:
            return None
        _, _, better = self._shape(cell)
        return estimate(spread(typical.log_ratios(cell.rounds, against.rounds, better)))

    def _happened(self, cell: Cell, *, name: str) -> list[str]:
        """What failed, was marked, set aside or stopped; `name` is told where it is not empty."""
        return [*missing.notes(cell, name=name), *stalls.notes(cell, self.plan.rules.max_stall_share, name=name)]

    def _finding(
        self,
        cell: Cell,
        decision: Decision,
        notes: list[str],
        *,
        host_cpu: Estimate | None = None,
        typical_ratio: Estimate | None = None,
        never_decided: bool = False,
    ) -> Finding:
        """`never_decided`: more blocks will not help, because all trials failed so far."""
        op, unit, better = self._shape(cell)
        against = self.table.get((cell.workload, self.plan.baseline), cell)
        gone = decision.verdict is Verdict.UNAVAILABLE
        unlike = () if gone else (*conditions.differences(cell, against), *conditions.changes(cell))
        blocks = None if never_decided else decision.blocks_needed
        more = None if blocks is None else blocks - (decision.ratio.n if decision.ratio is not None else 0)
        return Finding(
            workload=cell.workload, op=op, metric=metric(self.workloads[cell.workload].workload, op, unit),
            unit=unit, better=better, subject=cell.environment, against=self.plan.baseline,
            ratio=decision.ratio, typical=typical_ratio, verdict=decision.verdict,
            p_value=decision.p_value, p_adjusted=decision.p_adjusted, host_cpu_ratio=host_cpu, value=value_of(cell),
            detectable=decision.detectable, blocks_needed=blocks,
            seconds_needed=None if more is None or self.block_s is None else more * self.block_s,
            notes=tuple(dict.fromkeys(notes)), unlike=tuple(dict.fromkeys(unlike)), levels=cell.treatment.levels,
        )  # fmt: skip

    def _shape(self, cell: Cell) -> tuple[str, str, Better]:
        """As measured here, else as measured anywhere, else what the plan knows."""
        if cell.shape is not None:
            return cell.shape
        for (workload, _), other in self.table.items():
            if workload == cell.workload and other.shape is not None:
                return other.shape
        return self.workloads[cell.workload].op, "", "higher"
