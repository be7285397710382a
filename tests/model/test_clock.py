"""A fitted clock converts times and durations, each with its bound; a round trip knows how long it took."""

from __future__ import annotations

import math

import pytest

from virtometer.model import ClockFit, RoundTrip

# A guest's clock at half speed that is 1,000 s behind, known within 20 us and 0.1 %.
FIT = ClockFit(5_000_000_000, 1_005_000_000_000, 2.0, 20_000.0, 0.002, 8)


def test_readings_are_converted_by_the_line() -> None:
    assert FIT.to_host_ns(5_000_000_000) == 1_005_000_000_000
    assert FIT.to_host_ns(6_000_000_000) == 1_007_000_000_000
    assert FIT.to_host_ns(4_999_999_999) == 1_004_999_999_998


def test_bounds_grow_with_the_distance_from_the_reference_on_both_sides() -> None:
    assert FIT.bound_at_ns(5_000_000_000) == 20_000
    assert FIT.bound_at_ns(6_000_000_000) == FIT.bound_at_ns(4_000_000_000) == pytest.approx(2_020_000)
    assert FIT.relative_bound == pytest.approx(0.001)


def test_a_clock_that_was_not_compared_has_no_bound() -> None:
    unknown = ClockFit(0, 0, 1.0, math.nan, math.nan, 0)
    assert FIT.compared and not unknown.compared
    assert math.isnan(unknown.relative_bound) and math.isnan(unknown.bound_at_ns(0))
    assert unknown.to_host_ns(10**9) == 10**9, "it is converted all the same"


def probe(sent: int, received: int, answered: int, back: int) -> RoundTrip:
    return RoundTrip("during", sent, received, answered, back)


def test_a_line_that_keeps_to_every_probe_misses_none() -> None:
    at = FIT.reference_host_ns
    assert FIT.missed_ns([]) == 0.0
    inside = probe(at - 10, 5_000_000_000, 5_000_000_005, at + 20)
    assert FIT.missed_ns([inside]) == 0.0
    assert FIT.missed_ns([probe(at, 5_000_000_000, 5_000_000_000, at)]) == 0.0, "on the edge is inside"


@pytest.mark.parametrize(("sent", "back", "missed"), [(7, 20, 7.0), (-10, -3, 3.0), (7, -3, 7.0), (2, -3, 3.0)])
def test_what_a_line_misses_is_the_worst_of_both_sides(sent: int, back: int, missed: float) -> None:
    at = FIT.reference_host_ns
    fine = probe(at - 10, 5_000_000_000, 5_000_000_000, at + 10)
    assert FIT.missed_ns([fine, probe(at + sent, 5_000_000_000, 5_000_000_000, at + back)]) == missed


def test_the_round_trip_is_reported_by_the_host_alone() -> None:
    assert probe(100, 0, 10**9, 350).round_trip_ns == 250
