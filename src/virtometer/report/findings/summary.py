"""The result of a campaign in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from virtometer.analysis import Analysis
from virtometer.analysis.statistics.equivalence import LEVEL
from virtometer.counted import counted
from virtometer.model import UNAVAILABLE, Control, Finding, Stage, Verdict
from virtometer.report.effects import first_stage
from virtometer.report.parts import words

_MANY, _FEW = 10, 6  # beyond so many a sentence names so few
_COUNTED = (Verdict.SLOWER, Verdict.FASTER, Verdict.EQUIVALENT, Verdict.UNDECIDED, Verdict.UNAVAILABLE)


def headline(findings: Sequence[Finding]) -> str:
    """How many comparisons came out how."""
    compared = [finding for finding in findings if finding.verdict is not Verdict.BASELINE]
    if not findings:
        return "No environment was compared alone: results of groups of guests have sections of their own."
    if not compared:
        return "Nothing was compared: the plan has one environment."
    counts = Counter(finding.verdict for finding in compared)
    parts = [
        f"{counts[verdict]:,} {verdict.value}{_qualified(compared, verdict)}" for verdict in _COUNTED if counts[verdict]
    ]
    count = counted(len(compared), "comparison")
    return f"{count} with {compared[0].ratio.reference}: {_list(parts)}."


def equivalence_error(compared: Sequence[Finding]) -> str:
    """How often `equivalent` may be wrong among these comparisons; empty where none is equivalent.

    Each comparison whose true ratio lies outside the margin has a chance of 5 % at most to be called so. All
    comparisons that were tested count, not only those that came out `equivalent`.
    """
    same = [one for one in compared if one.verdict is Verdict.EQUIVALENT]
    tested = sum(one.p_value is not None for one in compared)
    if not same:
        return ""
    chance = f"{100 * LEVEL:g} %"
    if tested < 2:
        return f"The chance of a wrong `equivalent` is at most {chance}."
    each = f"Each of the {tested} comparisons has a chance of at most {chance} of a wrong `equivalent`"
    said = f"{each}: at most {words.significant(LEVEL * tested, 2)} on average."
    joint = sum((one.p_equivalent_adjusted or 0.0) < LEVEL for one in same)
    if joint < 2:
        return said
    which = f"all {joint}" if joint == len(same) else f"{joint} of the {len(same)}"
    return f"{said} For {which} the chance that any of them is wrong is at most {chance}."


def _qualified(compared: Sequence[Finding], verdict: Verdict) -> str:
    """How many of a verdict are qualified, such as ` (2 between stalls)`; empty where none is."""
    kinds = Counter(one.qualified.partition(";")[0] for one in compared if one.verdict is verdict and one.qualified)
    said = ", ".join(
        f"{count} {kind}" if verdict is Verdict.EQUIVALENT else f"{count}: {kind}" for kind, count in kinds.items()
    )
    return f" ({said})" if said else ""


def undecided(findings: Sequence[Finding]) -> str:
    """What the undecided comparisons could have seen and what a decision takes; empty without any."""
    still_open = [finding for finding in findings if finding.verdict is Verdict.UNDECIDED]
    seen = sorted(finding.detectable for finding in still_open if finding.detectable is not None)
    needed = [
        (finding.blocks_needed - finding.ratio.n, finding)
        for finding in still_open
        if finding.blocks_needed is not None
    ]
    said = []
    if seen:
        said.append(f"The undecided could have shown {words.differences(seen[0], seen[-1])}.")
    if needed:
        ranked = sorted(needed, key=lambda pair: pair[0])
        (blocks, middle), (most, last) = ranked[(len(ranked) - 1) // 2], ranked[-1]
        typical, farthest = words.more(blocks, middle.seconds_needed), words.more(most, last.seconds_needed)
        which = "The median" if typical != farthest else "A" if len(still_open) == 1 else "Each"
        said.append(f"{which} decision takes about {typical}{words.more_range(middle)}.")
        if typical != farthest:
            said.append(f"The slowest takes about {farthest}.")
    if beyond := sum(finding.blocks_needed is None and finding.detectable is not None for finding in still_open):
        which = "It" if len(still_open) == 1 else f"{beyond} of {len(still_open)}"
        said.append(f"{which} cannot be decided with as many blocks as a plan may have.")
    return " ".join(said)


def noise_and_budget(analysis: Analysis) -> str:
    """The noise floor of this host, and what was measured and what a decision takes, in one line."""
    known = _known_floors(analysis.controls)
    said = [f"Noise floor: {_floors(known)}."] if known else []
    counts = analysis.counts
    said.append(f"Measured: {counted(counts.blocks_done, 'block')}, {counted(counts.ran, 'trial')}.")
    return " ".join([*said, *([still_open] if (still_open := undecided(analysis.findings)) else [])])


def stage_sentence(stage: Stage, *, factors: bool = False) -> str:
    """What a further stage adds, and what its limit leaves out. factors: whether the plan has any."""
    if stage.follow_up is not None:
        return first_stage.stage_sentence(stage.follow_up)
    most = counted(max(stage.blocks.values(), default=0), "further block")
    what = "effect" if factors else "comparison"
    if factors and stage.blocks:
        workloads = counted(len({workload for workload, _ in stage.blocks}), "workload")
        added = f"all combinations of {workloads} get up to {most}"
    elif len(stage.blocks) == 1:
        added = f"1 {what} gets {most}"
    else:
        added = f"{len(stage.blocks)} {what}s get up to {most}" if stage.blocks else f"no {what} gets further blocks"
    if not stage.beyond:
        return added
    left_out = f"{counted(len(stage.beyond), what)} would take longer than {stage.limit}"
    if tried := sum(key in stage.blocks for key in stage.beyond):
        left_out += f", {tried} of which {'gets' if tried == 1 else 'get'} what is left and may stay undecided"
    return f"{added}; {left_out}"


def _known_floors(controls: Sequence[Control]) -> list[Control]:
    """The controls that have a noise floor, the lowest first."""
    return sorted((one for one in controls if one.noise_floor is not None), key=lambda one: one.noise_floor or 0.0)


def _floors(known: Sequence[Control]) -> str:
    first, last = known[0], known[-1]
    lowest = f"{words.percent(first.noise_floor or 0.0)} ({first.workload})"
    return lowest if len(known) == 1 else f"{lowest} to {words.percent(last.noise_floor or 0.0)} ({last.workload})"


def control_sentence(controls: Sequence[Control]) -> str:
    """What the control says of this host, in a sentence; empty where there was none."""
    known = _known_floors(controls)
    if not known:
        return ""
    alarms = sum(one.ratio.estimate.excludes(1) for one in known)
    return (
        f"Control, the baseline against itself: noise floor {_floors(known)}; false alarms in {alarms} of "
        f"{counted(len(known), 'workload')} (95 % interval without 1)."
    )


def method_sentences(analysis: Analysis) -> list[str]:
    """How sure the verdicts are and what they are about: errors, the control, the stages, the ratio."""
    compared = [finding for finding in analysis.findings if finding.verdict is not Verdict.BASELINE]
    said = [equivalence_error(compared), control_sentence(analysis.controls)]
    blocks = analysis.campaign.plan.first_blocks
    factors = bool(analysis.campaign.plan.factors)
    for stage in analysis.campaign.stages:
        said.append(f"Stage after {counted(blocks, 'block')}: {stage_sentence(stage, factors=factors)}.")
        blocks += max(stage.blocks.values(), default=0)
    said += [words.TYPICAL] if any(finding.verdict_by == "typical" for finding in compared) else []
    return [sentence for sentence in said if sentence]


def sentences(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """For every environment but the baseline: its name and one or two sentences on how it did."""
    others = [f for f in findings if f.verdict is not Verdict.BASELINE and f.subject != f.ratio.reference]
    names = dict.fromkeys(f.subject for f in others)
    return [(name, _environment([f for f in findings if f.subject == name])) for name in names]


def _environment(of: Sequence[Finding]) -> str:
    if all(finding.verdict is Verdict.UNAVAILABLE for finding in of):
        reasons = list(dict.fromkeys(note for f in of for note in f.notes))
        return f"{'; '.join(reasons[:2]) or UNAVAILABLE}."
    parts = []
    worse = sorted((f for f in of if f.verdict is Verdict.SLOWER), key=_value)
    better = sorted((f for f in of if f.verdict is Verdict.FASTER), key=_value, reverse=True)
    same = [f for f in of if f.verdict is Verdict.EQUIVALENT]
    open_ = [f for f in of if f.verdict is Verdict.UNDECIDED]
    gone = [f for f in of if f.verdict is Verdict.UNAVAILABLE]
    if worse:
        parts.append(f"slower at {_some([_with_value(f) for f in worse])}")
    if better:
        parts.append(f"faster at {_some([_with_value(f) for f in better])}")
    if same:
        parts.append(f"equivalent {_where(same, of)}")
    if open_:
        parts.append(f"undecided {_where(open_, of)}")
    if gone:
        parts.append(f"not available for {_some([f.workload for f in gone])}")
    text = "; ".join(parts) + "."
    costly = [(f.host_cpu_ratio.estimate, f) for f in of if f.host_cpu_ratio is not None and f.comparable]
    if costly:
        cost, most = max(costly, key=lambda pair: pair[0].value)
        # Only where it is certain that it costs more.
        if cost.low is not None and cost.low > 1.05:
            times = words.significant(cost.value, 2)
            text += f" It costs the host up to {times} times the CPU time per unit of work ({most.workload})."
    return text


def _where(some: Sequence[Finding], of: Sequence[Finding]) -> str:
    all_ = len(some) == len(of) > 1
    if all_ or len(some) > _MANY:
        star = "*" if any(not f.comparable for f in some) else ""
        return ("in everything" if all_ else f"at {len(some)} of {len(of)}") + star + _without_ratio(some)
    return f"at {_list([f'{f.workload}{words.star(f)}{_without_ratio([f])}' for f in some])}"


def _without_ratio(some: Sequence[Finding]) -> str:
    """Why findings have no ratio: the most frequent reason in brackets; empty where all have one."""
    reasons = Counter(f.qualified for f in some if f.decisive is None and f.qualified)
    if not reasons:
        return ""
    (reason, count) = reasons.most_common(1)[0]
    return f" ({reason})" if count == len(some) else f" ({count} of them: {reason})"


def _with_value(finding: Finding) -> str:
    return f"{finding.workload} ({words.ratio(finding.decisive) if finding.decisive else '?'}{words.star(finding)})"


def _value(finding: Finding) -> float:
    return finding.decisive.value if finding.decisive is not None else 0.0


def _some(parts: Sequence[str]) -> str:
    """The first few of many, and how many more there are."""
    return _list(parts) if len(parts) <= _MANY else _list([*parts[:_FEW], f"{len(parts) - _FEW} more"])


def _list(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)
