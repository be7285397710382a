"""How much the estimates of effects vary: each by its own spread over the blocks, drawn towards that of the others.

The spread of an effect over the blocks holds whatever the noise is like, but has few degrees of freedom. The contrasts
of an experiment mostly spread alike; how much of the common spread may be borrowed follows from how alike they are:
G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
experiments", Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3. Other than there, the
degrees of freedom of the common spread are taken at their lower limit, so that few contrasts lend little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from virtometer.analysis.effects.table import Floats

_ENOUGH = 4.5  # degrees of freedom of a contrast from which its own variance may stand alone
_FEWEST = 4  # contrasts from which anything is borrowed
_APART = 0.05  # level of the test that a contrast spreads more than the others
_LIMIT = 0.1  # chance that the contrasts are less alike than is taken


@dataclass(frozen=True, slots=True)
class Common:
    """The common variance of single trials, R of them, and the degrees of freedom that it stands for."""

    variance: Floats
    freedom: Floats


def common(variances: Floats, freedom: float, most: float) -> Common:
    """What contrasts share. variances: K x R, each an estimate for single trials with `freedom` degrees of freedom.

    most: the degrees of freedom of the pooled variance, which none may exceed.
    """
    pooled = variances.mean(axis=0)
    count = len(variances)
    if count < _FEWEST or freedom <= 0:
        return Common(pooled, np.zeros_like(pooled))
    logs = np.log(np.maximum(variances, np.finfo(float).tiny))
    spread = logs.var(axis=0, ddof=1) * (count - 1) / float(special.chdtri(count - 1, 1 - _LIMIT))
    excess = spread - float(special.polygamma(1, freedom / 2))
    found = np.where(excess > 0, 2 * _trigamma_inverse(np.maximum(excess, 1e-6)), most)
    return Common(pooled, np.minimum(found, most))


def moderated(variance: Floats, freedom: Floats, of: Common, most: float) -> tuple[Floats, Floats]:
    """A contrast's variance of single trials and its degrees of freedom (both k x R) with what is common to all.

    A contrast that spreads more than the others (F test at _APART) keeps its own variance: its effect may change from
    block to block, which is no property of the others.
    """
    total = freedom + of.freedom
    mixed = (freedom * variance + of.freedom * of.variance) / np.where(total > 0, total, 1.0)
    ratio = variance / np.where(of.variance > 0, of.variance, 1.0)
    unlike = special.fdtrc(np.maximum(freedom, 1.0), max(most, 1.0), ratio) < _APART
    apart = unlike & (freedom >= _ENOUGH)
    return (
        np.where(apart, variance, mixed),
        np.where(apart, freedom, np.minimum(total, np.maximum(freedom, most))),
    )


def _trigamma_inverse(value: Floats) -> Floats:
    """Newton's method on 1 / trigamma, which is convex: Smyth (2004), appendix."""
    found = 0.5 + 1.0 / value
    for _ in range(30):
        trigamma = special.polygamma(1, found)
        step = trigamma * (1 - trigamma / value) / special.polygamma(2, found)
        found = found + step
        if float(np.max(-step / found)) < 1e-8:
            break
    return np.asarray(found, dtype=np.float64)
