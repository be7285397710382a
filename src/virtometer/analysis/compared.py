"""Two campaigns, or two environments of one, compared in every workload.

Between campaigns efficiencies are compared, each within its own blocks: what changed on the host for the baseline
as well is in none of them. `absolute` compares the values themselves, with what else differs between the two times.
Within a campaign both environments are in the same blocks, or, in groups of guests, each beside its own baseline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from virtometer.analysis import conditions, series_shape
from virtometer.analysis.blocks import Cell, Key, apart, beside, cells, counterpart, log_ratios, logs_by_block
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.analysis.unpaired import difference
from virtometer.analysis.values import metric, value_of
from virtometer.analysis.verdicts import Decision, decide
from virtometer.errors import UsageError
from virtometer.model import Better, Campaign, Estimate, Finding, PlanWorkload, Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Findings about B against A, with what either reached: efficiencies, or values in the unit of the finding.

    absolute: whether values are compared. left_out: what stands on one side alone or was not alike, in sentences.
    """

    findings: tuple[Finding, ...]
    reached: Mapping[Key, tuple[Estimate | None, Estimate | None]]
    absolute: bool
    margin: float
    left_out: tuple[str, ...] = ()

    @property
    def worse(self) -> tuple[Finding, ...]:
        """Where B is slower by more than the margin."""
        return tuple(one for one in self.findings if one.verdict is Verdict.SLOWER and not self._within(one))

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """Where nothing is decided, or B is slower and nobody knows whether by more than the margin."""
        return tuple(
            one
            for one in self.findings
            if one.verdict is Verdict.UNDECIDED or (one.verdict is Verdict.SLOWER and self._within(one))
        )

    def _within(self, one: Finding) -> bool:
        return one.ratio is not None and one.ratio.value >= 1 / (1 + self.margin)


@dataclass(slots=True)
class _Pair:
    """One comparison: the cells, and the logs that are compared, above 0 where it is better."""

    before: Cell
    after: Cell
    logs_before: list[float]
    logs_after: list[float]
    better: Better


def compare_campaigns(a: Campaign, b: Campaign, margin: float, *, absolute: bool = False) -> Comparison:
    """What became better or worse from campaign A to campaign B.

    Raises UsageError where they have nothing in common, or other baselines (unless values are compared).
    """
    if a.plan.baseline != b.plan.baseline and not absolute:
        raise UsageError(
            f"the baselines differ: {a.plan.baseline} in A, {b.plan.baseline} in B", advice="compare values: --absolute"
        )
    cells_a, cells_b = cells(a), cells(b)
    left_out = _one_sided(cells_a, cells_b)
    pairs: dict[Key, _Pair] = {}
    for key, after in cells_b.items():
        before = cells_a.get(key)
        if before is None or (key[1] == b.plan.baseline and not absolute):
            continue
        if (reason := _unlike(_workload(a, key[0]), _workload(b, key[0]))) is not None:
            left_out.append(f"{key[0]} is not compared: {reason}")
        elif before.shape is not None and after.shape is not None:
            better = after.shape[2]
            logs = [
                _values(cell, better)
                if absolute
                else log_ratios(cell.values, counterpart(cell, beside(cell, of[key[0], base])), better)
                for cell, of, base in ((before, cells_a, a.plan.baseline), (after, cells_b, b.plan.baseline))
            ]
            pairs[key] = _Pair(before, after, logs[0], logs[1], better)
        else:
            left_out.append(f"{key[0]} in {key[1]} has no value in {'A' if before.shape is None else 'B'}")
    if not pairs:
        raise UsageError("the two campaigns have no workload with values in the same environment in common")
    family = {key: difference(spread(pair.logs_after), spread(pair.logs_before)) for key, pair in pairs.items()}
    decisions = decide(family, margin)
    findings = tuple(
        _finding(b, key, pair, _counted(decisions[key], family[key], pair), key[1]) for key, pair in pairs.items()
    )
    reached = {key: _reached(pair, absolute=absolute) for key, pair in pairs.items()}
    return Comparison(findings, reached, absolute, margin, tuple(dict.fromkeys(left_out)))


def compare_environments(campaign: Campaign, a: str, b: str, margin: float) -> Comparison:
    """Environment B against environment A of one campaign, block by block. Raises UsageError for unknown names."""
    known = [environment.name for environment in campaign.plan.environments]
    for name in (a, b):
        if name not in known:
            raise UsageError(f"the campaign has no environment {name}; it has {', '.join(known)}")
    if a == b:
        raise UsageError(f"{a} is compared with itself: name two environments")
    table = cells(campaign)
    pairs: dict[Key, _Pair] = {}
    family: dict[Key, Spread | None] = {}
    left_out = []
    for workload in campaign.plan.workloads:
        one, other = table.get((workload.name, a)), table.get((workload.name, b))
        if one is None or other is None:
            left_out.append(f"{workload.name} is not measured alone in {a if one is None else b}")
            continue
        before, after = beside(other, one), beside(one, other)
        if before.shape is None or after.shape is None:
            left_out.append(f"{workload.name} has no value in {a if before.shape is None else b}")
            continue
        key, better = (workload.name, b), after.shape[2]
        pairs[key] = _Pair(before, after, _values(before, better), _values(after, better), better)
        family[key] = spread(_within(after, before, table.get((workload.name, campaign.plan.baseline)), better))
    if not pairs:
        raise UsageError(f"no workload has a value in both {a} and {b}")
    decisions = decide(family, margin)
    findings = tuple(_finding(campaign, key, pair, decisions[key], a) for key, pair in pairs.items())
    reached = {key: (value_of(pair.before), value_of(pair.after)) for key, pair in pairs.items()}
    return Comparison(findings, reached, True, margin, tuple(left_out))


def _within(after: Cell, before: Cell, baseline: Cell | None, better: Better) -> list[float]:
    """Logs by block. Where both were in other groups they are compared by their ratios to the baseline beside each."""
    direct = logs_by_block(after.values, counterpart(after, before), better)
    if baseline is None or not (blocks := apart(after, before, baseline)):
        return list(direct.values())
    one, other = (
        logs_by_block(cell.values, counterpart(cell, beside(cell, baseline)), better) for cell in (after, before)
    )
    found = {block: log for block, log in direct.items() if block not in blocks}
    found |= {block: one[block] - other[block] for block in blocks & one.keys() & other.keys()}
    return [found[block] for block in sorted(found)]


def _one_sided(one: Mapping[Key, Cell], other: Mapping[Key, Cell]) -> list[str]:
    return [
        f"{workload} in {environment} is only in {'A' if (workload, environment) in one else 'B'}"
        for workload, environment in dict.fromkeys([*one, *other])
        if ((workload, environment) in one) != ((workload, environment) in other)
    ]


def _workload(campaign: Campaign, name: str) -> PlanWorkload:
    return next(workload for workload in campaign.plan.workloads if workload.name == name)


def _unlike(one: PlanWorkload, other: PlanWorkload) -> str | None:
    """How two workloads of one name differ; None where they are the same."""
    for field in ("workload", "op", "parameters", "threads"):
        if getattr(one, field) != getattr(other, field):
            return f"its {field} differ: {getattr(one, field)} in A, {getattr(other, field)} in B"
    return None


def _values(cell: Cell, better: Better) -> list[float]:
    sign = 1.0 if better == "higher" else -1.0
    return [sign * math.log(value) for value in cell.values.values()]


def _reached(pair: _Pair, *, absolute: bool) -> tuple[Estimate | None, Estimate | None]:
    if absolute:
        return value_of(pair.before), value_of(pair.after)
    return estimate(spread(pair.logs_before)), estimate(spread(pair.logs_after))


def _counted(decision: Decision, of: Spread | None, pair: _Pair) -> Decision:
    """With the blocks of the campaigns in place of the degrees of freedom of their difference."""
    n = min(len(pair.logs_before), len(pair.logs_after))
    ratio = None if decision.ratio is None else replace(decision.ratio, n=n)
    needed = decision.blocks_needed
    if needed is not None and of is not None:
        needed = math.ceil(needed * n / of.n)
    return replace(decision, ratio=ratio, blocks_needed=needed)


def _finding(campaign: Campaign, key: Key, pair: _Pair, decision: Decision, against: str) -> Finding:
    workload, subject = key
    op, unit, better = pair.after.shape or ("", "", pair.better)
    differ = conditions.differences(pair.after, pair.before)
    notes = [
        *differ.values(),
        *series_shape.notes(pair.logs_before, "A"),
        *series_shape.notes(pair.logs_after, "B"),
        *decision.why,
    ]
    return Finding(
        workload=workload, op=op, metric=metric(_workload(campaign, workload).workload, op, unit), unit=unit,
        better=better, subject=subject, against=against, ratio=decision.ratio, verdict=decision.verdict,
        p_value=decision.p_value, p_adjusted=decision.p_adjusted, host_cpu_ratio=None, value=value_of(pair.after),
        detectable=decision.detectable, blocks_needed=decision.blocks_needed, seconds_needed=None,
        notes=tuple(dict.fromkeys(notes)), unlike=tuple(differ), levels=pair.after.treatment.levels,
    )  # fmt: skip


def differing(a: Campaign, b: Campaign, changed: Sequence[str]) -> list[str]:
    """What differs between two campaigns beside their numbers, in sentences; `changed`: of their hosts."""
    names = dict.fromkeys([*a.versions, *b.versions])
    return [
        *(f"host: {phrase}" for phrase in changed),
        *(
            f"{name}: {a.versions.get(name, 'absent')} in A, {b.versions.get(name, 'absent')} in B"
            for name in names
            if a.versions.get(name) != b.versions.get(name)
        ),
    ]
