"""Noise of a subject's own: its spread beside the control's, drift, and blocks that lie apart."""

from __future__ import annotations

import pytest

from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.notes.own_noise import own_noise, worth
from virtometer.analysis.statistics.spread import Spread

KEY: Key = ("work", "place")
QUIET = Spread(0.0, 0.01, 6)
ALIKE = [0.008, -0.009, 0.002, -0.004, 0.006, -0.003]


def test_as_noisy_as_the_baseline_is_no_noise_of_its_own() -> None:
    of = own_noise({KEY: ALIKE}, {KEY: QUIET})[KEY]
    assert not of.own and not of.drifts and of.apart == 0


def test_a_larger_spread_than_the_baselines_is_seen() -> None:
    of = own_noise({KEY: [10 * log for log in ALIKE]}, {KEY: QUIET})[KEY]
    assert of.own and not of.drifts
    assert not own_noise({KEY: [10 * log for log in ALIKE]}, {})[KEY].own, "nothing to compare it with"


def test_a_spread_is_seen_in_the_comparisons_of_an_environment_together() -> None:
    """Twice the baseline's spread is chance in one of them, and not in six."""
    logs = [3 * log for log in ALIKE]
    many: dict[Key, list[float]] = {(f"work {at}", "place"): logs for at in range(6)}
    assert not own_noise({KEY: logs}, {KEY: QUIET})[KEY].own
    assert all(of.own for of in own_noise(many, dict.fromkeys(many, QUIET)).values())


def test_a_drift_is_seen_also_without_a_control() -> None:
    of = own_noise({KEY: [0.0, 0.011, 0.019, 0.031, 0.042, 0.049]}, {})[KEY]
    assert of.drifts and of.own and of.hinted


def test_a_hint_is_less_than_a_finding() -> None:
    drift = own_noise({KEY: [log + 0.005 * at for at, log in enumerate(ALIKE)]}, {KEY: QUIET})[KEY]
    spread = own_noise({KEY: [2.5 * log for log in ALIKE]}, {KEY: QUIET})[KEY]
    assert drift.hinted and not drift.own
    assert spread.hinted and not spread.own
    assert not own_noise({KEY: ALIKE}, {KEY: QUIET})[KEY].hinted


@pytest.mark.parametrize("slow", [1, 2])
def test_starts_of_another_kind_lie_apart(slow: int) -> None:
    logs = [log - (0.2 if at < slow else 0.0) for at, log in enumerate(ALIKE)]
    of = own_noise({KEY: logs}, {KEY: QUIET})[KEY]
    assert of.apart == slow
    assert of.size == pytest.approx(0.2, abs=0.02)
    assert not of.widespread, "one comparison says nothing of the others"


def test_kinds_in_half_of_an_environments_comparisons_are_expected_in_all_of_them() -> None:
    slow = [ALIKE[0] - 0.3, *ALIKE[1:]]
    family: dict[Key, list[float]] = {("a", "x"): slow, ("b", "x"): slow, ("c", "x"): ALIKE, ("a", "y"): ALIKE}
    found = own_noise(family, dict.fromkeys(family, QUIET))
    assert found["c", "x"].widespread and found["c", "x"].size == pytest.approx(0.3, abs=0.02)
    assert not found["a", "y"].widespread


def test_blocks_that_look_alike_are_worth_less_than_they_are() -> None:
    assert worth(6, 0.9) == worth(6) == 1.0 < worth(6, -0.5) < 6
    assert worth(20, 0.5) < worth(20) < 10
    assert worth(10_000) > 0.9 * 10_000


def test_nothing_is_said_of_fewer_than_six_blocks() -> None:
    assert own_noise({KEY: ALIKE[:5]}, {KEY: QUIET}) == {}
