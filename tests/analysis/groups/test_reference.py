"""The reference of a group of guests: one guest alone, of the same scenario first."""

from __future__ import annotations

import pytest

from tests.analysis.groups.injected import member, trial
from virtometer.analysis.groups.reference import References

PLACE = ("box", "cpu", 0)


def test_the_same_scenario_comes_first() -> None:
    found = References(
        [
            trial(0, [member(10.0)], scenario="", type="alone"),
            trial(0, [member(20.0)], scenario="growing"),
            trial(0, [member(30.0)], scenario="under load", type="loaded"),
            trial(0, [member(99.0), member(99.0, 2)], scenario="under load", type="loaded"),
        ]
    )
    rates = {name: of.rate for name in ("under load", "growing", "another") if (of := found.of(name, PLACE))}
    assert rates == pytest.approx({"under load": 30.0, "growing": 20.0, "another": 20.0})
    assert found.speed("under load", PLACE) == pytest.approx(30.0)


def test_another_block_environment_or_workload_is_none() -> None:
    found = References([trial(0, [member(10.0)])])
    assert found.of("growing", ("box", "cpu", 1)) is None
    assert found.of("growing", ("native", "cpu", 0)) is None and found.of("growing", ("box", "disk", 0)) is None


def test_two_guests_of_the_baseline_are_averaged() -> None:
    found = References([trial(0, [member(4.0)], type="alone"), trial(0, [member(9.0, 2)], type="alone")]).of("x", PLACE)
    assert found is not None and found.rate == pytest.approx(6.0)


def test_the_cost_is_of_the_work() -> None:
    found = References([trial(0, [member(10.0, cpu_s=1.5)], window_s=2.0)]).of("growing", PLACE)
    assert found is not None and found.cost == pytest.approx(1.5 / 20.0)
    unknown = References([trial(0, [member(10.0, cpu_s=None)])]).of("growing", PLACE)
    assert unknown is not None and unknown.cost is None
