"""The geometry of feasible lines, against what every single round trip proves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.clock.round_trips import Channel, Clocks
from virtometer.clock.region import feasible_region, is_linear, longest_feasible_prefix, slope_bounds
from virtometer.model import RoundTrip

BEGIN = 10**13


def run(seed: int, rate: float, seconds: float = 1.0) -> list[RoundTrip]:
    luck = random.Random(seed)
    before, during, after = Channel(luck, Clocks(rate, luck.randrange(10**12))).run(BEGIN, seconds)
    return [*before, *during, *after]


@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.5, 1.0, 1.1, 2.0]), share=st.floats(0.0, 1.0))
def test_every_line_that_the_region_names_keeps_to_every_round_trip(seed: int, rate: float, share: float) -> None:
    trips = run(seed, rate)
    region = feasible_region(trips)
    assert region is not None
    assert region.low <= rate <= region.high
    assert region.half_width <= min(trip.round_trip_ns for trip in trips) / 2 + 4 + 2 * rate
    slope = region.low + share * (region.high - region.low)
    for chosen, beside_ns in ((region.rate, 0.0), (slope, region.beside_ns(slope))):
        for trip in trips:
            at = [region.host_ns + beside_ns + chosen * (guest - region.guest_ns)
                  for guest in (trip.received_guest_ns, trip.sent_guest_ns)]  # fmt: skip
            assert trip.sent_host_ns - 6 <= at[0] and at[1] <= trip.received_host_ns + 6
            # No feasible line is farther from the middle, where the region is narrowest.
        assert abs(beside_ns) <= region.half_width + 1e-3


@given(seed=st.integers(0, 2**32), jumps=st.lists(st.integers(1, 40), max_size=4))
def test_the_longest_prefix_of_a_clock_that_steps_is_that_of_one_round_trip_after_the_other(
    seed: int, jumps: list[int]
) -> None:
    luck = random.Random(seed)
    steps = [(BEGIN + at * 10**7, luck.choice([-1, 1]) * 10 ** luck.randrange(4, 10)) for at in jumps]
    channel = Channel(luck, Clocks(1.0, 0, steps), least_ns=1e5)
    trips = [channel.probe(BEGIN + number * 10**7) for number in range(40)]
    count = longest_feasible_prefix(trips)
    assert count == max(number for number in range(1, 41) if is_linear(trips[:number]))


def test_without_a_feasible_line_there_is_no_region() -> None:
    trips = run(1, 1.0)
    host, guest = trips[-1].sent_host_ns + 10**6, trips[-1].sent_guest_ns + 10**9
    ahead = RoundTrip("during", host, guest, guest, host + 1000)
    back = RoundTrip("during", host, 5, 6, host + 1000)
    assert feasible_region([*trips, back]) is None
    low, high = slope_bounds([*trips, back])
    assert low > high
    assert not is_linear([*trips, back]) and is_linear(trips)
    assert feasible_region(trips) is not None and feasible_region([*trips, ahead]) is None


@pytest.mark.parametrize("held_ns", [0, 50_000_000])
def test_one_round_trip_has_lines_but_no_region(held_ns: int) -> None:
    """They may be as steep as they like, or as flat."""
    one = Clocks().probe(BEGIN, 500, held_ns, 500)
    assert longest_feasible_prefix([one]) == 1 and is_linear([one])
    assert slope_bounds([one])[0] == 0.0
