"""Estimates and errors against other ways to compute them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from tests.analysis.effects.known_effects import full, variables
from virtometer.analysis.effects.coding import coded
from virtometer.analysis.effects.fit import Fit, fit, within
from virtometer.analysis.effects.table import Floats, Observed


def made(levels: list[int], blocks: int, *, lost: int = 0, seed: int = 1) -> tuple[Observed, Floats]:
    """Random values; so many trials are lost."""
    rng = np.random.default_rng(seed)
    cells = full(levels)
    level = np.concatenate([cells[rng.permutation(len(cells))] for _ in range(blocks)])
    block = np.repeat(np.arange(blocks), len(cells))
    kept = np.sort(rng.permutation(len(level))[lost:])
    observed = Observed(level[kept], block[kept], np.arange(len(kept)), rng.normal(0, 1, (len(kept), 3)))
    x = np.concatenate([one.columns(observed.level) for one in coded(variables(levels), observed.level)], axis=1)
    return observed, x


def fitted(levels: list[int], blocks: int, **more: int) -> tuple[Observed, Floats, Fit]:
    observed, x = made(levels, blocks, **more)
    return observed, x, fit(observed, x)


@pytest.mark.parametrize("lost", [0, 7])
def test_coefficients_are_those_of_least_squares_with_blocks(lost: int) -> None:
    observed, x, found = fitted([2, 3, 2], 6, lost=lost)
    dummies = (observed.block[:, None] == np.arange(6)).astype(float)
    for repetition in range(3):
        other = OLS(observed.logs[:, repetition], np.column_stack([x, dummies])).fit()
        assert found.coefficients[:, repetition] == pytest.approx(other.params[: x.shape[1]])
        assert found.residuals[:, repetition] == pytest.approx(other.resid)


def test_of_two_treatments_the_interval_is_that_of_the_paired_t() -> None:
    observed, _, found = fitted([2], 8)
    own = found.contrasts([np.array([2.0])])  # columns are -1 and 1
    for repetition in range(3):
        one = observed.logs[observed.level[:, 0] == 1, repetition]
        other = observed.logs[observed.level[:, 0] == 0, repetition]
        t = stats.ttest_rel(one, other)
        assert own.value[0, repetition] / own.error[0, repetition] == pytest.approx(t.statistic)
        assert own.freedom[0, repetition] == pytest.approx(7)


def test_of_whole_blocks_the_own_error_is_the_spread_of_the_blocks_contrasts() -> None:
    """Three contrasts lend nothing to each other, so that the error is each contrast's own."""
    observed, _, found = fitted([2, 2], 8)
    assert found.by_blocks and found.freedom == 21
    own = found.contrasts([np.array([2.0, 0.0, 0.0])])
    for repetition in range(3):
        value, high = observed.logs[:, repetition], observed.level[:, 0] == 1
        blocks = [
            value[(observed.block == b) & high].mean() - value[(observed.block == b) & ~high].mean() for b in range(8)
        ]
        assert own.value[0, repetition] == pytest.approx(np.mean(blocks))
        ratio = own.error[0, repetition] / stats.sem(blocks)
        assert ratio == pytest.approx(1.0)


def test_without_blocks_that_come_again_the_residuals_are_the_error() -> None:
    observed, x, found = fitted([2, 2, 2, 2], 1)
    other = OLS(observed.logs[:, 0], np.column_stack([np.ones(len(x)), x])).fit()
    assert not found.by_blocks and found.freedom == other.df_resid == 5
    own = found.contrasts([np.eye(x.shape[1])[3]])
    assert own.error[0, 0] == pytest.approx(other.bse[4])


def test_what_a_term_adds_is_what_the_fit_loses_without_it() -> None:
    observed, x, found = fitted([2, 3], 6, lost=3)
    y, z = within(observed.block, observed.logs), within(observed.block, x)
    without = np.delete(z, [1, 2], axis=1)
    loss = ((y - without @ np.linalg.lstsq(without, y, rcond=None)[0]) ** 2).sum(axis=0) - (found.residuals**2).sum(
        axis=0
    )
    assert found.sum_of_squares([1, 2]) == pytest.approx(loss)


def test_what_the_model_leaves_out_is_noticed() -> None:
    observed, x = made([2, 2, 2], 8)
    three = np.where(observed.level.sum(axis=1) % 2 == 0, 1.0, -1.0)[:, None]
    plain, bent = (
        fit(observed, x),
        fit(Observed(observed.level, observed.block, observed.order, observed.logs + 2 * three), x),
    )
    assert plain.misfit_p is not None and bent.misfit_p is not None
    assert plain.misfit_p.min() > 0.001 and bent.misfit_p.max() < 1e-6


def test_a_block_that_alone_has_a_level_leaves_the_residuals() -> None:
    """Left out, its effect could not be told: the error is not taken over the blocks."""
    level = np.array([[0], [1], [0], [0], [0], [0]])
    block = np.array([0, 0, 1, 1, 2, 2])
    observed = Observed(level, block, np.arange(6), np.random.default_rng(1).normal(0, 1, (6, 1)))
    assert not fit(observed, np.where(level == 1, 1.0, -1.0)).by_blocks
