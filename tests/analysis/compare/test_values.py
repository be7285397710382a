"""Absolute values, what they are called, and how far off they may be."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, gaussian, simulate
from virtometer.analysis.compare.blocks import TreatmentData, by_treatment, logs_by_block
from virtometer.analysis.compare.values import clock_bound, metric, value_of
from virtometer.analysis.statistics.spread import spread
from virtometer.model import Better, ClockFit, Treatment


@pytest.mark.parametrize(("rate_bound", "unit"), [(2.0, "s"), (3.0, "B/s"), (2.0, "B/s"), (math.nan, "s")])
def test_a_bound_that_nobody_knows_is_none(rate_bound: float, unit: str) -> None:
    assert clock_bound(1.0, unit, ClockFit(0, 0, 2.0, 1.0, rate_bound, 2).relative_bound) is None


def test_a_duration_is_off_by_its_share_and_a_rate_by_a_little_more() -> None:
    assert clock_bound(2.0, "s", 0.01) == pytest.approx(0.02)
    assert clock_bound(99.0, "B/s", 0.01) == pytest.approx(1.0)
    assert clock_bound(2.0, "B/s", 0.0) == clock_bound(0.0, "s", 0.5) == 0.0
    assert clock_bound(1.0, "s", math.inf) is None


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9), st.floats(0, 0.99))
def test_a_rate_may_be_too_low_by_what_its_duration_is_too_long(work: float, seconds: float, share: float) -> None:
    bound = clock_bound(work / seconds, "B/s", share)
    assert bound is not None
    assert work / seconds + bound == pytest.approx(work / (seconds * (1 - share)))


@pytest.mark.parametrize(
    ("workload", "op", "unit", "expected"),
    [
        ("linpack", "classic", "FLOP/s", "floating-point rate"),
        ("memory", "triad", "B/s", "bandwidth, 3 x size"),
        ("memory", "latency", "s", "time per operation"),
        ("disk", "random-read", "IO/s", "I/O rate"),
        ("net", "open-loop", "s", "mean latency at the offered rate"),
        ("net", "connect", "1/s", "rate"),
        ("of another version", "x", "furlongs", "furlongs"),
        ("memory", "triad", "", "bandwidth, 3 x size"),
        ("disk", "x", "", ""),
    ],
)
def test_every_metric_has_a_name(workload: str, op: str, unit: str, expected: str) -> None:
    assert metric(workload, op, unit) == expected


SHAPE: tuple[str, str, Better] = ("triad", "B/s", "higher")


def test_the_value_is_the_geometric_mean_over_the_blocks() -> None:
    data = TreatmentData(Treatment("native", "w"))
    assert value_of(data, "pde", SHAPE).estimate is None
    data.values = {0: 2.0, 3: 8.0}
    found = value_of(data, "pde", SHAPE).estimate
    assert found is not None and found.value == pytest.approx(4.0) and (found.n, found.low) == (2, None)
    data.values = {n: 2.0 if n % 2 else 8.0 for n in range(6)}
    found = value_of(data, "pde", SHAPE).estimate
    assert found is not None and found.low is not None and found.high is not None
    # mean ln 4, sd 0.75935, t(5) at 97.5 % 2.57058: half 0.79690
    assert (found.value, found.low, found.high) == pytest.approx(
        (4.0, 4 / math.exp(0.7969), 4 * math.exp(0.7969)), rel=1e-4
    )


def test_the_ratio_of_two_values_is_the_mean_of_the_ratios() -> None:
    table = by_treatment(
        simulate([Place("native"), Place("box", efficiency={"": 0.8})], noise=gaussian(0.1), samples=1)
    )
    native, box = table.values()
    one, two = (value_of(data, "memory", SHAPE).estimate for data in (box, native))
    ratios = spread([*logs_by_block(box.values, native.values, "higher").values()])
    assert one is not None and two is not None and ratios is not None
    assert one.value / two.value == pytest.approx(math.exp(ratios.mean))
