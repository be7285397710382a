from virtometer.workloads.base import Place
from virtometer.workloads.clock import Clock, ClockParameters


def test_it_needs_nothing_and_asks_for_a_millisecond() -> None:
    assert Clock.needs == frozenset()
    place = Place()
    assert Clock().arguments("watch", ClockParameters(), place) == {"sleep": 1000}
