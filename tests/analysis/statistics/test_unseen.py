"""Starts of another kind that few blocks do not show."""

from __future__ import annotations

import math

import pytest

from virtometer.analysis.statistics import unseen


@pytest.mark.parametrize(("n", "share"), [(6, 0.393), (10, 0.259), (32, 0.0894), (0, 1.0)])
def test_so_many_starts_may_be_of_a_kind_that_no_block_has(n: int, share: float) -> None:
    assert unseen.share(n) == pytest.approx(share, abs=5e-4)
    if n:
        assert (1 - unseen.share(n)) ** n == pytest.approx(0.05)


def test_blocks_that_lie_apart_bound_the_share_from_above() -> None:
    """Clopper and Pearson: 1 of 10 is compatible with up to 39.4 %."""
    assert unseen.share(10, 1) == pytest.approx(0.3942, abs=1e-4)
    assert unseen.share(6, 6) == 1.0


def test_the_mean_may_be_wrong_by_the_share_that_is_not_there() -> None:
    assert unseen.shift(6) == pytest.approx(0.393 * math.log(1.25), abs=1e-4)
    assert unseen.shift(10, 1, 0.2) == pytest.approx((0.3942 - 0.1) * 0.2, abs=1e-4)
    assert unseen.shift(0) == math.inf


def test_enough_starts_are_the_fewest_that_leave_the_mean_near() -> None:
    needed = unseen.starts_needed(0.02)
    assert needed is not None
    assert unseen.shift(needed) < 0.02 <= unseen.shift(needed - 1)
    assert unseen.starts_needed(0.0) is None
    assert unseen.starts_needed(1e-9) is None
