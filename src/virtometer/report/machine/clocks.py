"""The quality of the guests' clocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from virtometer.analysis.describe.clocks import ClockQuality
from virtometer.report.machine import trials  # noqa: F401 - its shapes are named in a table
from virtometer.report.machine.field import Shape


class LimitedClock(NamedTuple):
    """A clock, with the plan's limit on clock errors."""

    quality: ClockQuality
    limit: float


def _measured(name: str) -> Callable[[LimitedClock], float | None]:
    """A figure of the workload `clock`."""

    def get(of: LimitedClock) -> float | None:
        found = of.quality.measures.get(name)
        return None if found is None else found.estimate.value

    return get


_SOURCES = ("monotonic", "monotonic-raw", "realtime", "counter")
for _what in ("resolution", "cost", "backward"):
    Shape(
        f"{_what}_by_source",
        "of each of the guest's clocks",
        "\n".join(f"{source}  bound?" for source in _SOURCES),
        get={source: _measured(f"{_what}-{source}") for source in _SOURCES},
    )
Shape(
    "drift",
    "what one guest's clock gained on the host's from its first run to its last, in host seconds",
    """
    gained_s  number
    bound_s   bound
    over_s    positive
    """,
)
Shape(
    "lateness",
    "how late timers were, in host seconds",
    """
    timers=total  count
    median_s      bound
    p99_s         bound
    max_s         bound
    """,
    get={
        "median_s": lambda of: of.quantile(0.5),
        "p99_s": lambda of: of.quantile(0.99),
        "max_s": lambda of: of.quantile(1.0),
    },
)
Shape(
    "clock_quality",
    "the quality of the guests' clocks of one environment; null is what the workload clock did not measure",
    """
    environment=quality.environment  text
    source=quality.source    text    the guest's own name for its clock source; empty where it is not known
    counter=quality.counter  counter  the processor's counter, where its kind is known
    runs=quality.runs        count   runs in which the clock was compared with the host's; rates are null without one
    rate_ppm=quality.rate_ppm  number?  how much faster than the host's it runs, median over the runs
    rate_low_ppm=quality.rate_low_ppm  number?
    rate_high_ppm=quality.rate_high_ppm  number?
    rate_bound_ppm=quality.bound_ppm  bound?  median of the runs' own bounds
    rate_worst_ppm=quality.max_abs_ppm  bound?  how far off a run's rate may be at most, its bound included
    drift=quality.drift      drift?  null where no guest had two runs
    residual_s               bound?  largest error that no rate and offset explain
    usable                   flag    whether durations by this clock are certainly within the plan's limit on clock
        errors for some length up to an hour; without the workload clock that is by rate and jumps alone
    usable_from_s        bound?  the length from which on it is; null where it never is, and where the workload
        clock did not measure what that takes
    faults                   fault[]  of the runs that failed by this clock
    steps=quality.steps      count   runs that failed by a step
    step_s                   bound?  the largest of them
    samples_excluded=quality.rejected  count  samples not used for the clock's sake
    resolution_s             resolution_by_source  smallest advance
    reading_s                cost_by_source        cost of a reading
    backward                 backward_by_source    readings that went back
    counter_rate             bound?  counts per host second
    realtime_jump_s          bound?  largest jump of real time against the monotonic clock
    steal                    share?  share of the time that others had the processor, by the guest's own account
    lateness=quality.lateness  lateness?
    """,
    types={"counter": {"enum": ["TSC", ""]}},
    get={
        "residual_s": lambda of: of.quality.residual_s if of.quality.runs else None,
        "usable": lambda of: of.quality.within_limit(of.limit),
        "usable_from_s": lambda of: of.quality.within_limit_from_s(of.limit),
        "faults": lambda of: [fault for found in of.quality.faults.values() for fault in found],
        "step_s": lambda of: of.quality.step_s if of.quality.steps else None,
        **{name: lambda of: of for name in ("resolution_s", "reading_s", "backward")},
        **{
            name: _measured(name.removesuffix("_s").replace("_", "-"))
            for name in ("counter_rate", "realtime_jump_s", "steal")
        },
    },
)
