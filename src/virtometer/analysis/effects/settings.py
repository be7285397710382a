"""The setting that is best, and what it gains over the default.

Only factors of which an influence is claimed are set; a level is changed only where going back would lose. The setting
is the best of several, so the interval of its gain holds jointly for all of them (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

import numpy as np

from virtometer.analysis.effects.claims import ALPHA
from virtometer.analysis.effects.coding import Term
from virtometer.analysis.effects.effect import Recommendation, changes
from virtometer.analysis.effects.model import Model
from virtometer.analysis.effects.table import Floats, Response
from virtometer.model import Estimate, Quantity

Setting = Mapping[int, int]

_MOSTLY = 0.5  # of another term, that enters an effect


def recommended(
    of: Model,
    response: Response,
    active: Collection[int],
    others: Sequence[tuple[Model, Response]] = (),
    alpha: float = ALPHA,
) -> Recommendation | None:
    """The best setting of the active factors; None without an active factor. others: metrics that it also changes.

    alpha: 1 - the level of intervals.
    """
    factors = sorted(active)
    default = {one: of.reference(one) for one in factors}
    sign = 1.0 if response.better == "higher" else -1.0
    ran = np.unique(of.observed.level[:, factors], axis=0)
    candidates: dict[tuple[int, ...], Floats] = {}
    for row in ran:
        to = dict(zip(factors, (int(one) for one in row), strict=True))
        if to != default and (weights := of.setting(to, default)) is not None:
            candidates[tuple(to.values())] = weights
    if not factors or not candidates:
        return None
    found = of.fit.contrasts(list(candidates.values()))
    gains = dict(zip(candidates, (sign * found.value[:, 0]).tolist(), strict=True))
    best = max(gains, key=lambda one: gains[one])
    levels = _simplified(of, dict(zip(factors, best, strict=True)), default, sign, alpha)
    if levels == default or gains[best] <= 0:
        return None
    gain = _gain(of, response, levels, default, alpha, len(candidates))
    if gain is None:
        return None
    changed = tuple(
        (of.variables[one].name, of.variables[one].levels[default[one]], of.variables[one].levels[levels[one]])
        for one in factors
        if levels[one] != default[one]
    )
    whole = {at: levels.get(at, of.reference(at)) for at in range(len(of.variables))}
    exact = bool((of.observed.level == np.array([whole[at] for at in range(len(whole))])).all(axis=1).any())
    trade = (_gain(model, other, levels, default, alpha, len(candidates)) for model, other in others)
    return Recommendation(
        response.metric, changed, len(candidates), gain, exact, tuple(one for one in trade if one is not None)
    )


def doubts(of: Model, claimed: Collection[Term], changed: Set[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Which claimed effects of changed factors may be of other terms instead, with these terms.

    Terms that are wholly the same in the design, or that enter the effect with more than one half.
    """
    found = []
    for term in of.spans:
        if term not in claimed or changed.isdisjoint(of.variables[factor].name for factor in term):
            continue
        shares = of.separation.shares.get(term, {})
        wholly = of.separation.same.get(term, False)
        if others := tuple(of.name(one) for one, share in shares.items() if wholly or share > _MOSTLY):
            found.append((of.name(term), others))
    return tuple(found)


def _simplified(of: Model, levels: dict[int, int], default: Setting, sign: float, alpha: float) -> dict[int, int]:
    """Without the changes that have no gain that can be shown."""
    for factor in sorted(levels):
        back = {**levels, factor: default[factor]}
        weights = of.setting(levels, back)
        if levels[factor] == default[factor] or weights is None:
            continue
        (lost,) = changes(of.fit.contrasts([weights]), of.fit.blocks, alpha)
        if not lost.excludes(0) or lost.value * sign < 0:
            levels = back
    return levels


def _gain(
    of: Model, response: Response, to: Setting, from_: Setting, alpha: float, jointly: int
) -> Quantity[Estimate] | None:
    weights = of.setting(to, from_)
    if weights is None:
        return None
    (found,) = changes(of.fit.contrasts([weights]), of.fit.blocks, alpha, jointly)
    return Quantity("the setting", response.metric, "%", response.better, "change", found, "the default")
