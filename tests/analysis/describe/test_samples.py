"""Samples in host time: rates by the unit, and how far off the clock may make them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, quiet, simulate
from virtometer.analysis.describe.samples import timed_samples, value_bound
from virtometer.model import Run


def run(unit: str = "B/s", level: float = 1e9) -> Run:
    (made,) = simulate([Place("native")], [Work("w", unit=unit, level=level)], blocks=1, noise=quiet).trials[0].runs
    return made


@pytest.mark.parametrize(("unit", "level"), [("B/s", 1e9), ("s", 2e-6)])
def test_every_sample_has_its_rate_by_the_unit(unit: str, level: float) -> None:
    found = timed_samples(run(unit, level))
    assert found.columns.start_ns.tolist() == [one.start_ns for one in run(unit, level).samples]
    assert found.rate == pytest.approx([level] * 4, rel=0.1)
    assert ((found.rate_bound > 0) & (found.rate_bound < level)).all()
    assert (found.intervals.duration_s > 0).all()


@pytest.mark.parametrize(("unit", "rate"), [("B/s", 0.0), ("s", math.nan)])
def test_a_sample_without_work_has_no_time_for_each(unit: str, rate: float) -> None:
    made = run(unit, 1e-6 if unit == "s" else 1e9)
    idle = replace(made.samples[0], work=0)
    found = timed_samples(replace(made, samples=(idle, *made.samples[1:])))
    assert found.rate[0] == pytest.approx(rate, nan_ok=True)
    assert found.rate_bound[0] == pytest.approx(rate, nan_ok=True)


def test_the_bound_of_a_value_is_that_of_its_duration() -> None:
    made = run()
    share = made.scored.clock.relative_bound
    assert value_bound(made) == pytest.approx(made.scored.value * share / (1 - share))
    assert value_bound(replace(made, score=None)) is None
