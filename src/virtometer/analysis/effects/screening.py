"""Which factors a second stage measures closely, from the first stage of a sequential design, and what may be claimed.

A factor is dropped only where its effect is shown not to matter: The 95 % interval of each of its levels lies inside
the margin, in every metric that is to be made best. So a factor whose change reaches the margin is dropped with a
chance of at most 2.5 %. An interaction that clearly matters (p below 1 %, and an interval beyond the margin) keeps the
factors that may make it. Where two factors that are kept already explain it, no other is kept for it. Else those are
kept that would make it with a kept one (heredity), else all. Where the second stage has no room for all kept factors,
those with the least evidence go first.

Claims: The second stage uses none of the values of the first. Its errors are therefore those of each set of kept
factors, and so on the whole (data splitting: D. R. Cox, "A note on data-dependent hypotheses", Biometrika 62
(1975) 441-444; L. Wasserman, K. Roeder, "High-dimensional variable selection", Annals of Statistics 37 (2009)
2178-2201). Each stage has SHARE of the levels of claims, so that all claims of both are wrong with at most the usual
chance (Bonferroni).

Heredity: H. Chipman, "Bayesian variable selection with related predictors", Canadian Journal of Statistics 24 (1996)
17-36.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from virtometer.analysis.effects.claims import interval, p_of_zero
from virtometer.analysis.effects.effect import change
from virtometer.analysis.effects.model import Model, models
from virtometer.analysis.effects.table import Experiment
from virtometer.analysis.statistics.equivalence import limit
from virtometer.model import Screened, Why

SHARE = 0.5
"""Of the levels of claims, for each of two stages."""

INTERACTION_LEVEL = 0.01
"""p below which an interaction of the first stage keeps factors."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A contrast of the first stage: its factors, its metric and its level; nan without an error.

    low, high: of its 95 % interval, on the log scale. zero: p of no effect. chain: of an interaction, all pairs of
    factors that it may be of, its own first.
    """

    factors: tuple[str, ...]
    metric: str
    level: str
    low: float
    high: float
    zero: float
    chain: tuple[tuple[str, ...], ...] = ()

    @property
    def reach(self) -> float:
        """How far from 0 the effect may be."""
        return math.inf if math.isnan(self.low) else max(abs(self.low), abs(self.high))


def seen(of: Experiment) -> list[Seen]:
    """All contrasts of the metrics that are to be made best."""
    return [one[0] for metric, made in models(of) for one in of_model(made, metric)]


def of_model(made: Model, metric: str) -> list[list[Seen]]:
    """The contrasts of one metric, each in all repetitions of the model."""
    asked = [one for term in made.spans for one in made.asked(term)]
    estimates = made.fit.contrasts([one.weights for one in asked])
    (low, high), zero = interval(estimates), p_of_zero(estimates)
    found = []
    for at, one in enumerate(asked):
        aliases = made.separation.aliases.get(one.term, ())
        pairs = [term for term in (one.term, *aliases) if len(term) == 2] if len(one.term) == 2 else []
        chain = tuple(tuple(made.variables[factor].name for factor in term) for term in pairs)
        factors = tuple(made.variables[factor].name for factor in one.term)
        level = ", ".join(made.variables[f].levels[own] for f, own in zip(one.term, one.level, strict=True))
        found.append(
            [
                Seen(factors, metric, level, float(low[at, r]), float(high[at, r]), float(zero[at, r]), chain)
                for r in range(zero.shape[1])
            ]
        )
    return found


def screened(
    factors: Sequence[str], of: Sequence[Seen], margin: float, has_room: Callable[[Collection[str]], bool]
) -> tuple[Screened, ...]:
    """What becomes of each factor. has_room: whether a second stage can have these factors with all interactions."""
    edge = limit(margin)
    mains = {name: [one for one in of if one.factors == (name,)] for name in factors}
    kept = {name for name, own in mains.items() if not own or max(one.reach for one in own) > edge}
    because: dict[str, Seen] = {}
    for one in of:
        if one.chain and one.zero < INTERACTION_LEVEL and one.reach > edge:
            because |= {name: one for name in sorted(_explaining(one.chain, kept)) if name not in because}
    evidence = {name: min((one.zero for one in own), default=1.0) for name, own in mains.items()}
    # A factor of an interaction has at least the evidence of that.
    evidence |= {name: min(evidence[name], one.zero) for name, one in because.items()}
    chosen = {*kept, *because}
    without_room = set()
    while chosen and not has_room(chosen):
        weakest = max(chosen, key=lambda name: (_known(evidence[name]), factors.index(name)))
        chosen.remove(weakest)
        without_room.add(weakest)
    return tuple(_screened(name, mains[name], because.get(name), kept, without_room) for name in factors)


def _explaining(chain: Sequence[tuple[str, ...]], kept: Collection[str]) -> set[str]:
    """The factors that an interaction keeps beside those that are kept for their own effects."""
    if any(all(name in kept for name in pair) for pair in chain):
        return set()
    related = [pair for pair in chain if any(name in kept for name in pair)]
    return {name for pair in related or chain for name in pair if name not in kept}


def _known(p: float) -> float:
    return 1.0 if math.isnan(p) else p


def _screened(
    name: str, own: Sequence[Seen], because: Seen | None, kept: Collection[str], without_room: Collection[str]
) -> Screened:
    far = max(own, key=lambda one: one.reach, default=None)
    why = Why.MATTERS if name in kept else Why.INTERACTION if because is not None else Why.IDLE
    why = Why.ROOM if name in without_room else why
    if far is None:
        return Screened(name, why, "", "", None, None)
    shown = change(0.0, far.low, far.high, 0)
    chain = tuple(":".join(pair) for pair in because.chain) if because is not None else ()
    return Screened(name, why, far.metric, far.level, shown.low, shown.high, chain)
