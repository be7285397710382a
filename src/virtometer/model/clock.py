"""How a guest's clock compares with the host's.

Times ending in `_ns` are integers in nanoseconds. `guest` times are readings of the agent's CLOCK_MONOTONIC,
`host` times readings of the laboratory's CLOCK_MONOTONIC; nothing else is ever mixed with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

MAX_SLEW = 500e-6
"""The most by which time daemons commonly slew a clock (adjtime's limit in Linux), as a fraction of the time."""


@dataclass(frozen=True, slots=True)
class ClockFit:
    """host_ns = reference_host_ns + (guest_ns - reference_guest_ns) * rate, within ± bound_ns at the reference.

    `rate` is host seconds per guest second; the true rate is at most `rate_bound` away from it. `probes` counts those
    behind the rate: more than the run's own where the guest's earlier probes bound it more narrowly. Both bounds are
    NaN, and `probes` is 0, where a guest's clock is taken as true: its error is then unknown.
    """

    reference_guest_ns: int
    reference_host_ns: int
    rate: float
    bound_ns: float
    rate_bound: float
    probes: int

    def to_host_ns(self, guest_ns: int) -> float:
        """Convert a reading of the guest's clock to host time, in ns."""
        return self.reference_host_ns + (guest_ns - self.reference_guest_ns) * self.rate

    @property
    def compared(self) -> bool:
        """Whether clocks were compared at all: host times and bounds are known then."""
        return self.probes > 0

    @property
    def relative_bound(self) -> float:
        """Bound of the error of every duration, as a fraction of the duration."""
        return self.rate_bound / self.rate

    def bound_at_ns(self, guest_ns: int) -> float:
        """Bound of the error of `to_host_ns`, in host ns."""
        return self.bound_ns + abs(guest_ns - self.reference_guest_ns) * self.rate_bound

    def missed_ns(self, probes: Sequence[RoundTrip]) -> float:
        """How far the line passes outside of what these probes prove, in host ns; 0 where it keeps to all."""
        early = (probe.sent_host_ns - self.to_host_ns(probe.received_guest_ns) for probe in probes)
        late = (self.to_host_ns(probe.sent_guest_ns) - probe.received_host_ns for probe in probes)
        return max([0.0, *early, *late])


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """A message to the agent and its answer: sent and received by the host, received and sent by the guest, all in ns.

    kind: a ping `before`, `during` or `after` the run, or an `early` one that belongs to the guest's history alone; or,
    where the laboratory times the run, an iteration: without work (`null`), the `warm-up` of continuous work, which has
    no sample, or `work`, one for each sample. Work that follows on from the iteration before it counts as sent when
    that one's answer was received.
    """

    kind: RoundTripKind
    sent_host_ns: int
    received_guest_ns: int
    sent_guest_ns: int
    received_host_ns: int

    @property
    def round_trip_ns(self) -> int:
        """Host time from sending to receiving."""
        return self.received_host_ns - self.sent_host_ns


RoundTripKind = Literal["early", "before", "during", "after", "null", "warm-up", "work"]
PINGS: tuple[RoundTripKind, ...] = ("before", "during", "after")
ITERATIONS: tuple[RoundTripKind, ...] = ("null", "warm-up", "work")


def of_kinds(trips: Iterable[RoundTrip], *kinds: RoundTripKind) -> list[RoundTrip]:
    """Those round trips that are of one of these kinds."""
    return [trip for trip in trips if trip.kind in kinds]


FaultKind = Literal["stepped", "went-back", "stood-still", "uncertain", "contradicts"]


@dataclass(frozen=True, slots=True)
class ClockFault:
    """Why a guest's clock was unusable in one run. Unknown values are None.

    kind: `stepped` between comparisons; samples `went-back`; `stood-still` while it ought to go on; `uncertain`: no
    limit was broken but the plan's on `bound`, the relative error of every duration; `contradicts`: the agent's report
    of its clock is impossible. `size_s`: of a step in guest seconds, above zero forwards. `at_s`: about when, in
    seconds since the start of the run.
    """

    kind: FaultKind
    size_s: float | None = None
    at_s: float | None = None
    bound: float | None = None
