"""The setting that is best, and what it gains over the default.

Only factors of which an influence is claimed are set; a level is changed only where going back would lose. The setting
is the best of several, so the interval of its gain is that of all of them together (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from virtometer.analysis.effects.claims import ALPHA, interval
from virtometer.analysis.effects.effect import Gain, Recommendation, change
from virtometer.analysis.effects.model import Model
from virtometer.analysis.effects.table import Floats, Response

Setting = Mapping[int, int]


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
    together = alpha / len(candidates)
    gain = _gain(of, response, levels, default, together)
    if gain is None:
        return None
    changed = tuple(
        (of.variables[one].name, of.variables[one].levels[default[one]], of.variables[one].levels[levels[one]])
        for one in factors
        if levels[one] != default[one]
    )
    whole = {at: levels.get(at, of.reference(at)) for at in range(len(of.variables))}
    exact = bool((of.observed.level == np.array([whole[at] for at in range(len(whole))])).all(axis=1).any())
    trade = (_gain(model, other, levels, default, together) for model, other in others)
    return Recommendation(
        response.metric, changed, len(candidates), gain, exact, tuple(one for one in trade if one is not None)
    )


def _simplified(of: Model, levels: dict[int, int], default: Setting, sign: float, alpha: float) -> dict[int, int]:
    """Without the changes that gain nothing that can be told."""
    for factor in sorted(levels):
        back = {**levels, factor: default[factor]}
        weights = of.setting(levels, back)
        if levels[factor] == default[factor] or weights is None:
            continue
        lost = of.fit.contrasts([weights])
        low, high = (sign * float(bound[0, 0]) for bound in interval(lost, alpha))
        if not min(low, high) > 0:
            levels = back
    return levels


def _gain(of: Model, response: Response, to: Setting, from_: Setting, alpha: float) -> Gain | None:
    weights = of.setting(to, from_)
    if weights is None:
        return None
    found = of.fit.contrasts([weights])
    low, high = (float(bound[0, 0]) for bound in interval(found, alpha))
    up = response.better == "higher"
    return Gain(
        response.metric, response.unit, response.better, response.beside,
        change(float(found.value[0, 0]), low, high),
        improves=low > 0 if up else high < 0, worsens=high < 0 if up else low > 0,
    )  # fmt: skip
