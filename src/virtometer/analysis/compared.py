"""Two campaigns, or two environments of one, compared in every workload.

Between campaigns efficiencies are compared, each within its own blocks: what changed on the host for the baseline
as well is in none of them. `absolute` compares the values themselves, with what else differs between the two times.
Within a campaign both environments are in the same blocks, or, in groups of guests, each beside its own baseline.
Total or typical ratios are compared, as the plans chose; levels and noise floors are those of the campaigns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from virtometer.analysis import busy, conditions, series_shape, unlike
from virtometer.analysis.blocks import Cell, Key, apart, beside, cells
from virtometer.analysis.conclude import strictness
from virtometer.analysis.control import control_spread
from virtometer.analysis.equivalence import noise_floor
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.analysis.ratios import Ratios, ratios
from virtometer.analysis.unpaired import difference
from virtometer.analysis.values import metric, value_of
from virtometer.analysis.verdicts import Decision, decide
from virtometer.errors import UsageError
from virtometer.model import Campaign, Estimate, Finding, Verdict, VerdictBy

_BOTH: tuple[VerdictBy, ...] = ("total", "typical")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Findings about B against A, with what either reached: efficiencies, or values in the unit of the finding.

    absolute: whether values are compared. left_out: what stands on one side alone or was not alike, in sentences.
    lost: what A measured and B did not, although its plan has it, in sentences.
    """

    findings: tuple[Finding, ...]
    reached: Mapping[Key, tuple[Estimate | None, Estimate | None]]
    absolute: bool
    margin: float
    left_out: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

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
        return one.decisive is not None and one.decisive.value >= 1 / (1 + self.margin)


@dataclass(frozen=True, slots=True)
class _Pair:
    """One comparison: the cells, and the logs of either side that are compared, above 0 where it is better.

    control: the wider noise of a baseline with itself, of the ratios that are compared. said: how they were measured
    differently, in sentences.
    """

    before: Cell
    after: Cell
    ratios_before: Ratios
    ratios_after: Ratios
    by: VerdictBy
    control: Spread | None = None
    said: tuple[str, ...] = ()

    def logs(self, by: VerdictBy) -> tuple[list[float], list[float]]:
        """Of A and of B."""
        return list(self.ratios_before.logs(by).values()), list(self.ratios_after.logs(by).values())

    def difference(self, by: VerdictBy) -> Spread | None:
        """Of B less A."""
        before, after = self.logs(by)
        return difference(spread(after), spread(before))


def compare_campaigns(
    a: Campaign, b: Campaign, margin: float, *, absolute: bool = False, verdict: VerdictBy | None = None
) -> Comparison:
    """What became better or worse from campaign A to campaign B.

    verdict: which ratios are compared; None: those that both plans chose, else total ones. Values are total ones.
    Raises UsageError where they have nothing in common, or other baselines (unless values are compared).
    """
    if a.plan.baseline != b.plan.baseline and not absolute:
        raise UsageError(
            f"the baselines differ: {a.plan.baseline} in A, {b.plan.baseline} in B", advice="compare values: --absolute"
        )
    wanted = verdict or (a.plan.verdict if a.plan.verdict == b.plan.verdict else "total")
    cells_a, cells_b = cells(a), cells(b)
    left_out, lost = _one_sided(cells_a, cells_b), []
    pairs: dict[Key, _Pair] = {}
    sides: dict[Key, list[busy.Side]] = {}
    for key, after in cells_b.items():
        before = cells_a.get(key)
        if before is None or (key[1] == b.plan.baseline and not absolute):
            continue
        if (reason := unlike.workloads(*(unlike.workload_of(of, key[0]) for of in (a, b)))) is not None:
            left_out.append(f"{key[0]} is not compared: {reason}")
        elif before.shape is not None and after.shape is not None:
            bases = tuple(
                of.get((key[0], base)) for of, base in ((cells_a, a.plan.baseline), (cells_b, b.plan.baseline))
            )
            said = unlike.measured(a, b, before, after)
            sides[key] = [
                *busy.sides_of(before, _baseline(before, bases[0]), plan=a.plan, where=" in A"),
                *busy.sides_of(after, _baseline(after, bases[1]), plan=b.plan, where=" in B"),
            ]
            pairs[key] = _pair((before, after), bases, None if absolute else wanted, said)
        elif before.shape is None:
            left_out.append(f"{key[0]} in {key[1]} has no value in A")
        else:
            lost.append(f"{key[0]} in {key[1]} has no value in B")
    if not pairs:
        raise UsageError("the two campaigns have no workload with values in the same environment in common")
    family = {key: pair.difference(pair.by) for key, pair in pairs.items()}
    levels = min(strictness(a), strictness(b))
    controls = {key: pair.control for key, pair in pairs.items() if pair.control is not None}
    refused = {key: why.text for key, why in busy.refused(sides).items()}
    decisions = decide(family, margin, controls=controls, refused=refused, strictness=levels)
    findings = tuple(
        busy.qualified(
            _finding(b, key, pair, _counted(decisions[key], family[key], pair), key[1], _both(pair, levels)),
            busy=key in refused,
        )
        for key, pair in pairs.items()
    )
    reached = {key: _reached(pair, absolute=absolute) for key, pair in pairs.items()}
    return Comparison(findings, reached, absolute, margin, tuple(dict.fromkeys(left_out)), tuple(dict.fromkeys(lost)))


def compare_environments(
    campaign: Campaign, a: str, b: str, margin: float, *, verdict: VerdictBy | None = None
) -> Comparison:
    """Environment B against environment A of one campaign, block by block. Raises UsageError for unknown names.

    verdict: which ratios are compared; None: those that the plan chose.
    """
    known = [environment.name for environment in campaign.plan.environments]
    for name in (a, b):
        if name not in known:
            raise UsageError(f"the campaign has no environment {name}; it has {', '.join(known)}")
    if a == b:
        raise UsageError(f"{a} is compared with itself: name two environments")
    table = cells(campaign)
    found: dict[Key, tuple[Cell, Cell, Ratios]] = {}
    controls: dict[Key, Spread] = {}
    left_out, lost = [], []
    for workload in campaign.plan.workloads:
        one, other = table.get((workload.name, a)), table.get((workload.name, b))
        if one is None or other is None:
            left_out.append(f"{workload.name} is not measured alone in {a if one is None else b}")
            continue
        before, after = beside(other, one), beside(one, other)
        if before.shape is None:
            left_out.append(f"{workload.name} has no value in {a}")
        elif after.shape is None:
            lost.append(f"{workload.name} has no value in {b}")
        else:
            key, baseline = (workload.name, b), table.get((workload.name, campaign.plan.baseline))
            of = _within(after, before, baseline, verdict or campaign.plan.verdict)
            found[key] = before, after, of
            if baseline is not None and (control := control_spread(beside(after, baseline), of.by)) is not None:
                controls[key] = control
    if not found:
        raise UsageError(f"no workload has a value in both {a} and {b}")
    levels = strictness(campaign)
    family = {key: spread(list(of.decisive.values())) for key, (_, _, of) in found.items()}
    sides = {key: busy.sides_of(before, after, plan=campaign.plan) for key, (before, after, _) in found.items()}
    refused = {key: why.text for key, why in busy.refused(sides).items()}
    decisions = decide(family, margin, controls=controls, refused=refused, strictness=levels)
    findings = []
    for key, (before, after, of) in found.items():
        pair = _Pair(before, after, _values(before), _values(after), "total")
        both = {by: estimate(spread(list(of.logs(by).values())), strictness=levels) for by in _BOTH}
        made = replace(_finding(campaign, key, pair, decisions[key], a, both), verdict_by=of.by)
        findings.append(busy.qualified(made, busy=key in refused))
    reached = {key: (value_of(before), value_of(after)) for key, (before, after, _) in found.items()}
    return Comparison(tuple(findings), reached, True, margin, tuple(left_out), tuple(lost))


def _within(after: Cell, before: Cell, baseline: Cell | None, wanted: VerdictBy) -> Ratios:
    """Logs by block. Where both were in other groups they are compared by their ratios to the baseline beside each."""
    direct = ratios(after, before, wanted)
    if baseline is None or not (blocks := apart(after, before, baseline)):
        return direct
    one, other = (ratios(cell, beside(cell, baseline), wanted) for cell in (after, before))
    joined: dict[VerdictBy, dict[int, float]] = {}
    for by in _BOTH:
        own, against = one.logs(by), other.logs(by)
        logs = {block: log for block, log in direct.logs(by).items() if block not in blocks}
        logs |= {block: own[block] - against[block] for block in blocks & own.keys() & against.keys()}
        joined[by] = dict(sorted(logs.items()))
    typical = wanted == "typical" and joined["total"].keys() <= joined["typical"].keys()
    return Ratios(joined["total"], joined["typical"], "typical" if typical else "total", one.notes or other.notes)


def _pair(
    sides: tuple[Cell, Cell], baselines: tuple[Cell | None, ...], wanted: VerdictBy | None, said: tuple[str, ...]
) -> _Pair:
    """One comparison of two campaigns, A first. `baselines`: of each, in the same workload. wanted: None for values."""
    against = [None if base is None else beside(cell, base) for cell, base in zip(sides, baselines, strict=True)]
    before, after = (
        _values(cell) if wanted is None else Ratios() if base is None else ratios(cell, base, wanted)
        for cell, base in zip(sides, against, strict=True)
    )
    by: VerdictBy = "typical" if before.by == after.by == "typical" else "total"
    floors = [control_spread(base, by) for base in against if base is not None]
    control = max((one for one in floors if one is not None), key=lambda one: noise_floor(one) or 0.0, default=None)
    return _Pair(*sides, before, after, by, control, said)


def _baseline(cell: Cell, base: Cell | None) -> Cell | None:
    """The baseline that a cell is compared with; None where it is the cell itself, or absent."""
    return None if base is None or base.key == cell.key else beside(cell, base)


def _both(pair: _Pair, levels: float) -> dict[VerdictBy, Estimate | None]:
    """The total and the typical ratio of B to A, with the blocks of the campaigns."""
    found: dict[VerdictBy, Estimate | None] = {}
    for by in _BOTH:
        of, n = estimate(pair.difference(by), strictness=levels), min(map(len, pair.logs(by)))
        found[by] = None if of is None else replace(of, n=n)
    return found


def _one_sided(one: Mapping[Key, Cell], other: Mapping[Key, Cell]) -> list[str]:
    return [
        f"{workload} in {environment} is only in {'A' if (workload, environment) in one else 'B'}"
        for workload, environment in dict.fromkeys([*one, *other])
        if ((workload, environment) in one) != ((workload, environment) in other)
    ]


def _values(cell: Cell) -> Ratios:
    """The logs of values in place of ratios."""
    sign = -1.0 if cell.shape is not None and cell.shape[2] == "lower" else 1.0
    return Ratios({block: sign * math.log(value) for block, value in cell.values.items()})


def _reached(pair: _Pair, *, absolute: bool) -> tuple[Estimate | None, Estimate | None]:
    if absolute:
        return value_of(pair.before), value_of(pair.after)
    before, after = pair.logs(pair.by)
    return estimate(spread(before)), estimate(spread(after))


def _counted(decision: Decision, of: Spread | None, pair: _Pair) -> Decision:
    """With the blocks of the campaigns in place of the degrees of freedom of their difference."""
    n = min(map(len, pair.logs(pair.by)))
    ratio = None if decision.ratio is None else replace(decision.ratio, n=n)
    needed = decision.blocks_needed
    if needed is not None and of is not None:
        needed = math.ceil(needed * n / of.n)
    return replace(decision, ratio=ratio, blocks_needed=needed)


def _finding(
    campaign: Campaign,
    key: Key,
    pair: _Pair,
    decision: Decision,
    against: str,
    both: Mapping[VerdictBy, Estimate | None],
) -> Finding:
    """`both`: the ratios of B to A."""
    workload, subject = key
    op, unit, better = pair.after.shape or ("", "", "higher")
    differ = conditions.differences(pair.after, pair.before)
    before, after = pair.logs(pair.by)
    notes = [
        *differ.values(),
        *pair.said,
        *series_shape.notes(before, "A"),
        *series_shape.notes(after, "B"),
        *decision.why,
    ]
    return Finding(
        workload=workload, op=op, metric=metric(unlike.workload_of(campaign, workload).workload, op, unit), unit=unit,
        better=better, subject=subject, against=against, ratio=both["total"], verdict=decision.verdict,
        p_value=decision.p_value, p_adjusted=decision.p_adjusted, host_cpu_ratio=None, value=value_of(pair.after),
        detectable=decision.detectable, blocks_needed=decision.blocks_needed, seconds_needed=None,
        notes=tuple(dict.fromkeys(notes)), unlike=tuple(differ), levels=pair.after.treatment.levels,
        typical=both["typical"], verdict_by=pair.by,
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
