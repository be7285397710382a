"""The smallest effect that a design finds with a given probability, before anything is measured. PURE.

Values are analysed as logs within blocks. With blocks b and a standard deviation s of single trials (of logs), a
contrast c of the terms has the standard error s (c' (X'X)^-1 c / b)^1/2, X being the model matrix of one block. It is
claimed where |t| exceeds a quantile of Student's t at the first step of Holm's adjustment over all contrasts that the
cells allow: the strictest one. The effect that is found with probability p solves for the parameter of the noncentral
t. Each contrast has b - 1 degrees of freedom of its own. Where four or more contrasts of the cells vary alike, it
borrows from the others; `usual_freedom` is about the median of what it then has.

Source: Wu and Hamada: Experiments, 3rd edition 2021, section 4.5; Holm: A simple sequentially rejective multiple test
procedure, Scandinavian Journal of Statistics 6 (1979); Smyth: Linear models and empirical Bayes methods, Statistical
Applications in Genetics and Molecular Biology 3 (2004).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from virtometer.design.factorial.matrix import contrasts, model_matrix
from virtometer.design.factorial.space import Cell, Space, Term

CLAIM_LEVEL = 0.02
"""The chance of any wrong claim in a family: that of the verdicts (`verdicts.CLAIM_LEVEL`), as a test compares."""

PROBABILITY = 0.9

_FEWEST = 4  # contrasts from which anything is borrowed
_CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Power:
    """Smallest effects as fractions: 0.04 is a ratio of 1.04. Of interactions None where the design has none.

    main: of a level against the reference, as a mean over the other factors. interaction: by how much an effect differs
    from one level of another factor to the next. claims: how many contrasts Holm's adjustment is over.
    """

    main: float
    interaction: float | None
    claims: int


def contrasts_of(space: Space, terms: Sequence[Term]) -> Iterator[tuple[Term, NDArray[np.float64]]]:
    """Of each term, the weights of the model's coefficients in each of its comparisons with the references."""
    width = 1 + space.freedom(terms)
    at = 1
    for term in terms:
        own = space.freedom([term])
        others = [
            [contrasts(space.sizes[f])[level] - contrasts(space.sizes[f])[space.references[f]] for level in levels]
            for f in term
            if (levels := [level for level in range(space.sizes[f]) if level != space.references[f]])
        ]
        for some in itertools.product(*others):
            weights = np.ones(1)
            for one in some:
                weights = np.outer(weights, one).reshape(-1)
            found = np.zeros(width)
            found[at : at + own] = weights
            yield term, found
        at += own


def power(
    space: Space,
    cells: Sequence[Cell],
    terms: Sequence[Term],
    blocks: int,
    noise: float,
    responses: int = 1,
    *,
    freedom: float | None = None,
    level: float = CLAIM_LEVEL,
    probability: float = PROBABILITY,
) -> Power:
    """What is found with this probability in so many blocks, two at least.

    noise: standard deviation of the logs of single trials; `responses`: numbers whose effects are claimed jointly: the
    values of so many workloads, which are one family of the analysis. freedom: degrees of freedom; None: the usual
    ones. level: of all claims jointly.
    """
    matrix = model_matrix(space, cells, terms)
    inverse = np.linalg.inv(matrix.T @ matrix)
    tested = min(len(cells) - 1, space.freedom([*space.mains(), *space.pairs()]))
    claims = responses * tested
    free = usual_freedom(blocks, len(cells) - 1) if freedom is None else freedom
    away = distance(free, claims, probability, level)
    found: dict[int, float] = {}
    for term, weights in contrasts_of(space, terms):
        error = noise * math.sqrt(float(weights @ inverse @ weights) / blocks)
        found[len(term)] = max(found.get(len(term), 0.0), math.expm1(away * error))
    return Power(found[1], found.get(2), claims)


def distance(freedom: float, claims: int, probability: float = PROBABILITY, level: float = CLAIM_LEVEL) -> float:
    """How many standard errors an effect is from 0 that is claimed with this probability."""
    limit = float(special.stdtrit(freedom, 1 - level / (2 * claims)))
    return float(special.nctdtrinc(freedom, 1 - probability, limit))


def usual_freedom(blocks: int, contrasts: int) -> float:
    """Degrees of freedom of a contrast with what it borrows from all contrasts of the cells, the own ones included.

    The logs of variances with d degrees of freedom scatter by trigamma(d / 2). What they scatter by beyond it limits
    what is common; it is taken at the upper end of its interval of 90 % confidence.
    """
    own = float(blocks - 1)
    if contrasts < _FEWEST:
        return own
    upper = (contrasts - 1) / float(special.chdtri(contrasts - 1, _CONFIDENCE))
    excess = float(special.polygamma(1, own / 2)) * (upper - 1)
    common = 2 * float(optimize.brentq(lambda half: float(special.polygamma(1, half)) - excess, 1e-3, 1e6))
    return own + min(common, own * (contrasts - 1))
