"""The first stage of a sequential design in words and as a table: what becomes of each factor, and with which bound."""

from __future__ import annotations

from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Effects, FirstStage
from virtometer.counted import counted
from virtometer.model import Estimate, FollowUp, Screened, Why
from virtometer.report.effects import words as effect_words
from virtometer.report.parts.table import TextTable

ABOUT = (
    "The first stage measures all factors in few combinations. A factor is dropped where the 95 % interval of each of "
    "its levels lies within the margin, in every workload. What is said of the factors that are kept comes from fresh "
    "blocks alone. Each stage has one half of the levels of claims."
)


def stage_sentence(of: FollowUp) -> str:
    """What follows the first stage, while a campaign runs."""
    dropped = [one.factor for one in of.screened if not one.why.kept]
    if not of.cells:
        return "no factor can matter: there is no second stage"
    left = f"; {effect_words.listed(dropped)} {'is' if len(dropped) == 1 else 'are'} dropped" if dropped else ""
    return (
        f"second stage: {effect_words.listed(of.kept)} with all interactions, {counted(len(of.cells), 'combination')} "
        f"in {counted(of.blocks, 'block')}{left}"
    )


def headline(of: FirstStage) -> str:
    """How large it was, and how many factors it keeps."""
    kept = sum(one.why.kept for one in of.screened)
    size = f"{counted(of.cells, 'combination')} in {counted(of.blocks, 'block')}"
    return f"First stage: {size}; {kept} of {counted(len(of.screened), 'factor')} kept for the second."


def sentences(of: Effects) -> list[tuple[str, str]]:
    """What becomes of each factor, the kept ones first; nothing without a first stage that is decided."""
    if of.first is None:
        return []
    ranked = sorted(of.first.screened, key=lambda one: not one.why.kept)
    return [(one.factor, f"{_fate(of, one)}.") for one in ranked]


def table(of: Effects) -> TextTable | None:
    """The same as a table; None without a first stage that is decided."""
    if of.first is None:
        return None
    rows = [
        (
            one.factor,
            "yes" if one.why.kept else "no",
            one.why.value,
            one.metric,
            one.level,
            _bounds(one),
            _claim(of, one),
        )
        for one in of.first.screened
    ]
    return TextTable(
        "What the first stage says of each factor: the change that may be farthest from 0, with its 95 % interval",
        ("factor", "kept", "because", "metric", "level", "95 % interval", "verdict of the first stage"),
        rows,
    )


def _fate(of: Effects, one: Screened) -> str:
    bounds = _bounds(one)
    most = f": {bounds} ({one.metric}, {one.level})" if bounds else ""
    if one.why is Why.MATTERS:
        return f"kept, {one.why.value}{most}"
    if one.why is Why.INTERACTION:
        return f"kept, because of an interaction: {' or '.join(one.chain)}"
    if one.why is Why.ROOM:
        return f"dropped for want of room, which 'runs' of the design would give it{most}"
    claim = _claim(of, one)
    shown = effect_words.no_influence(of.margin) if claim == Influence.NONE.value else "within the margin"
    return f"dropped, {shown}{most}"


def _claim(of: Effects, one: Screened) -> str:
    """The verdict on a dropped factor, over all metrics that are to be made best; empty of a kept one."""
    assert of.first is not None
    if one.why.kept:
        return ""
    known = {metric.metric for metric in of.metrics if not metric.beside}
    own = [effect for effect in of.first.effects or of.effects if effect.factors == (one.factor,)]
    verdicts = {effect.verdict for effect in own if effect.metric in known}
    if not verdicts:
        return ""
    if Influence.INFLUENCE in verdicts:
        return Influence.INFLUENCE.value
    return Influence.NONE.value if verdicts == {Influence.NONE} else Influence.UNDECIDED.value


def _bounds(one: Screened) -> str:
    return effect_words.bounds(Estimate(0.0, one.low, one.high, 0))
