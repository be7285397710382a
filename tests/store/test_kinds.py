"""Round trips of older ledgers, which did not say of which kind they are."""

from __future__ import annotations

import pytest

from virtometer.model import RoundTripKind
from virtometer.store import kinds

MS = 10**6


def trip(sent_ms: float, guest_ms: float, held_ms: float = 0.0, away_ms: float = 0.2) -> kinds.Times:
    """A round trip: when it was sent, when the guest received it and for how long it kept it."""
    sent, received = round(sent_ms * MS), round(guest_ms * MS)
    return sent, received, received + round(held_ms * MS), sent + round((held_ms + away_ms) * MS)


@pytest.mark.parametrize("jump_ms", [0, 3000, -3000])
def test_pings_are_told_apart_by_the_samples_even_where_the_clock_stepped(jump_ms: int) -> None:
    ends = [0, 1, 250, 500, 750, 1001, 1002]
    trips = [trip(ms, 7000 + ms + (jump_ms if ms > 600 else 0)) for ms in ends]
    samples = [(7010 * MS, 7500 * MS), (7500 * MS, (8000 + jump_ms) * MS)]
    assert kinds.pings(trips, samples) == ["before"] * 2 + ["during"] * 3 + ["after"] * 2


def test_pings_of_a_run_without_samples_are_those_before_it() -> None:
    assert kinds.pings([trip(0, 0), trip(1, 1)], []) == ["before"] * 2
    assert kinds.iterations([trip(0, 0), trip(1, 1)], []) == ["before"] * 2


def test_iterations_are_told_apart_from_pings_that_were_under_way_meanwhile() -> None:
    """Two pieces of work, each with an iteration without work directly before it. The clock runs twice as fast."""
    trips = [trip(0, 0), trip(1, 2)]
    expected: list[RoundTripKind] = ["before", "before"]
    for number in range(9):
        trips.append(trip(100 + number, 200 + 2 * number))
        expected.append("null")
    samples = []
    for at in (200, 600):
        if at > 200:
            trips.append(trip(at - 1, 2 * at - 2))
            expected.append("null")
        trips.append((at * MS, 2 * at * MS, 2 * (at + 250) * MS, (at + 250) * MS + 200_000))
        trips.append(trip(at + 100, 2 * at + 200, away_ms=150.0))
        expected += ["work", "during"]
        samples.append((2 * at * MS, 2 * (at + 250) * MS))
    trips += [trip(1000, 2000), trip(1001, 2002)]
    assert kinds.iterations(trips, samples) == [*expected, "after", "after"]


def test_work_that_goes_on_from_its_warm_up() -> None:
    trips = [trip(0, 0), *(trip(10 + number, 10 + number) for number in range(9))]
    trips.append((30 * MS, 30 * MS, 130 * MS, 131 * MS))
    samples = []
    for number in range(3):
        begin, end = 130 + 100 * number, 230 + 100 * number
        trips.append(((begin + 1) * MS, begin * MS, end * MS, (end + 1) * MS))
        samples.append((begin * MS, end * MS))
    assert kinds.iterations(trips, samples) == ["before", *["null"] * 9, "warm-up", *["work"] * 3]
