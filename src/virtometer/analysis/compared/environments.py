"""Two environments of one campaign, compared in every workload, block by block.

Both are in the same blocks, or, in groups of guests, each beside its own baseline. Total ratios are compared, whatever
the plan chose.
"""

from __future__ import annotations

from virtometer.analysis.compare.blocks import TreatmentData, apart, beside, by_treatment
from virtometer.analysis.compare.ratios import Ratios, ratios
from virtometer.analysis.compared.campaigns import pair_of, side, values
from virtometer.analysis.compared.comparison import Comparison
from virtometer.analysis.compared.pair import Pair, conclude
from virtometer.analysis.conclude import alpha_factor
from virtometer.analysis.notes import busy, conditions
from virtometer.errors import UsageError
from virtometer.model import Campaign, VerdictBy

_BOTH: tuple[VerdictBy, ...] = ("total", "typical")


def compare_environments(
    campaign: Campaign, a: str, b: str, margin: float, *, verdict: VerdictBy = "total"
) -> Comparison:
    """Environment B against environment A of one campaign, block by block. Raises UsageError for unknown names.

    verdict: which ratios are compared.
    """
    known = [environment.name for environment in campaign.plan.environments]
    for name in (a, b):
        if name not in known:
            raise UsageError(f"the campaign has no environment {name}; it has {', '.join(known)}")
    if a == b:
        raise UsageError(f"{a} is compared with itself: name two environments")
    table = by_treatment(campaign)
    pairs, left_out, lost = [], [], []
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
            baseline = table.get((workload.name, campaign.plan.baseline))
            pairs.append(_pair(campaign, before, after, baseline, verdict))
    if not pairs:
        raise UsageError(f"no workload has a value in both {a} and {b}")
    compared = conclude(pairs, margin, alpha_factor(campaign))
    return Comparison(compared, True, margin, tuple(left_out), tuple(lost))


def _pair(
    campaign: Campaign, before: TreatmentData, after: TreatmentData, baseline: TreatmentData | None, wanted: VerdictBy
) -> Pair:
    of = _within(after, before, baseline, wanted)
    base = None if baseline is None else beside(after, baseline)
    hosts = [busy.sides_of(data, plan=campaign.plan) for data in (before, after)]
    return pair_of(
        after, by=of.by, against=before.environment, paired=of,
        before=side(before, None, values(before), of.by, by_values=True, hosts=hosts[0]),
        after=side(after, base, values(after), of.by, by_values=True, hosts=hosts[1]),
        unlike=conditions.differences(after, before),
    )  # fmt: skip


def _within(after: TreatmentData, before: TreatmentData, baseline: TreatmentData | None, wanted: VerdictBy) -> Ratios:
    """Logs by block. Where both were in other groups they are compared by their ratios to the baseline beside each."""
    direct = ratios(after, before, wanted)
    if baseline is None or not (blocks := apart(after, before, baseline)):
        return direct
    one, other = (ratios(data, beside(data, baseline), wanted) for data in (after, before))
    joined: dict[VerdictBy, dict[int, float]] = {}
    for by in _BOTH:
        own, against = one.logs(by), other.logs(by)
        logs = {block: log for block, log in direct.logs(by).items() if block not in blocks}
        logs |= {block: own[block] - against[block] for block in blocks & own.keys() & against.keys()}
        joined[by] = dict(sorted(logs.items()))
    typical = wanted == "typical" and joined["total"].keys() <= joined["typical"].keys()
    return Ratios(joined["total"], joined["typical"], "typical" if typical else "total", one.notes or other.notes)
