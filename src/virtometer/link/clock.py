"""Offset and rate between a guest's clock and the host's, from pings. Pure.

Each ping bounds the guest's offset from both sides: the guest read `received` after the host had sent and before
the answer came. With o = host - guest at guest time g: sent_host - received_guest <= o <= received_host - sent_guest.
The narrowest such interval of a burst gives the offset (its middle) and the bound (half its width); two bursts, one
before and one after the run, give the rate (minimum round trip, as in Cristian, Probabilistic clock synchronization,
Distributed Computing 3, 1989).
"""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.errors import LinkError
from virtometer.model import ClockFit, ClockProbe


def _interval(probe: ClockProbe) -> tuple[int, int]:
    return (probe.sent_host_ns - probe.received_guest_ns, probe.received_host_ns - probe.sent_guest_ns)


def _width(probe: ClockProbe) -> int:
    low, high = _interval(probe)
    return high - low


def fit(before: Sequence[ClockProbe], after: Sequence[ClockProbe]) -> ClockFit:
    """Fit offset and rate from a burst before and a burst after a run.

    Raises LinkError when a probe contradicts itself (an answer that took less host time than guest time is
    possible with a fast clock; one that arrived before it was sent is not) or a burst is empty.
    """
    if not before or not after:
        raise LinkError("clocks cannot be compared without a probe before and one after the run")
    first, last = min(before, key=_width), min(after, key=_width)
    guest_first, guest_last = first.received_guest_ns, last.received_guest_ns
    if guest_last <= guest_first:
        raise LinkError("the guest's clock did not advance between the probes before and after the run")
    # A clock that runs fast can make the interval empty: its width is then the guest's time at the answer, not a bound.
    bound_first, bound_last = (max(_width(probe), 1) / 2 for probe in (first, last))
    offset_first, offset_last = (sum(_interval(probe)) / 2 for probe in (first, last))
    span = guest_last - guest_first
    rate = 1.0 + (offset_last - offset_first) / span
    return ClockFit(
        reference_guest_ns=guest_first,
        reference_host_ns=round(guest_first + offset_first),
        rate=rate,
        bound_ns=max(bound_first, bound_last),
        rate_bound=(bound_first + bound_last) / span,
        probes=len(before) + len(after),
    )
