"""What the studies calculated from their numbers, each as a function of numbers. PURE.

Times in s, throughputs in B/s, CPU use as a number of processors unless it says otherwise.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from virtometer.model import Better, Estimate
from virtometer.studies.data import PublishedValue


def linpack_work(order: float) -> float:
    """Floating-point operations of one solution of so many equations: 2/3 n^3 + 2 n^2 (Dongarra et al. 1979)."""
    return 2 / 3 * order**3 + 2 * order**2


def sweep_work(interlines: float) -> float:
    """Updates of points in one sweep over partdiff's grid: (8 N + 7)^2."""
    return (8 * interlines + 7) ** 2


def seconds(work: float, rate: float) -> float:
    """How long work takes at a rate per second."""
    return work / rate


def completed_runs(seconds_per_run: float, limit_s: float, planned: int) -> int:
    """How many of the planned runs, one after the other, end within a limit. The last one may end with it."""
    return min(planned, math.floor(limit_s / seconds_per_run * (1 + 1e-12)))


def spread(values: Sequence[float]) -> float | None:
    """Standard deviation with n - 1, over guests or between runs. None for fewer than two."""
    return statistics.stdev(values) if len(values) > 1 else None


def expected_from_one(one_s: float, guests: int, processors: int) -> float:
    """The time of each guest, if processors are shared fairly and without loss, from that of one guest alone."""
    return one_s * max(1.0, guests / processors)


def expected_from_fewer(time_s: float, guests: int, more: int) -> float:
    """The time of each of `more` guests from that of each of `guests`, where all of them fill the processors."""
    return time_s * more / guests


def service_demand(throughput: float, cpu_share: float, processors: int) -> float:
    """CPU seconds per byte: CPU use as a share of all processors of an end, by its throughput."""
    return cpu_share * processors / throughput


def cpu_of_demand(throughput: float, demand: float, processors: int) -> float:
    """The check of netperf: throughput times service demand is the CPU use, as a share of all processors."""
    return throughput * demand / processors


def overbooking(guests: int, vcpus: int, processors: int) -> float:
    """Virtual processors of all guests for each processor of the host."""
    return guests * vcpus / processors


def asymmetry(to: float, back: float) -> float:
    """How many times faster the faster direction of a pair is; 1 where both are alike."""
    return max(to / back, back / to)


def ranks(of: Sequence[Estimate], better: Better) -> list[int]:
    """The rank of each, 1 for the best. Those whose intervals overlap that of the best of their rank share it."""
    order = sorted(range(len(of)), key=lambda at: -of[at].value if better == "higher" else of[at].value)
    found = [0] * len(of)
    first = 0
    for place, at in enumerate(order):
        if place and not _overlap(of[order[first]], of[at]):
            first = place
        found[at] = first + 1
    return found


def wins(rankings: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """In how many rankings each has the first rank, shared ones included."""
    counts: dict[str, int] = {name: 0 for ranking in rankings for name in ranking}
    for ranking in rankings:
        for name, rank in ranking.items():
            counts[name] += rank == 1
    return counts


def _overlap(one: Estimate, other: Estimate) -> bool:
    def ends(of: Estimate) -> tuple[float, float]:
        return (of.value if of.low is None else of.low, of.value if of.high is None else of.high)

    return ends(one)[0] <= ends(other)[1] and ends(other)[0] <= ends(one)[1]


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a derived cell is made of.

    numbers: of its sources, in their order. at_once: guests or programs, of the first source and of the cell itself.
    processors: of the host. requests: of the whole test.
    """

    numbers: tuple[float, ...]
    at_once: tuple[int, int]
    processors: int
    requests: int


FUNCTIONS: Mapping[str, Callable[[Derivation], float]] = {
    "sum": lambda of: math.fsum(of.numbers),
    "mean": lambda of: statistics.fmean(of.numbers),
    "quotient": lambda of: of.numbers[0] / of.numbers[1],
    "by-guests": lambda of: of.numbers[0] * of.at_once[1],
    "expected-from-one": lambda of: expected_from_one(of.numbers[0], of.at_once[1], of.processors),
    "expected-from-fewer": lambda of: expected_from_fewer(of.numbers[0], *of.at_once),
    "service-demand": lambda of: service_demand(of.numbers[0], of.numbers[1], of.processors),
    "requests-by-time": lambda of: of.requests / of.numbers[0],
    "time-by-requests": lambda of: of.numbers[0] / of.requests,
}
"""By the word of a description. mean: of operations, of block sizes, or of Bonnie's five rates."""


def derive(by: str, numbers: Sequence[float], of: PublishedValue, first: PublishedValue, processors: int) -> float:
    """The number of a cell from those of its sources, in their order. Raises KeyError for an unknown word.

    first: the first source. The numbers are in the units of the sources, and so is the result in that of the cell.
    """
    requests = of.options.get("requests", 1)
    made = Derivation(tuple(numbers), (_at_once(first), _at_once(of)), processors, int(requests))
    return FUNCTIONS[by](made)


def _at_once(value: PublishedValue) -> int:
    return value.guests or value.threads_or_processes or 1
