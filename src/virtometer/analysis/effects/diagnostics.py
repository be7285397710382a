"""What the model leaves over: drift, outliers, unequal spread, interactions of three factors. One sentence each.

Spread: M. B. Brown, A. B. Forsythe, "Robust tests for the equality of variances", Journal of the American Statistical
Association 69 (1974) 364-367. Outliers: residuals beyond what the largest of N normal ones reaches once in a hundred
experiments, by the median absolute deviation (F. R. Hampel, 1974). Drift: the correlation of neighbours in run order.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from virtometer.analysis.effects.model import Model
from virtometer.analysis.effects.table import Floats
from virtometer.counted import counted

_LEVEL = 0.01
_FEWEST = 12  # residuals from which anything is said
_ROUNDING = 1e-9  # of logarithms
_NORMAL_MAD = 0.6744897501960817


def sentences(of: Model, missing: int) -> tuple[str, ...]:
    """Of the first repetition of a model. missing: trials without a value."""
    rest = of.fit.residuals[:, 0]
    said = []
    if missing:
        said.append(f"{counted(missing, 'trial')} of {len(rest) + missing} without a value")
    if len(rest) >= _FEWEST and float(np.ptp(rest)) > _ROUNDING:
        said += [one for one in (_drift(of, rest), _outliers(of, rest), *_spread(of, rest)) if one]
    rough = float(np.ptp(rest)) > _ROUNDING if len(rest) else False
    if rough and of.fit.misfit_p is not None and float(of.fit.misfit_p[0]) < _LEVEL:
        said.append(
            "main effects and interactions of two factors do not explain all that the cells differ by: three or more "
            "factors interact"
        )
    return tuple(said)


def _drift(of: Model, rest: Floats) -> str:
    order = np.argsort(of.observed.order)
    block, row = of.observed.block[order], rest[order]
    same = block[1:] == block[:-1]
    if int(same.sum()) < _FEWEST:
        return ""
    lagged = float((row[1:] * row[:-1])[same].sum() / same.sum() / row.var())
    # Residuals sum to 0 within each block, which alone makes neighbours differ.
    expected = -1.0 / max(len(row) / len(np.unique(block)) - 1, 1.0)
    if (lagged - expected) * math.sqrt(float(same.sum())) < -float(special.ndtri(_LEVEL)):
        return ""
    return (
        f"neighbours in run order resemble each other (correlation {lagged:.2f}): drift within the blocks is left "
        "over, and the random order makes noise of it"
    )


def _outliers(of: Model, rest: Floats) -> str:
    middle = float(np.median(rest))
    scale = float(np.median(np.abs(rest - middle))) / _NORMAL_MAD
    if scale <= 0:
        return ""
    limit = -float(special.ndtri(_LEVEL / (2 * len(rest)))) * 1.2  # residuals of few trials have longer tails
    far = np.flatnonzero(np.abs(rest - middle) > limit * scale)
    if not len(far):
        return ""
    worst = int(far[np.argmax(np.abs(rest[far]))])
    where = ", ".join(
        f"{variable.name}={variable.levels[level]}"
        for variable, level in zip(of.variables, of.observed.level[worst], strict=True)
    )
    return (
        f"{counted(len(far), 'trial')} of {len(rest)} far from the others: the farthest by "
        f"{100 * math.expm1(float(rest[worst])):+.0f} % in block {int(of.observed.block[worst]) + 1} with {where}"
    )


def _spread(of: Model, rest: Floats) -> list[str]:
    """Factors whose levels spread unequally; p by Bonferroni over the factors."""
    found = []
    for at, variable in enumerate(of.variables):
        level = of.observed.level[:, at]
        groups = {int(one): rest[level == one] for one in np.unique(level)}
        groups = {one: values for one, values in groups.items() if len(values) >= 3}
        if len(groups) < 2:
            continue
        away = {one: np.abs(values - np.median(values)) for one, values in groups.items()}
        p = _anova(list(away.values()))
        if p * len(of.variables) < _LEVEL:
            sizes = {one: float(values.std(ddof=1)) for one, values in groups.items()}
            most, least = max(sizes, key=lambda one: sizes[one]), min(sizes, key=lambda one: sizes[one])
            times = f"{sizes[most] / sizes[least]:.1f} times" if sizes[least] > 0 else "infinitely"
            found.append(
                f"values with {variable.name}={variable.levels[most]} spread {times} as much as with "
                f"{variable.name}={variable.levels[least]}"
            )
    return found


def _anova(groups: list[Floats]) -> float:
    """p of equal means."""
    total = np.concatenate(groups)
    between = sum(len(one) * (float(one.mean()) - float(total.mean())) ** 2 for one in groups)
    inside = sum(float(((one - one.mean()) ** 2).sum()) for one in groups)
    freedom = len(total) - len(groups)
    if freedom < 1 or inside <= 0:
        return 1.0
    return float(special.fdtrc(len(groups) - 1, freedom, between / (len(groups) - 1) / (inside / freedom)))
