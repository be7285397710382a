"""How far a clock can be believed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis.clocks import beliefs, residual_s
from virtometer.link.steps import Step
from virtometer.model import Campaign, ClockFit, ClockProbe

CLOCK = Work("clock", "clock", "watch", "s", 3e-8)
FIT = ClockFit(0, 0, 1.0, 1000.0, 1e-6, 10)


def campaign(rates: list[float], extra: dict[str, Any] | None = None, **more: Any) -> Campaign:
    made = simulate([Place("native")], [CLOCK], blocks=len(rates), **more)
    trials = tuple(
        replace(
            record,
            results=tuple(
                replace(one, clock=replace(one.clock, rate=rate, rate_bound=2e-6 * rate), **(extra or {}))
                for one in record.results
            ),
        )
        for record, rate in zip(made.trials, rates, strict=True)
    )
    return replace(made, trials=trials)


def test_rates_are_told_as_how_much_the_clock_gains() -> None:
    (belief,) = beliefs(campaign([1 / 1.0001, 1 / 1.0002, 1 / 0.9999]))
    assert belief.rate_ppm == pytest.approx(100)
    assert (belief.rate_low_ppm, belief.rate_high_ppm) == pytest.approx((-100, 200))
    assert belief.bound_ppm == pytest.approx(2)
    assert belief.drift_s_per_hour == pytest.approx(0.36)
    assert belief.runs == 3


def test_the_error_of_a_duration_is_the_rate_and_what_does_not_shrink() -> None:
    measures = {
        "resolution-monotonic": {"unit": "s", "value": 4e-3},
        "cost-monotonic": {"unit": "s", "value": 0.0},
    }
    (belief,) = beliefs(campaign([1 / 1.001], {"measures": measures}))
    assert belief.error(math.inf) == pytest.approx(0.001)
    assert belief.error(1.0) == pytest.approx(0.001 + 0.004, rel=0.01)


def test_runs_that_failed_by_a_step_are_counted_with_their_size() -> None:
    sentence = Step(3_000_000_000, 5_000_000_000).sentence(4_000_000_000)
    (belief,) = beliefs(campaign([1.0, 1.0, 1.0], fail={1: f"native: {sentence}"}))
    assert (belief.steps, belief.step_s, belief.runs) == (1, pytest.approx(3.0), 2)
    (alone,) = beliefs(campaign([1.0], fail={0: f"native: {sentence}"}))
    assert (alone.steps, alone.runs) == (1, 0)


def test_what_no_line_explains_is_the_residual() -> None:
    good = [ClockProbe(t - 10, t, t + 5, t + 20) for t in range(0, 1000, 100)]
    assert residual_s(FIT, good) == 0.0
    jumped = [*good, ClockProbe(1_000_990, 3_001_000, 3_001_005, 1_001_020)]
    assert residual_s(FIT, jumped) == pytest.approx(2e-3, rel=1e-3)
    back = [*good, ClockProbe(4_000_990, 1_001_000, 1_001_005, 4_001_020)]
    assert residual_s(FIT, back) == pytest.approx(3e-3, rel=1e-3)


def test_an_environment_that_never_ran_has_no_clock() -> None:
    made = simulate([Place("native"), Place("KVM", works=False, reason="no")], [CLOCK])
    assert [belief.environment for belief in beliefs(made)] == ["native"]
