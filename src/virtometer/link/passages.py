"""Clocks that are not asked: the laboratory lets every iteration begin and is told its end. Pure.

A passage is a ping whose answer is held while an iteration works. The work lies between sending `go` and receiving
`worked`, whatever the guest's clock does meanwhile. What else lies there is what an empty passage takes: some are made
at the beginning of each run, and one before each iteration, when both sides have done something else for a while.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

from virtometer.link.belied import ClockBelied
from virtometer.model import ClockFault, ClockFit, ClockProbe, Sample

REHEARSALS = 8
"""Empty passages with which a run begins, beside the one before each iteration that waits."""


def fit(passages: Sequence[ClockProbe], samples: Sequence[Sample], pings: Sequence[ClockProbe]) -> ClockFit:
    """The mean rate with which the samples together last as long as they really did.

    `passages` are in order. The empty parts of n of them together last n times the mean of k empty ones. The bound of
    that is the range of all that is known of the way, `pings` around and during the run included, times
    sqrt(n^2/k + n), as errors of a mean and of a sum add up. An iteration that flows on from the one before it has no
    empty part of its own. `bound_ns` is that of one moment: the longest way. Raises LinkError where samples and
    passages contradict each other.
    """
    full, empty = _apart(passages, samples)
    gates = 1 + sum(after.sent_host_ns != one.received_host_ns for one, after in pairwise(full))
    if len(full) != len(samples) or len(empty) != REHEARSALS + gates:
        sentence = "the agent sent samples from outside of the iterations that it was let do"
        raise ClockBelied(sentence, ClockFault("contradicts"))
    away = [passage.away_ns for passage in empty]
    typical = statistics.fmean(away)
    shortest, *_, longest = sorted([*away, *(ping.away_ns for ping in pings)])
    host_ns = sum(passage.away_ns for passage in full) - gates * typical
    guest_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    if host_ns <= 0:
        raise ClockBelied("the iterations were no longer than empty ones", ClockFault("contradicts"))
    wrong = (longest - shortest) * math.sqrt(gates**2 / len(empty) + gates)
    rate = host_ns / guest_ns
    return ClockFit(
        reference_guest_ns=samples[0].start_ns,
        reference_host_ns=round(full[0].sent_host_ns + typical / 2),
        rate=rate,
        bound_ns=longest,
        rate_bound=rate * wrong / host_ns,
        probes=len(passages),
    )


def _apart(passages: Sequence[ClockProbe], samples: Sequence[Sample]) -> tuple[list[ClockProbe], list[ClockProbe]]:
    """The passages in which a sample ended, one each and in order, and the others."""
    full: list[ClockProbe] = []
    empty: list[ClockProbe] = []
    for passage in passages:
        next_one = samples[len(full)] if len(full) < len(samples) else None
        holds = next_one is not None and passage.received_guest_ns < next_one.end_ns <= passage.sent_guest_ns
        (full if holds else empty).append(passage)
    return full, empty
