"""Two campaigns, compared in every workload and environment that both have, and in all groups of guests.

Between campaigns efficiencies are compared, each within its own blocks: what changed on the host for the baseline
as well is in none of them. `absolute` compares the values themselves, with what else differs between the two times.
Total ratios are compared, whatever the plans chose, because stalls are in none of the typical ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from virtometer.analysis.compare.blocks import Key, TreatmentData, beside, by_treatment
from virtometer.analysis.compare.control import control_spread
from virtometer.analysis.compare.ratios import Ratios, ratios
from virtometer.analysis.compare.values import value_of
from virtometer.analysis.compared import groups, rare_stalls
from virtometer.analysis.compared.comparison import Comparison, Where
from virtometer.analysis.compared.marked import marked
from virtometer.analysis.compared.pair import Pair, Side, conclude
from virtometer.analysis.conclude import alpha_factor
from virtometer.analysis.notes import busy, conditions, unlike
from virtometer.analysis.notes.unlike import workload_of
from virtometer.errors import UsageError
from virtometer.model import Campaign, VerdictBy


def compare_campaigns(
    a: Campaign, b: Campaign, margin: float, *, absolute: bool = False, verdict: VerdictBy = "total"
) -> Comparison:
    """What became better or worse from campaign A to campaign B.

    verdict: which ratios are compared; typical ones where both sides have them in every block. Values are total ones.
    Raises UsageError where they have nothing in common, or other baselines (unless values are compared).
    """
    if a.plan.baseline != b.plan.baseline and not absolute:
        raise UsageError(
            f"the baselines differ: {a.plan.baseline} in A, {b.plan.baseline} in B", advice="compare values: --absolute"
        )
    left_out: list[str] = []
    lost: list[str] = []
    pairs = [
        *_alone(a, b, left_out, lost, wanted=None if absolute else verdict),
        *groups.pairs(a, b, left_out, lost, absolute=absolute),
    ]
    if not pairs:
        raise UsageError("the two campaigns have no workload with values in the same environment in common")
    compared = conclude(pairs, margin, min(alpha_factor(a), alpha_factor(b)))
    return Comparison(compared, absolute, margin, tuple(dict.fromkeys(left_out)), tuple(dict.fromkeys(lost)))


def _alone(a: Campaign, b: Campaign, left_out: list[str], lost: list[str], *, wanted: VerdictBy | None) -> list[Pair]:
    """What is measured alone. wanted: None for values. Adds to `left_out` and `lost`."""
    data_a, data_b = by_treatment(a), by_treatment(b)
    left_out += _one_sided(data_a, data_b)
    pairs = []
    for key, after in data_b.items():
        before = data_a.get(key)
        if before is None or (key[1] == b.plan.baseline and wanted is not None):
            continue
        if (reason := unlike.workloads(*(workload_of(of, key[0]) for of in (a, b)))) is not None:
            left_out.append(f"{key[0]} is not compared: {reason}")
        elif before.shape is not None and after.shape is not None:
            bases = [of.get((key[0], base)) for of, base in ((data_a, a.plan.baseline), (data_b, b.plan.baseline))]
            pairs.append(_pair((a, b), (before, after), bases, wanted))
        elif before.shape is None:
            left_out.append(f"{key[0]} in {key[1]} has no value in A")
        else:
            lost.append(f"{key[0]} in {key[1]} has no value in B")
    return pairs


def _pair(
    campaigns: tuple[Campaign, Campaign],
    sides: tuple[TreatmentData, TreatmentData],
    baselines: Sequence[TreatmentData | None],
    wanted: VerdictBy | None,
) -> Pair:
    """One comparison, A first. `baselines`: of each, in the same workload. wanted: None for values."""
    against = [None if base is None else beside(data, base) for data, base in zip(sides, baselines, strict=True)]
    compared = [
        values(data) if wanted is None else Ratios() if base is None else ratios(data, base, wanted)
        for data, base in zip(sides, against, strict=True)
    ]
    by: VerdictBy = "typical" if all(one.by == "typical" for one in compared) else "total"
    before, after = (
        side(
            data,
            base,
            of,
            by,
            by_values=wanted is None,
            hosts=busy.sides_of(
                data, None if base is None or base.key == data.key else base, plan=campaign.plan, where=f" in {name}"
            ),
        )
        for name, campaign, data, base, of in zip("AB", campaigns, sides, against, compared, strict=True)
    )
    differ = conditions.differences(sides[1], sides[0])
    return pair_of(
        sides[1], before=before, after=after, by=by, against=sides[1].environment, unlike=differ,
        reference="" if wanted is None else campaigns[1].plan.baseline, said=unlike.measured(*campaigns, *sides),
    )  # fmt: skip


def pair_of(
    data: TreatmentData, *, before: Side, after: Side, by: VerdictBy, against: str,
    unlike: Mapping[str, str], reference: str = "", paired: Ratios | None = None, said: Sequence[str] = (),
) -> Pair:  # fmt: skip
    """The comparison that a treatment is the side B of. unlike: conditions that differ, with a sentence."""
    return Pair(
        where=Where(*data.key), before=before, after=after, by=by, op=data.results[0][1].op, against=against,
        levels=data.treatment.levels, reference=reference, paired=paired, unlike=tuple(unlike),
        said=(*unlike.values(), *said),
    )  # fmt: skip


def side(
    data: TreatmentData,
    baseline: TreatmentData | None,
    of: Ratios,
    by: VerdictBy,
    *,
    by_values: bool = False,
    hosts: Sequence[busy.Side] = (),
) -> Side:
    """One side of a comparison, with what is known of its trials. `baseline`: that it is compared with.

    The control is also that of values: no value is known more exactly than the baseline's.
    """
    assert data.shape is not None  # nothing else is compared
    records = [*data.done, *(baseline.done if baseline is not None and not by_values else ())]
    return Side(
        of,
        value_of(data, data.results[0][1].kernel, data.shape),
        None if baseline is None else control_spread(baseline, by),
        marked(records),
        rare_stalls.worked_s(run for _, run in data.results),
        tuple(hosts),
    )


def values(data: TreatmentData) -> Ratios:
    """The logs of values in place of ratios."""
    sign = -1.0 if data.shape is not None and data.shape[2] == "lower" else 1.0
    return Ratios({block: sign * math.log(value) for block, value in data.values.items()})


def _one_sided(one: Mapping[Key, TreatmentData], other: Mapping[Key, TreatmentData]) -> list[str]:
    return [
        f"{workload} in {environment} is only in {'A' if (workload, environment) in one else 'B'}"
        for workload, environment in dict.fromkeys([*one, *other])
        if ((workload, environment) in one) != ((workload, environment) in other)
    ]


def differing(a: Campaign, b: Campaign, changed: Sequence[str]) -> tuple[str, ...]:
    """What differs between two campaigns beside their numbers, in sentences; `changed`: of their hosts."""
    names = dict.fromkeys([*a.versions, *b.versions])
    return (
        *(f"host: {phrase}" for phrase in changed),
        *(
            f"{name}: {a.versions.get(name, 'absent')} in A, {b.versions.get(name, 'absent')} in B"
            for name in names
            if a.versions.get(name) != b.versions.get(name)
        ),
    )
