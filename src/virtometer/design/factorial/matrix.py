"""The model matrix of a design, and what it can estimate. PURE.

A factor with L levels has L - 1 columns: orthogonal (Helmert) contrasts of its levels, each with a mean square of 1
over the levels. The columns of an interaction are the products of those of its factors. Over the full factorial all
columns are orthogonal with the sum of squares n, so that det(X'X)^(1/p) / n, the D-efficiency, is 1 for it and for
every regular fraction, and less for all others. Source: Wu and Hamada: Experiments, 3rd edition 2021, chapters 5, 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from virtometer.design.factorial.space import Cell, Space, Term

Matrix = NDArray[np.float64]

SMALL = 1e-9


@cache
def _contrasts(levels: int) -> tuple[tuple[float, ...], ...]:
    """The columns of each level of a factor."""
    rows = [[0.0] * (levels - 1) for _ in range(levels)]
    for column in range(levels - 1):
        scale = math.sqrt(levels / ((column + 1) * (column + 2)))
        for level in range(column + 1):
            rows[level][column] = -scale
        rows[column + 1][column] = (column + 1) * scale
    return tuple(map(tuple, rows))


def contrasts(levels: int) -> Matrix:
    """Rows: levels. Columns: the contrasts."""
    return np.array(_contrasts(levels)).reshape(levels, levels - 1)


def columns(space: Space, cells: Sequence[Cell], term: Term) -> Matrix:
    """The columns of a term. Rows: cells."""
    at = np.array(cells).reshape(len(cells), len(space.names))
    found = np.ones((len(cells), 1))
    for factor in term:
        own = contrasts(space.sizes[factor])[at[:, factor]]
        found = (found[:, :, None] * own[:, None, :]).reshape(len(cells), -1)
    return found


def model_matrix(space: Space, cells: Sequence[Cell], terms: Iterable[Term]) -> Matrix:
    """The mean, then the columns of the terms. Rows: cells."""
    return np.hstack([np.ones((len(cells), 1)), *(columns(space, cells, term) for term in terms)])


def estimates(space: Space, cells: Sequence[Cell], terms: Sequence[Term]) -> bool:
    """Whether all terms and the mean can be told from each other: the matrix has full column rank."""
    matrix = model_matrix(space, cells, terms)
    rows, width = matrix.shape
    return bool(width <= rows and np.linalg.matrix_rank(matrix) == width)


def estimable(space: Space, cells: Sequence[Cell], terms: Iterable[Term], further: Iterable[Term]) -> list[Term]:
    """The terms, and those of the further ones, in their order, that can be estimated beside all before them."""
    found = list(terms)
    for term in further:
        if estimates(space, cells, [*found, term]):
            found.append(term)
    return found


def d_efficiency(space: Space, cells: Sequence[Cell], terms: Iterable[Term]) -> float:
    """det(X'X)^(1/p) / n: 1 where all columns are orthogonal and balanced, 0 where a term cannot be estimated."""
    matrix = model_matrix(space, cells, terms)
    sign, logarithm = np.linalg.slogdet(matrix.T @ matrix)
    if sign <= 0 or matrix.shape[1] > matrix.shape[0]:
        return 0.0
    return float(math.exp(logarithm / matrix.shape[1]) / len(cells))


def is_orthogonal(space: Space, cells: Sequence[Cell], terms: Iterable[Term]) -> bool:
    """Whether X'X is n times the identity: every term is estimated as if it were the only one."""
    matrix = model_matrix(space, cells, terms)
    return bool(np.allclose(matrix.T @ matrix, len(cells) * np.eye(matrix.shape[1]), atol=SMALL * len(cells)))
