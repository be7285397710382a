"""Put the methods together: campaign -> findings, one for every workload and environment, in the plan's order.

The rules, in the order in which they apply (METHODOLOGY.md explains them):
1. the baseline is `baseline`; what cannot run or never gave a value is `not available here`, with the reason;
2. fewer than six complete blocks: `undecided`, no interval;
3. both one-sided tests inside the plan's margin: `equivalent`, even where a tiny difference is significant;
4. Holm-adjusted p below CLAIM_LEVEL over all comparisons of the campaign: `slower` or `faster`;
5. else `undecided`, with what could have been detected and what deciding takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from virtometer.analysis import conditions, cost, difference, equivalence, holm, missing, precision, stalls
from virtometer.analysis.blocks import Cell, Key, cells, log_ratios, seconds_per_block
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.analysis.values import metric, value_of
from virtometer.model import MIN_BLOCKS, Better, Campaign, Estimate, Finding, Verdict

# The chance of any wrong claim of a difference in a whole campaign. The same environment twice must come out different
# in at most 5 of 100 campaigns; at 0.05 that holds on average only, and 38 % of all series of 100 would break it.
CLAIM_LEVEL = 0.02


@dataclass(frozen=True, slots=True)
class _Comparison:
    subject: Cell
    against: Cell
    logs: Spread | None
    p: float | None


def findings(campaign: Campaign) -> tuple[Finding, ...]:
    """Compare every environment with the plan's baseline, in every workload."""
    table = cells(campaign)
    baseline = campaign.plan.baseline
    compared: dict[Key, _Comparison] = {}
    for (workload, environment), cell in table.items():
        against = table.get((workload, baseline))
        if environment != baseline and against is not None:
            shape = cell.shape
            logs = spread(log_ratios(cell.values, against.values, shape[2])) if shape else None
            p = difference.p_value(logs) if logs is not None and logs.n >= MIN_BLOCKS else None
            compared[workload, environment] = _Comparison(cell, against, logs, p)
    tested = {key: comparison.p for key, comparison in compared.items() if comparison.p is not None}
    adjusted = dict(zip(tested, holm.adjust(list(tested.values())), strict=True))
    concluder = _Concluder(campaign, table, adjusted)
    return tuple(
        concluder.comparison(compared[key]) if key in compared else concluder.alone(cell) for key, cell in table.items()
    )


class _Concluder:
    """What all findings of a campaign share: the family of tests, the margin, the length of a block."""

    def __init__(self, campaign: Campaign, table: dict[Key, Cell], adjusted: dict[Key, float]) -> None:
        self.plan = campaign.plan
        self.table = table
        self.status = {status.name: status for status in campaign.environments}
        self.ops = {workload.name: workload.op for workload in self.plan.workloads}
        self.workloads = {workload.name: workload.workload for workload in self.plan.workloads}
        self.adjusted = adjusted
        self.level = holm.level_faced(list(adjusted.values()), CLAIM_LEVEL)
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
            return self._finding(cell, ratio, verdict, said, host_cpu=price)
        said = [*said, f"the plan's baseline {self.plan.baseline} is not among its environments"]
        verdict = Verdict.UNDECIDED if gone is None else Verdict.UNAVAILABLE
        return self._finding(cell, None, verdict, said)

    def comparison(self, of: _Comparison) -> Finding:
        """One environment against the baseline."""
        cell, against, logs = of.subject, of.against, of.logs
        gone = missing.unavailable(cell, self.status.get(cell.environment))
        if gone is not None:
            return self._finding(cell, None, Verdict.UNAVAILABLE, gone)
        said = [
            *conditions.differences(cell, against).values(),
            *conditions.notes(cell),
            *conditions.changes(cell).values(),
            *self._happened(cell, name=""),
            *self._happened(against, name=against.environment),
            *cost.notes(cell, against),
        ]
        if not against.values:
            said.append(f"{against.environment} gave no value to compare with")
        p_adjusted = self.adjusted.get((cell.workload, cell.environment))
        verdict = self._verdict(logs, p_adjusted)
        detectable = blocks = seconds = None
        if verdict is Verdict.UNDECIDED:
            blocks, seconds = self._needed(logs, cell, against)
            detectable = precision.detectable(logs, self.level) if logs is not None else None
            said += self._why_undecided(logs, p_adjusted)
        return self._finding(
            cell, estimate(logs), verdict, said,
            host_cpu=cost.ratio(cell, against), p=of.p, p_adjusted=p_adjusted,
            detectable=detectable, blocks=blocks, seconds=seconds,
        )  # fmt: skip

    def _happened(self, cell: Cell, *, name: str) -> list[str]:
        """What failed, was marked, set aside or stopped; `name` is told where it is not empty."""
        return [*missing.notes(cell, name=name), *stalls.notes(cell, self.plan.rules.max_stall_share, name=name)]

    def _verdict(self, logs: Spread | None, p_adjusted: float | None) -> Verdict:
        if logs is None or logs.n < MIN_BLOCKS or p_adjusted is None:
            return Verdict.UNDECIDED
        p_equivalence = equivalence.p_value(logs, self.plan.margin)
        if p_equivalence is not None and p_equivalence < equivalence.LEVEL:
            return Verdict.EQUIVALENT
        if p_adjusted < CLAIM_LEVEL:
            return Verdict.FASTER if logs.mean > 0 else Verdict.SLOWER
        return Verdict.UNDECIDED

    def _needed(self, logs: Spread | None, cell: Cell, against: Cell) -> tuple[int | None, float | None]:
        if logs is None and (cell.failed or against.failed):
            return None, None
        blocks = (
            precision.blocks_needed(logs, equivalence.limit(self.plan.margin), self.level)
            if logs is not None
            else MIN_BLOCKS
        )
        if blocks is None or self.block_s is None:
            return blocks, None
        return blocks, (blocks - (logs.n if logs is not None else 0)) * self.block_s

    def _why_undecided(self, logs: Spread | None, p_adjusted: float | None) -> list[str]:
        n = logs.n if logs is not None else 0
        if n < MIN_BLOCKS:
            return [f"{n} complete {'block' if n == 1 else 'blocks'}; an interval and a verdict take {MIN_BLOCKS}"]
        interval = estimate(logs)
        outside = interval is not None and (_above(interval.low) or _below(interval.high))
        if outside and p_adjusted is not None:
            return [
                f"the interval of this comparison alone leaves out 1, but among the {len(self.adjusted)} comparisons "
                f"of this campaign that is not enough: a claim takes an adjusted p below {CLAIM_LEVEL:g}"
            ]
        return []

    def _finding(
        self,
        cell: Cell,
        ratio: Estimate | None,
        verdict: Verdict,
        notes: list[str],
        *,
        host_cpu: Estimate | None = None,
        p: float | None = None,
        p_adjusted: float | None = None,
        detectable: float | None = None,
        blocks: int | None = None,
        seconds: float | None = None,
    ) -> Finding:
        op, unit, better = self._shape(cell)
        against = self.table.get((cell.workload, self.plan.baseline), cell)
        gone = verdict is Verdict.UNAVAILABLE
        unlike = () if gone else (*conditions.differences(cell, against), *conditions.changes(cell))
        return Finding(
            workload=cell.workload, op=op, metric=metric(self.kernel(cell), op, unit), unit=unit, better=better,
            subject=cell.environment, against=self.plan.baseline, ratio=ratio, verdict=verdict,
            p_value=p, p_adjusted=p_adjusted, host_cpu_ratio=host_cpu, value=value_of(cell),
            detectable=detectable, blocks_needed=blocks, seconds_needed=seconds, notes=tuple(dict.fromkeys(notes)),
            unlike=tuple(dict.fromkeys(unlike)), levels=cell.treatment.levels,
        )  # fmt: skip

    def kernel(self, cell: Cell) -> str:
        """The workload of the plan, which is the kernel's name but for external tools."""
        return self.workloads[cell.workload]

    def _shape(self, cell: Cell) -> tuple[str, str, Better]:
        """As measured here, else as measured anywhere, else what the plan knows."""
        if cell.shape is not None:
            return cell.shape
        for (workload, _), other in self.table.items():
            if workload == cell.workload and other.shape is not None:
                return other.shape
        return self.ops[cell.workload], "", "higher"


def _above(low: float | None) -> bool:
    return low is not None and low > 1


def _below(high: float | None) -> bool:
    return high is not None and high < 1
