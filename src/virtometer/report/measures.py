"""What the further measures of the kernels mean, for readers of a report who do not know the kernels."""

from __future__ import annotations

from collections.abc import Iterable

MEANINGS = {
    "backward-counter": "readings of the processor's counter that were below the one before",
    "backward-monotonic": "readings of the monotonic clock that were below the one before",
    "backward-monotonic-raw": "readings of the raw monotonic clock that were below the one before",
    "backward-realtime": "readings of the real-time clock that were below the one before",
    "cost-counter": "what one reading of the processor's counter costs",
    "cost-monotonic": "what one reading of the monotonic clock costs",
    "cost-monotonic-raw": "what one reading of the raw monotonic clock costs",
    "cost-realtime": "what one reading of the real-time clock costs",
    "counter-rate": "how fast the processor's counter counts, by the guest's clock",
    "cpu-local": "processor time of the guest's threads that use the network, of one processor's time",
    "cpu-remote": "the same at the other end, by the host's clock",
    "cpu-per-io": "processor time of the agent per request or record, its system calls included",
    "cpus-local": "processors that the guest's end may use",
    "cpus-remote": "processors that the other end may use",
    "factor-time": "time to factor the matrix, of one solution",
    "generate-time": "time to make the matrix, which is not counted as work",
    "guest-rate": "the value by the guest's own clock, over the stretch that the outside clock timed",
    "io-rate": "requests a second",
    "l1d-bytes": "the first-level data cache that was found",
    "l2-bytes": "the second-level cache that was found",
    "l3-bytes": "the third-level cache that was found",
    "l4-bytes": "the fourth-level cache that was found",
    "loss": "share of the datagrams sent that did not arrive",
    "offered": "requests that were due in a second",
    "outside-factor": "factor-time by the outside clock",
    "outside-generate": "generate-time by the outside clock",
    "outside-rate": "the value by the outside clock",
    "outside-round-trip": "how long asking the outside clock took",
    "outside-solve": "solve-time by the outside clock",
    "overhead": "what the measuring itself costs per operation, measured apart and contained in the value",
    "pages-per-fault": "pages that the system maps at one fault",
    "readings": "how often clocks were read, all sources together",
    "realtime-jump": "the largest jump of the real-time clock against the monotonic one",
    "reordered": "share of the datagrams that came after a later one",
    "residual": "largest change of a point in the last sweep",
    "resolution-counter": "the smallest advance seen of the processor's counter",
    "resolution-monotonic": "the smallest advance seen of the monotonic clock",
    "resolution-monotonic-raw": "the smallest advance seen of the raw monotonic clock",
    "resolution-realtime": "the smallest advance seen of the real-time clock",
    "rolled-rate": "rate of the solutions with rolled loops",
    "send-delay": "how much later than due requests were sent, on average",
    "sent": "what the sender could hand to its system",
    "service-demand-local": "processor time at the guest's end per unit of work",
    "service-demand-remote": "processor time at the other end per unit of work",
    "solve-share": "share of solve-time in factor-time and solve-time together",
    "solve-time": "time to solve with the factored matrix, of one solution",
    "steal": "share of the time that others had the processor, by the guest's own account",
    "sweeps": "passes over the grid",
    "throughput": "bytes a second",
    "time-to-solution": "time of all sweeps together, without the checks between them",
    "tool-by-stopwatch": "the tool's work by the host's time around the whole program",
    "tool-corrected": "the tool's number put right by the rate of the guest's clock",
    "tool-says": "the tool's number as it said it",
    "unrolled-rate": "rate of the solutions with unrolled loops",
    "unsent": "requests still to be sent when the run ended",
    "without-overhead": "the value less the overhead",
}


def glossary(names: Iterable[str]) -> list[tuple[str, str]]:
    """These measures with what they mean, in alphabetical order; those that are not known are left out."""
    return [(name, MEANINGS[name]) for name in sorted(set(names) & MEANINGS.keys())]
