"""What is left over is said in one sentence each, and nothing is said of plain noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, response
from tests.analysis.effects.known_effects import drifting
from virtometer.analysis.effects.diagnostics import sentences
from virtometer.analysis.effects.model import model
from virtometer.analysis.effects.table import Response, observed

ALL = (AIO, CACHE, DUMMY)


def said(of: Response, missing: int = 0) -> str:
    made = model(ALL, observed(ALL, of))
    assert made is not None
    return "; ".join(sentences(made, missing))


def test_plain_noise_is_rarely_remarked_on() -> None:
    remarks = [said(response(ALL, lambda _: 0.0, seed=seed)) for seed in range(60)]
    assert sum(map(bool, remarks)) <= 6


def test_no_noise_at_all_is_not_remarked_on() -> None:
    assert said(response(ALL, lambda _: 0.0, spread=0.0)) == ""


def test_a_drift_an_outlier_and_a_level_that_spreads_more_are_named() -> None:
    plain = response(ALL, lambda _: 0.0)
    logs = np.array(plain.logs)
    drift = drifting(0.95)(np.random.default_rng(3), len(logs), 1)[:, 0] * 0.05
    assert "neighbours in run order resemble each other" in said(replace(plain, logs=(logs + drift).tolist()))
    one = logs.copy()
    one[40] -= 0.3
    assert "1 trial of 96 far from the others: the farthest by -2" in said(replace(plain, logs=one.tolist()))
    wide = np.where([levels["cache"] == "none" for levels in plain.levels], 6.0, 1.0)
    assert "values with cache=none spread" in said(replace(plain, logs=(logs * wide).tolist()))


def test_three_factors_that_act_together_are_noticed() -> None:
    three = response(
        ALL, lambda one: 0.1 * ((one["aio"] == "io_uring") ^ (one["cache"] == "none") ^ (one["dummy"] == "b"))
    )
    assert "three or more factors interact" in said(three)


@pytest.mark.parametrize(("missing", "sentence"), [(1, "1 trial of 97 without"), (3, "3 trials of 99 without")])
def test_missing_values_are_counted(missing: int, sentence: str) -> None:
    assert sentence in said(response(ALL, lambda _: 0.0, spread=0.0), missing)
