"""Predictions of cells by double ratios."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.plausible.pattern import LARGE, near, pattern, roughness

EVEN = np.outer([1.0, 2.0, 5.0, 7.0], [3.0, 4.0, 6.0, 10.0])


@pytest.mark.parametrize("within", [None, 2])
def test_one_cell_deviates_by_its_factor(within: int | None) -> None:
    values = EVEN.copy()
    values[1, 2] *= 10
    of = pattern(values, np.full(values.shape, 0.005), within)
    assert of.residuals[1, 2] == pytest.approx(np.log(10))
    assert of.strangeness.argmax() == 1 * 4 + 2


def test_predictions_are_the_median_of_all_double_ratios() -> None:
    values = np.random.default_rng(3).uniform(1, 9, (5, 4))
    values[0, 1] = np.nan
    logs = np.log(values)
    made = [logs[2, c] + logs[r, 3] - logs[r, c] for r in (0, 1, 3, 4) for c in (0, 1, 2) if np.isfinite(logs[r, c])]
    of = pattern(values, values * 0)
    assert of.residuals[2, 3] == pytest.approx(logs[2, 3] - np.median(made))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 2)])
def test_too_few_lines_predict_nothing(shape: tuple[int, int]) -> None:
    assert np.isnan(pattern(np.ones(shape), np.ones(shape)).residuals).all()


def test_large_tables_use_fewer_lines() -> None:
    assert near(LARGE + 1) < near(LARGE)


def test_an_uneven_cell_makes_a_table_rough() -> None:
    logs = np.log(EVEN)
    rough = logs.copy()
    rough[2, 2] += 3
    assert roughness(rough) > roughness(logs)
