"""Pings between two clocks that are known: the guest's runs at a rate, and jumps where it is told to."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from virtometer.model import RoundTrip


class Clocks:
    """host = guest * rate + offset, but for `jumps`: pairs of host time and what is then added to the guest's clock."""

    def __init__(self, rate: float = 1.0, offset: int = 0, jumps: Sequence[tuple[float, int]] = ()) -> None:
        self.rate, self.offset = rate, offset
        in_order = sorted(jumps)
        self.times_ns = [at for at, _ in in_order]
        self.moved_ns = list(accumulate((size for _, size in in_order), initial=0))

    def guest(self, host_ns: float) -> int:
        moved = self.moved_ns[bisect_right(self.times_ns, host_ns)]
        return math.floor((host_ns - self.offset) / self.rate) + moved

    def host(self, guest_ns: int) -> float:
        """The true host time of a reading, where nothing jumped."""
        return guest_ns * self.rate + self.offset

    def probe(self, host_ns: int, there_ns: int, held_ns: int, back_ns: int) -> RoundTrip:
        arrive = host_ns + there_ns
        leave = arrive + held_ns
        return RoundTrip("during", host_ns, self.guest(arrive), self.guest(leave), leave + back_ns)


class Ticks(Clocks):
    """The host's clock, read in whole ticks."""

    def __init__(self, tick_ns: int) -> None:
        super().__init__()
        self.tick_ns = tick_ns

    def guest(self, host_ns: float) -> int:
        return int(host_ns) // self.tick_ns * self.tick_ns


class Channel:
    """Round trips as a busy channel has them: other least delays each way, exponential queues, seldom long ones."""

    def __init__(
        self, random: Random, clocks: Clocks, least_ns: float | None = None, asymmetry: float | None = None
    ) -> None:
        self.random, self.clocks = random, clocks
        least_ns = least_ns or random.uniform(2e4, 2e6)
        asymmetry = asymmetry or random.uniform(0.02, 0.98)
        self.there_ns, self.back_ns = least_ns * asymmetry, least_ns * (1 - asymmetry)
        self.bursty = random.choice([0.02, 0.1, 0.4])

    def delay(self, least_ns: float) -> int:
        delay = least_ns * (1 + self.random.expovariate(3))
        if self.random.random() < self.bursty:
            delay += min(self.random.paretovariate(1.2) * 2e5, 2e8)
        return int(delay)

    def probe(self, host_ns: float) -> RoundTrip:
        held_ns = self.random.randrange(1_000, 100_000)
        return self.clocks.probe(int(host_ns), self.delay(self.there_ns), held_ns, self.delay(self.back_ns))

    def burst(self, host_ns: float, count: int = 8, pause_ns: float = 0) -> list[RoundTrip]:
        found = []
        for number in range(1, count + 1):
            found.append(self.probe(host_ns))
            host_ns = found[-1].received_host_ns + self.random.randrange(20_000, 60_000)
            host_ns += min(pause_ns, 200 * min(probe.round_trip_ns for probe in found)) if number % 3 == 0 else 0
        return found

    def run(
        self, begin_ns: float, seconds: float, period_s: float = 0.25
    ) -> tuple[list[RoundTrip], list[RoundTrip], list[RoundTrip]]:
        """Probes before, during and after a run. One is under way at a time."""
        before = self.burst(begin_ns)
        start_ns = before[-1].received_host_ns + 50_000
        end_ns = start_ns + seconds * 1e9
        during, next_ns = [], start_ns + period_s * 1e9
        while next_ns < end_ns:
            during.append(self.probe(next_ns))
            next_ns = max(next_ns + period_s * 1e9, during[-1].received_host_ns)
        return before, during, self.burst(max(end_ns, next_ns - period_s * 1e9 + 2e8 if during else end_ns))
