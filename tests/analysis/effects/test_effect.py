"""What is said of effects, as data."""

from __future__ import annotations

import math

import pytest

from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Contrast, Effect, Effects, change, quantity
from virtometer.model import Estimate


def test_changes_are_per_cent_and_bounds_may_be_missing() -> None:
    found = change(math.log(1.18), math.log(1.15), math.log(1.21), 8)
    assert (found.value, found.low, found.high) == pytest.approx((18.0, 15.0, 21.0))
    assert change(0.0, math.nan, math.nan, 8) == Estimate(0.0, None, None, 8)
    assert math.isfinite(change(1e6, 0.0, 1e9, 8).value)


def test_the_largest_contrast_is_by_ratio_not_by_per_cent() -> None:
    def of(percent: float) -> Contrast:
        of = quantity(Estimate(percent, None, None, 8), "m", "lower", (str(percent),), ("r",))
        return Contrast((str(percent),), ("r",), of, Influence.UNDECIDED, None, None)

    contrasts = (of(60.0), of(-50.0))
    effect = Effect("m", "f", ("f",), contrasts, contrasts[1].change, 0.1, Influence.UNDECIDED, None)
    assert effect.largest.change.estimate.value == -50.0, "half is farther than 1.6 times"


def test_without_factors_there_is_nothing() -> None:
    assert Effects().effects == ()
