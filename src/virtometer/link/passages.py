"""Clocks that are not asked: the laboratory lets every iteration begin and is told its end. Pure.

A passage is a ping whose answer is held while an iteration works. The work lies between sending `go` and receiving
`worked`, whatever the guest's clock does meanwhile. What else lies there is what an empty passage takes: some are made
at the beginning of each run, and one directly before each iteration that waits. The empty one begins after both sides
have slept, the full one ends after the laboratory has: waking up is in both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from virtometer.link.belied import ClockBelied
from virtometer.model import ClockFault, ClockFit, ClockProbe, Sample

REHEARSALS = 8
"""Empty passages with which a run begins, beside the one before each iteration that waits."""

_WAKING = 0.0015
"""What a laboratory may need longer to wake up after long sleep, or from under full load, of the time it slept."""


def is_empty(earlier: int) -> bool:
    """Whether the passage is empty that is let go after so many `earlier` ones."""
    return earlier < REHEARSALS or (earlier - REHEARSALS) % 2 == 0


def fit(passages: Sequence[ClockProbe], samples: Sequence[Sample], pings: Sequence[ClockProbe]) -> ClockFit:
    """The mean rate with which the samples together last as long as they really did.

    `passages` are in order. The empty parts of n of them together last n times the mean of k empty ones. The bound of
    that is the range of all that is known of the way, `pings` around the run included, times
    sqrt(n^2/k + n), as errors of a mean and of a sum add up, and what long sleep adds, which short ones hide.
    Iterations that flow lie between two `worked`: no part of them is empty, and the range counts once. `bound_ns` is
    that of one moment. Raises ClockBelied where samples and passages contradict each other.
    """
    full, empty, flows = _apart(passages, samples)
    gates = 0 if flows else len(full)
    if len(full) != len(samples) or len(empty) != REHEARSALS + max(gates, 1):
        sentence = "the agent sent samples from outside of the iterations that it was let do"
        raise ClockBelied(sentence, ClockFault("contradicts"))
    away = [passage.away_ns for passage in empty]
    typical = statistics.fmean(away)
    shortest, *_, longest = sorted([*away, *(ping.away_ns for ping in pings)])
    host_ns = sum(passage.away_ns for passage in full) - gates * typical
    guest_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    if host_ns <= 0:
        raise ClockBelied("the iterations were no longer than empty ones", ClockFault("contradicts"))
    wrong = (longest - shortest) * math.sqrt(gates**2 / len(empty) + max(gates, 1)) + _WAKING * host_ns
    return ClockFit(
        reference_guest_ns=samples[0].start_ns,
        reference_host_ns=round(full[0].sent_host_ns + (-typical if flows else typical) / 2),
        rate=host_ns / guest_ns,
        bound_ns=longest + _WAKING * max(passage.away_ns for passage in full),
        rate_bound=wrong / guest_ns,
        probes=len(passages),
    )


def _apart(
    passages: Sequence[ClockProbe], samples: Sequence[Sample]
) -> tuple[list[ClockProbe], list[ClockProbe], bool]:
    """The passages in which a sample ended, one each and in order, the empty ones, and whether the work flows.

    Where it does it gets going in a passage of its own, which is neither: the iterations follow on from it.
    """
    full: list[ClockProbe] = []
    empty: list[ClockProbe] = []
    flows = False
    for passage in passages:
        next_one = samples[len(full)] if len(full) < len(samples) else None
        if next_one is None or not passage.received_guest_ns < next_one.end_ns <= passage.sent_guest_ns:
            empty.append(passage)
            continue
        if not full and empty and empty[-1].received_host_ns == passage.sent_host_ns:
            flows = True
            empty.pop()
        full.append(passage)
    return full, empty, flows
