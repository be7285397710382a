"""Effects in sentences: what each level does to every metric, and which setting to change. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import (
    Conditional,
    Contrast,
    Effect,
    Effects,
    MetricEffects,
    Recommendation,
)
from virtometer.counted import counted
from virtometer.model import Estimate, Quantity, Why
from virtometer.report.parts import words

_ABOUT = (
    "Per cent: how the metric changes from the reference level to the other, averaged over the other factors, within "
    "blocks. Intervals are of {level}. Of an interaction: how much the second factor changes the effect of the first."
)
_TOTAL = (
    "Effects are about total work / total time, with all stalls. The verdicts of the plan are about the typical ratio."
)
_CLAIM = (
    "The chance that any such claim about the values of all workloads is wrong is at most 2 %. Slow operations and "
    "costs are a family of their own, with 2 % more"
)
GLOSSARY = {
    "influence": f"the metric changes with the factor, alone or by an interaction. {_CLAIM}",
    "no influence": (
        "the change is smaller than the plan's margin in either direction, by two one-sided tests adjusted for their "
        "number. The chance that any such claim of a family is wrong is at most 5 %"
    ),
    "interaction": "the change by one factor depends on the level of another",
    "share": "part of the variance of single trials within the blocks that goes with a term; noise has a share as well",
    "cannot be told from": "the design changes both in the same way, so that no analysis can separate them",
    "reference": "the level that a factor's other levels are compared with. The default has all references",
}
_MANY = 4  # metrics or terms that a sentence names
_TIMES = 900.0  # per cent beyond which a change is shown as a factor


def about(of: Effects) -> str:
    """What the numbers are, below all of them."""
    said = _ABOUT.format(level=words.level_words(next((one.interval_level for one in of.metrics), 0.95)))
    return f"{said} {_TOTAL}" if of.typical else said


def percent(value: float) -> str:
    """A change with its sign: +18 %, -3.1 %; beyond tenfold as a factor: ×12."""
    if value >= _TIMES:
        return f"×{words.significant(1 + value / 100, 2)}"
    text = _number(value)
    return f"{text if text.startswith('-') else f'+{text}'} %"


def bounds(of: Estimate) -> str:
    """The interval of a change: 15 to 21 %; empty without one."""
    if of.low is None or of.high is None:
        return ""
    if of.high >= _TIMES:
        return f"{percent(of.low)} to {percent(of.high)}"
    return f"{_number(of.low)} to {_number(of.high)} %"


def _number(value: float) -> str:
    """Two digits, and no more than two behind the point."""
    value = 0.0 if abs(value) < 0.005 else value
    return f"{value:.2f}" if abs(value) < 0.1 else words.significant(value, 3 if abs(value) >= 100 else 2)


def shown(of: Estimate) -> str:
    """A change with its interval: +18 % (15 to 21 %)."""
    interval = bounds(of)
    return f"{percent(of.value)} ({interval})" if interval else percent(of.value)


def control(of: Estimate) -> str:
    """The change between the two guests of the baseline, beside the effects of a metric."""
    return f"control (A/A, the baseline against itself in the same blocks): {shown(of)}"


def contrast(of: Effect, one: Contrast) -> str:
    """What is compared with what: `io_uring instead of threads`; of an interaction both levels."""
    if len(of.factors) == 1:
        return f"{one.level[0]} instead of {one.against[0]}"
    return f"{one.level[0]} with {one.level[1]}"


def no_influence(margin: float) -> str:
    """`no influence above 2 %`."""
    return f"no influence above {words.percent(margin)}"


def headline(of: Effects) -> str:
    """One sentence: how many effects were found, shown to be none, and are open."""
    every = of.effects
    if not every:
        return "No effect can be estimated: no factor has two levels with values in the same block."
    counts = [(sum(one.verdict is verdict for one in every), verdict) for verdict in Influence]
    parts = [f"{count} {verdict.value}" for count, verdict in counts if count]
    about = f"{counted(len(of.factors), 'factor')}, {counted(len(of.metrics), 'metric')}"
    return f"{about}, {counted(len(every), 'effect')}: {', '.join(parts)}."


def changes(of: Effects) -> list[str]:
    """What to change, in a few sentences for a reader who reads nothing else."""
    if not of.effects:
        return [headline(of), *_first(of)]
    best = [one.recommended for one in of.metrics if one.recommended is not None]
    said = []
    if of.overall is not None:
        said += _advice(of.overall, "")
    for one in best:
        if of.overall is None or one.changed != of.overall.changed:
            said += _advice(one, f"For {one.metric}: " if of.overall is not None or len(best) > 1 else "")
    if not said:
        said.append("Keep the default: no other setting is shown to be better.")
    return [*said, *_settled(of), *_first(of)]


def _first(of: Effects) -> list[str]:
    """The factors that the first stage of a sequential design dropped, with the verdict on them where there is one."""
    if of.first is None or not any(one.why.kept for one in of.first.screened):
        return []
    dropped = [one.factor for one in of.first.screened if one.why is Why.IDLE]
    known = {metric.metric for metric in of.metrics if not metric.beside}
    found = {
        name: {one.verdict for one in of.first.effects if one.factors == (name,) and one.metric in known}
        for name in dropped
    }
    idle = [name for name, verdicts in found.items() if verdicts == {Influence.NONE}]
    open_ = [name for name in dropped if name not in idle]
    said = (
        [f"{listed(idle)}: {no_influence(of.margin)} on any workload (first stage); choose as you like."]
        if idle
        else []
    )
    said += (
        [f"{listed(open_)}: within the margin in the first stage, which is not enough for a verdict."] if open_ else []
    )
    rest = [one.factor for one in of.first.screened if one.why is Why.ROOM]
    said += (
        [f"{listed(rest)}: not in the second stage for want of room; the first stage has the intervals."]
        if rest
        else []
    )
    return said


def _steps(of: Recommendation) -> str:
    steps = [f"{factor} from {old} to {new}" for factor, old, new in of.changed]
    return f"Change {listed(steps)}"


def _advice(of: Recommendation, lead: str) -> list[str]:
    """What to change and what becomes better; then what becomes worse, and what else is to be known."""
    gains = [of.gain] if of.metric else []
    gains += [one for one in of.trade if one.metric != of.metric]
    better = [f"{one.metric} {shown(one.estimate)}" for one in gains if one.improves]
    worse = [f"{one.metric} {shown(one.estimate)}" for one in gains if one.worsens]
    unsure = [one for one in gains if not one.estimate.excludes(0)]
    open_ = [f"{one.metric} ({bounds(one.estimate) or 'no interval'})" for one in unsure]
    steps = f"{lead}{_steps(of) if not lead else _steps(of)[0].lower() + _steps(of)[1:]}"
    first = f"{steps}: {_some(better)}." if better else f"{steps}."
    rest = [f"It makes worse: {_some(worse)}."] if worse else ["It makes nothing worse that was measured."]
    rest += [f"No change is shown: {_some(open_)}."] if open_ else []
    if not of.metric:
        rest.append("It is the best setting for all metrics on average.")
    if of.candidates > 1:
        rest.append(f"The intervals allow for the choice among {of.candidates:,} settings.")
    if not of.ran:
        rest.append("This setting itself was not measured and follows from the effects: confirm it.")
    if of.doubts:
        instead = [f"that of {term} may be {_either(others)} instead" for term, others in of.doubts]
        said = _some(instead).replace("that of", "The effect of", 1)
        rest.append(f"{said}: confirm it with a design that tells them apart.")
    return [first, " ".join(rest)]


def trade(of: Sequence[Quantity[Estimate]]) -> str:
    """What a setting does to several metrics, with the words better and worse."""
    return "; ".join(f"{one.metric} {shown(one.estimate)}{_judged(one)}" for one in of)


def _judged(of: Quantity[Estimate]) -> str:
    return " (better)" if of.improves else " (worse)" if of.worsens else ""


def _settled(of: Effects) -> list[str]:
    """Which factors do not matter, and which are open."""
    said = []
    idle: list[str] = []
    open_: list[str] = []
    for name, _ in of.factors:
        own = [one for one in of.effects if name in one.factors]
        mains = [one for one in own if len(one.factors) == 1]
        if not mains or any(one.verdict is Influence.INFLUENCE for one in own):
            continue
        (idle if all(one.verdict is Influence.NONE for one in mains) else open_).append(name)
    if idle:
        said.append(f"{listed(idle)}: {no_influence(of.margin)} on any metric; choose as you like.")
    if open_:
        said.append(f"{listed(open_)}: undecided; more blocks would tell.")
    lost = [(one.metric, term) for one in of.metrics for term in one.lost if ":" not in term.term]
    for name in dict.fromkeys(term.term for _, term in lost):
        reason = next(term.reason for _, term in lost if term.term == name)
        said.append(f"{name}: not known, because {reason}.")
    return said


def sentences(of: Effects) -> list[tuple[str, str]]:
    """For each level that is compared: what is compared, and what it does to every metric. The largest first."""
    found = []
    for name, levels in of.factors:
        for level in levels:
            own = [
                (metric, effect, one)
                for metric in of.metrics
                for effect in metric.effects
                if effect.factors == (name,)
                for one in effect.contrasts
                if one.level == (level,)
            ]
            if own:
                size = (
                    max(abs(one.change.estimate.value) for _, _, one in own if one.verdict is Influence.INFLUENCE)
                    if any(one.verdict is Influence.INFLUENCE for *_, one in own)
                    else 0.0
                )
                title = f"{name}={level} instead of {own[0][2].against[0]}"
                found.append((size, title, _of_level(of, name, level, own)))
    return [(title, text) for _, title, text in sorted(found, key=lambda one: -one[0])]


def _of_level(of: Effects, name: str, level: str, own: Sequence[tuple[MetricEffects, Effect, Contrast]]) -> str:
    every = _all_aliased(name, own)
    parts = [
        f"{shown(one.change.estimate)} {metric.metric}{_worse(one.change)}{'' if every else _aliased(effect)}"
        for metric, effect, one in own
        if one.verdict is Influence.INFLUENCE
    ]
    none = [metric.metric for metric, _, one in own if one.verdict is Influence.NONE]
    if none:
        which = "anything" if len(none) == len(own) > 1 else _some(none)
        parts.append(f"{no_influence(of.margin)} on {which}")
    if open_ := [(metric.metric, one) for metric, _, one in own if one.verdict is Influence.UNDECIDED]:
        shown_ = [f"{metric} ({bounds(one.change.estimate) or 'no interval'})" for metric, one in open_]
        parts.append(f"undecided on {_some(shown_)}")
    parts += [part for metric, *_ in own for part in _interactions(of, metric, name, level, aliased=not every)]
    return "; ".join(parts) + "." + every


def _worse(change: Quantity[Estimate]) -> str:
    up = change.estimate.value > 0
    return " (worse)" if up == (change.better == "lower") else ""


def _all_aliased(name: str, own: Sequence[tuple[MetricEffects, Effect, Contrast]]) -> str:
    """What enters all claims about a level, where it is the same for several, as a sentence; empty elsewhere."""
    claimed = [effect for _, effect, one in own if one.verdict is Influence.INFLUENCE]
    claimed += [effect for metric, *_ in own for effect in _claimed_interactions(metric, name)]
    if len(claimed) < 2 or len({_aliased(effect) for effect in claimed}) > 1 or not claimed[0].aliases:
        return ""
    names = _some(claimed[0].aliases)
    if claimed[0].wholly:
        return f" Each may be of {names} instead: cannot be told apart."
    return f" All this as far as nothing comes from {names}."


def _aliased(of: Effect) -> str:
    """What enters an effect."""
    if not of.aliases:
        return ""
    names = _some(of.aliases)
    return f", or of {names}: cannot be told apart" if of.wholly else f", as far as nothing comes from {names}"


def _claimed_interactions(of: MetricEffects, name: str) -> list[Effect]:
    return [
        one
        for one in of.effects
        if one.verdict is Influence.INFLUENCE and len(one.factors) == 2 and name in one.factors
    ]


def _interactions(of: Effects, metric: MetricEffects, name: str, level: str, *, aliased: bool) -> list[str]:
    """What another factor makes of the change by this level, where an interaction is claimed."""
    said = []
    for effect in _claimed_interactions(metric, name):
        own = [one for one in effect.conditionals if (one.factor, one.level) == (name, level)]
        if len(own) < 2:
            continue
        said.append(f"{metric.metric}: {_given(own, of.margin)} (interaction{_aliased(effect) if aliased else ''})")
    return said


def _given(own: Sequence[Conditional], margin: float) -> str:
    """At each level of the other factor; `only with` one where it does something there and nothing at all others."""
    if (one := Conditional.only_with(own)) is not None:
        return f"only with {one.given_factor}={one.given}: {shown(one.change.estimate)}"
    return ", ".join(f"with {one.given_factor}={one.given} {_there(one, margin)}" for one in own)


def _there(of: Conditional, margin: float) -> str:
    """What a factor does at one level of the other."""
    if of.none:
        return no_influence(margin)
    change = of.change.estimate
    return shown(change) if change.excludes(0) else f"undecided ({bounds(change) or 'no interval'})"


def _either(parts: Sequence[str]) -> str:
    """One of several terms: a, b or c."""
    kept = [*parts] if len(parts) <= _MANY + 1 else [*parts[:_MANY], f"{len(parts) - _MANY} more"]
    return ", ".join(kept[:-1]) + " or " + kept[-1] if len(kept) > 1 else "".join(kept)


def listed(parts: Sequence[str]) -> str:
    """Words as a list of a sentence: a, b and c."""
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def _some(parts: Sequence[str]) -> str:
    """The first few of many, and how many more there are."""
    kept = list(parts)
    return listed(kept) if len(kept) <= _MANY + 1 else f"{', '.join(kept[:_MANY])} and {len(kept) - _MANY} more"
