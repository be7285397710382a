from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtometer.clock import intervals, iterations
from virtometer.errors import LinkError
from virtometer.model import RoundTrip, RoundTripKind, Sample

Way = Callable[[random.Random], float]


class Guest:
    """A guest whose clock is never asked, with true lengths in ns. `way` draws how long an empty passage lasts."""

    def __init__(self, seed: int, way: Way, leap: float = 1.0, rate: float = 1.0) -> None:
        self.luck, self.way, self.leap, self.rate = random.Random(seed), way, leap, rate
        self.host, self.clock = 10**13, 10**12
        self.passages: list[RoundTrip] = []
        self.samples: list[Sample] = []
        self.true: list[int] = []

    def idle(self, length: int) -> None:
        """The guest waits: its clock leaps."""
        self.host += length
        self.clock += int(length * self.leap)

    def work(self, length: int) -> None:
        self.host += length
        self.clock += max(int(length * self.rate), 1)

    def passage(self, length: int = 0, begins: bool = True, kind: RoundTripKind | None = None) -> None:
        kind = kind or ("work" if length else "null")
        sent = self.host if begins else self.passages[-1].received_host_ns
        there, back = (int(self.way(self.luck) / 2) for _ in range(2))
        if begins:
            self.idle(there)
        received, start = (self.clock if begins else self.passages[-1].sent_guest_ns), self.clock
        self.work(length)
        if length:
            self.samples.append(Sample(start, self.clock, length, ""))
            self.true.append(length)
        self.passages.append(RoundTrip(kind, sent, received, self.clock, self.host + back))
        if not length:
            self.idle(back)

    def run(self, count: int, least: int = 240_000_000, most: int = 260_000_000) -> Guest:
        for _ in range(iterations.NULL_ITERATIONS):
            self.idle(20_000_000)
            self.passage()
        for _ in range(count):
            self.idle(self.luck.randrange(10**6, 10**8))
            self.passage()
            self.idle(50_000)
            self.passage(self.luck.randrange(least, most))
        return self


def bursty(luck: random.Random) -> float:
    """About 0.1 ms, and ten times that now and then."""
    return luck.uniform(50_000, 150_000) * (10 if luck.random() < 0.1 else 1)


@given(
    seed=st.integers(0, 10**6),
    leap=st.sampled_from([0.0, 0.5, 1.0, 190.0]),
    rate=st.floats(0.01, 200.0),
    count=st.integers(1, 20),
)
def test_work_lasts_as_long_as_it_did_whatever_the_clock_says(seed: int, leap: float, rate: float, count: int) -> None:
    guest = Guest(seed, bursty, leap, rate).run(count)
    found = iterations.fit(guest.passages, guest.samples, [])
    corrected = sum(sample.end_ns - sample.start_ns for sample in guest.samples) * found.rate
    true = sum(guest.true)
    assert corrected == pytest.approx(true, rel=0.01)
    stretches = intervals.by_iterations(guest.samples, found, guest.passages)
    for stretch, length in zip(stretches, guest.true, strict=True):
        assert stretch.end_ns - stretch.start_ns == pytest.approx(stretch.duration_s * 1e9, abs=8)
        assert stretch.duration_s * 1e9 == pytest.approx(length, abs=2_000_000)
        # No piece of work has a larger bound than their sum.
        guest_ns = sum(sample.end_ns - sample.start_ns for sample in guest.samples)
        assert stretch.bound_s <= found.rate_bound * guest_ns * 1e-9 * (1 + 1e-9)


@pytest.mark.parametrize(
    "way", [bursty, lambda luck: luck.lognormvariate(11.5, 0.5), lambda luck: luck.uniform(50_000, 150_000)]
)
def test_the_bound_holds_nearly_always(way: Way) -> None:
    held = 0
    for seed in range(500):
        luck = random.Random(seed)
        guest = Guest(seed, way, luck.choice([0.0, 1.0, 190.0]), luck.uniform(0.1, 10)).run(luck.randrange(1, 12))
        pings = [RoundTrip("after", 0, 0, 0, int(way(luck))) for _ in range(16)]
        found = iterations.fit(guest.passages, guest.samples, pings)
        corrected = sum(sample.end_ns - sample.start_ns for sample in guest.samples) * found.rate
        held += abs(corrected / sum(guest.true) - 1) <= found.relative_bound
    assert held >= 495  # a rare long way may not have shown itself in the few that were tried


def test_work_that_flows_on_ends_where_the_next_begins() -> None:
    guest = Guest(1, lambda luck: 100_000, 190.0).run(0)
    guest.passage()
    guest.idle(50_000)
    # Getting into flow is in no sample, and is measured by none.
    guest.passage(250_000_000, kind="warm-up")
    guest.samples.clear()
    for length in (250_000_000, 100_000_000, 100_000_000, 100_000_000):
        guest.passage(length, begins=False)
    found = iterations.fit(guest.passages, guest.samples, [])
    stretches = intervals.by_iterations(guest.samples, found, guest.passages)
    assert [round(one.duration_s, 5) for one in stretches] == [0.25, 0.1, 0.1, 0.1]
    # The ways there and back last 50 us each, and none of that is in the work.
    assert found.relative_bound == pytest.approx(0.0015)
    assert stretches[-1].end_ns == pytest.approx(guest.passages[-1].received_host_ns - 50_000, abs=2)
    assert all(one.end_ns == pytest.approx(after.start_ns, abs=1) for one, after in pairwise(stretches))


def test_a_ping_that_took_long_widens_the_bound() -> None:
    guest = Guest(1, lambda luck: 100_000).run(4)
    narrow = iterations.fit(guest.passages, guest.samples, [])
    wide = iterations.fit(guest.passages, guest.samples, [RoundTrip("after", 0, 0, 0, 50_000_000)])
    assert narrow.relative_bound == pytest.approx(0.0015, abs=1e-6)
    assert wide.relative_bound > 0.05
    assert wide.bound_ns == pytest.approx(50_000_000, rel=0.01)


@pytest.mark.parametrize("spoil", ["no-rehearsal", "sample-missing", "sample-elsewhere", "sample-twice"])
def test_samples_that_do_not_belong_to_the_passages_are_refused(spoil: str) -> None:
    guest = Guest(1, bursty).run(4)
    had, samples = guest.passages, list(guest.samples)
    if spoil == "no-rehearsal":
        had = had[iterations.NULL_ITERATIONS + 2 :]
        samples = samples[1:]
        had = [passage for index, passage in enumerate(had) if index % 2]
    if spoil == "sample-missing":
        samples = [samples[0], samples[1], samples[3]]
    if spoil == "sample-elsewhere":
        samples[1] = Sample(samples[0].end_ns + 1, samples[0].end_ns + 2, 1, "")
    if spoil == "sample-twice":
        samples.insert(1, Sample(samples[0].end_ns - 1, samples[0].end_ns, 1, ""))
    with pytest.raises(LinkError, match="outside of the iterations"):
        iterations.fit(had, samples, [])


def test_iterations_that_were_no_longer_than_empty_ones_are_refused() -> None:
    guest = Guest(1, bursty).run(2, 2, 3)
    guest.passages[-1] = replace(guest.passages[-1], received_host_ns=guest.passages[-1].sent_host_ns)
    guest.passages[-3] = replace(guest.passages[-3], received_host_ns=guest.passages[-3].sent_host_ns)
    with pytest.raises(LinkError, match="no longer than empty ones"):
        iterations.fit(guest.passages, guest.samples, [])
