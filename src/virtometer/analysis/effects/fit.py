"""Effects estimated within blocks, with errors from independent starts.

Least squares on logs with an effect of each block (R. A. Fisher, "The Design of Experiments", 1935). The variance of a
contrast is that of its estimates without one block at a time (M. H. Quenouille, "Notes on bias in estimation",
Biometrika 43 (1956) 353-360): where every block has every cell, this is the interaction of contrast and block. `error`
then draws it towards what is common to all contrasts. Where cells do not come again in other blocks, the variance is
that of the residuals of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.effects.error import Common, common, moderated
from virtometer.analysis.effects.table import Floats, Integers, Observed

LEAST_FREEDOM = 4.5
"""Degrees of freedom below which no interval is given: those of six blocks, of which a trial or two may be missing."""

_SINGULAR = 1e-8


@dataclass(frozen=True, slots=True)
class Estimates:
    """Contrasts on the log scale: k x R each. freedom: 0 where there is no error."""

    value: Floats
    error: Floats
    freedom: Floats


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model with P columns. residuals: N x R, of the model. by_blocks: whether errors come from the blocks."""

    coefficients: Floats
    residuals: Floats
    total: Floats
    by_blocks: bool
    blocks: int
    freedom: float
    misfit_p: Floats | None
    _inverse: Floats
    _without: Floats
    _weights: Floats
    _common: Common

    def contrasts(self, of: Sequence[Floats]) -> Estimates:
        """Linear combinations of the coefficients, each with P weights."""
        repetitions = self.coefficients.shape[1]
        if not of:
            empty = np.zeros((0, repetitions))
            return Estimates(empty, empty, empty)
        weights = np.stack(of)
        value = weights @ self.coefficients
        unit = _squares(weights, self._inverse)[:, None]
        if not self.by_blocks:
            freedom = np.full(value.shape, self.freedom)
            return Estimates(value, np.sqrt(unit * self._common.variance), freedom)
        apart = weights @ self._without - value
        count = len(self._without)
        own = (count - 1) / count * (apart**2).sum(axis=0) / unit
        part = np.stack([_squares(weights, one) for one in self._weights])
        freedom = (part.sum(axis=0) ** 2 / (part**2).sum(axis=0) - 1.0)[:, None]
        variance, total = moderated(own, np.broadcast_to(freedom, own.shape), self._common, self.freedom)
        return Estimates(value, np.sqrt(unit * variance), total)

    def common_error(self, of: Sequence[Floats]) -> Floats:
        """The error of contrasts by what is common to all of them, k x R."""
        weights = np.stack(of)
        unit = _squares(weights, self._inverse)[:, None]
        found: Floats = np.sqrt(unit * self._common.variance)
        return found

    def sum_of_squares(self, columns: Sequence[int]) -> Floats:
        """What a term adds beyond all others, R of them."""
        at = list(columns)
        own = self.coefficients[at]
        found: Floats = np.einsum("pr,pq,qr->r", own, np.linalg.inv(self._inverse[np.ix_(at, at)]), own)
        return found


def _squares(weights: Floats, matrix: Floats) -> Floats:
    """What each row of weights gives on both sides of a matrix."""
    found: Floats = ((weights @ matrix) * weights).sum(axis=1)
    return found


def within(blocks: Integers, values: Floats) -> Floats:
    """Values without the mean of their block; N x anything."""
    names, which = np.unique(blocks, return_inverse=True)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, which, values)
    found: Floats = values - (sums / np.bincount(which)[:, None])[which]
    return found


def fit(observed: Observed, columns: Floats) -> Fit:
    """Fit columns (N x P, of full rank within the blocks) to the logs of all repetitions."""
    blocks = np.unique(observed.block)
    x, y = within(observed.block, columns), within(observed.block, observed.logs)
    members = [np.flatnonzero(observed.block == block) for block in blocks]
    grams = np.stack([x[rows].T @ x[rows] for rows in members])
    sums = np.stack([x[rows].T @ y[rows] for rows in members])
    gram, inverse = grams.sum(axis=0), np.linalg.inv(grams.sum(axis=0))
    found = inverse @ sums.sum(axis=0)
    residuals = y - x @ found
    left = float(len(y) - len(blocks) - x.shape[1])
    variances, freedom, extra = _of_cells(observed, x, members)
    estimable = len(blocks) > 1 and all(_regular(gram, gram - one) for one in grams)
    if variances is None or not estimable:
        squares = (residuals**2).sum(axis=0)
        shared = Common(squares / max(left, 1.0), np.full(y.shape[1], left))
        return Fit(
            found, residuals, (y**2).sum(axis=0), False, len(blocks), max(left, 0.0), None,
            inverse, np.zeros((0, *found.shape)), np.zeros((0, *inverse.shape)), shared,
        )  # fmt: skip
    own = float(len(blocks) - 1)
    shared = common(variances, own, freedom)
    without = np.stack(
        [np.linalg.solve(gram - one, sums.sum(axis=0) - at) for one, at in zip(grams, sums, strict=True)]
    )
    parts = inverse @ grams @ inverse
    misfit = None if extra is None else _f_test(extra, (residuals**2).sum(axis=0), left, variances, freedom)
    return Fit(
        found, residuals, (y**2).sum(axis=0), True, len(blocks), freedom, misfit, inverse, without, parts, shared
    )  # fmt: skip


def _regular(gram: Floats, rest: Floats) -> bool:
    """Whether all coefficients can still be told from the rest."""
    scale = np.sqrt(np.diag(gram))
    return bool(np.linalg.eigvalsh(rest / np.outer(scale, scale))[0] > _SINGULAR)


def _of_cells(observed: Observed, x: Floats, members: Sequence[Integers]) -> tuple[Floats | None, float, float | None]:
    """The variance of single trials in orthonormal contrasts of the cells, K x R, from how they vary over the blocks.

    Also the degrees of freedom of all of them, and those of the contrasts that the model leaves out (None: none).
    None where cells do not come again often enough.
    """
    cells = np.unique(observed.level, axis=0, return_inverse=True)[1].reshape(-1)
    count = int(cells.max()) + 1
    if len(members) < 2 or len(cells) - len(members) - count + 1 < 1:
        return None, 0.0, None
    model = np.linalg.qr(x)[0]
    indicators = within(observed.block, np.eye(count)[cells])
    indicators -= model @ (model.T @ indicators)
    u, size, _ = np.linalg.svd(indicators, full_matrices=False)
    basis = np.concatenate([model, u[:, size > 1e-8]], axis=1)
    y = within(observed.block, observed.logs)
    rest = y - basis @ (basis.T @ y)
    freedom = float(len(y) - len(members) - basis.shape[1])
    if freedom < 1:
        return None, 0.0, None
    scores = np.stack([basis[rows].T @ rest[rows] for rows in members])
    expected = sum(
        (basis[rows] ** 2).sum(axis=0) - ((basis[rows].T @ basis[rows]) ** 2).sum(axis=0) for rows in members
    )
    used = np.asarray(expected) > 1e-6
    variances = (scores**2).sum(axis=0)[used] / np.asarray(expected)[used, None]
    extra = basis.shape[1] - x.shape[1]
    return variances, freedom, float(extra) if extra else None


def _f_test(extra: float, squares: Floats, left: float, variances: Floats, freedom: float) -> Floats | None:
    """p of the hypothesis that what the model leaves over is no more than what blocks differ by, R of them."""
    from scipy import special

    pure = variances.mean(axis=0)
    over = (squares - pure * freedom) / extra
    ratio = np.where(pure > 0, np.maximum(over, 0.0) / np.where(pure > 0, pure, 1.0), 0.0)
    found: Floats = special.fdtrc(extra, freedom, ratio)
    return found if left > freedom else None
