"""Verdicts on effects: which have an influence, and which are shown to have none that matters.

Holm's adjustment over all contrasts of a family of metrics, for claims of an influence (the t test of 0) and, apart
from them, for claims of none (both one-sided tests inside the margin). `no influence` goes first, as `equivalent` does:
an effect that is there and within the margin does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import special

from virtometer.analysis.effects.fit import LEAST_FREEDOM, Estimates
from virtometer.analysis.effects.table import Floats
from virtometer.analysis.statistics import holm
from virtometer.analysis.statistics.equivalence import LEVEL as EQUIVALENCE_LEVEL
from virtometer.analysis.statistics.equivalence import limit
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL


class Influence(StrEnum):
    """What is concluded of an effect."""

    INFLUENCE = "influence"
    NONE = "no influence"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Claim:
    """The verdict on one contrast. p values are None where there is no error; `none_p` is that of `no influence`."""

    verdict: Influence
    p_value: float | None
    p_adjusted: float | None
    none_p: float | None


@dataclass(frozen=True, slots=True)
class AlphaFactors:
    """What levels are multiplied by. claims: of verdicts; intervals: 1 - 95 % of intervals.

    A campaign in stages takes stricter levels (`stopping.rule.ALPHA_FACTOR`). Each stage of a sequential design has its
    share of the levels of claims (`screening.SHARE`).
    """

    claims: float = 1.0
    intervals: float = 1.0


USUAL = AlphaFactors()


def p_of_zero(of: Estimates) -> Floats:
    """Two-sided p of no effect, k x R; nan without an error."""
    enough = of.freedom >= LEAST_FREEDOM
    t = np.abs(of.value) / np.where(of.error > 0, of.error, np.finfo(float).tiny)
    t = np.where((of.error <= 0) & (of.value == 0), 0.0, t)
    return np.where(enough, 2 * special.stdtr(np.where(enough, of.freedom, 1.0), -t), np.nan)


def p_of_none(of: Estimates, margin: float) -> Floats:
    """The larger p of both one-sided tests inside the margin, k x R; nan without an error."""
    enough = of.freedom >= LEAST_FREEDOM
    inside = limit(margin) - np.abs(of.value)
    t = inside / np.where(of.error > 0, of.error, np.finfo(float).tiny)
    return np.where(enough, special.stdtr(np.where(enough, of.freedom, 1.0), -t), np.nan)


def claims(zero: Floats, none: Floats, alpha_factors: AlphaFactors = USUAL) -> list[Claim]:
    """Verdicts on a family, from its p values of no effect and of no effect that matters; nan: not tested.

    Adjusted p values are divided by `alpha_factors.claims`, so that a claim always takes one below the usual level.
    """
    known = [at for at in range(len(zero)) if not np.isnan(zero[at])]
    adjusted, alike = (holm.adjusted({at: float(of[at]) for at in known}, alpha_factors.claims) for of in (zero, none))
    return [
        Claim(_verdict(adjusted[at], alike[at]), float(zero[at]), adjusted[at], alike[at])
        if at in adjusted
        else Claim(Influence.UNDECIDED, None, None, None)
        for at in range(len(zero))
    ]


def _verdict(p_adjusted: float, none_p: float) -> Influence:
    if none_p < EQUIVALENCE_LEVEL:
        return Influence.NONE
    return Influence.INFLUENCE if p_adjusted < CLAIM_LEVEL else Influence.UNDECIDED


ALPHA = 0.05
"""1 - 95 %."""


def interval(of: Estimates, alpha: float = ALPHA) -> tuple[Floats, Floats]:
    """Bounds on the log scale, k x R; nan without an error."""
    enough = of.freedom >= LEAST_FREEDOM
    half = np.where(enough, special.stdtrit(np.where(enough, of.freedom, 1.0), 1 - alpha / 2) * of.error, np.nan)
    return of.value - half, of.value + half
