"""The score of a run: the samples that are used, timed by a clock and added up.

The same function scores with the clock that was compared with the host's and with the guest's own (`raw`): of what the
laboratory timed the former takes the laboratory's times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from virtometer.clock import intervals
from virtometer.clock.intervals import Interval
from virtometer.model import ClockFault, ClockFit, Excluded, FailureKind, Placement, Run, Sample, Score, columns_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

WindowBounds = tuple[float, float]
"""Start and end of the scored stretch, host ns."""


Some = TypeVar("Some", float, "NDArray[Any]")


_OUTSIDE = 0.01
"""Share of a sample's time that may lie outside of the window.

The first sample of every guest but the last one begins some microseconds before all have started. Without it the
beginning of their work would be missing.
"""
_ALONE_OUTSIDE = 0.1
"""The same of a run that is one sample, such as work that runs to completion once: nothing of it can be cut off."""


_TIMES = frozenset({"s", "ms", "us", "µs", "ns", "min", "h"})
_PER_TIME = ("/s", "/ms", "/min", "/h", "Hz", "FLOPS", "IOPS", "bps")


class NoScore(Exception):
    """A run of which no sample can be used. `reason` is a sentence without its end; `fault`: of the clock."""

    def __init__(
        self, kind: FailureKind, reason: str, fault: ClockFault | None = None, placement: Placement | None = None
    ) -> None:
        """`kind`: of the trial's failure. placement: of the run; None: no single one."""
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.fault = fault
        self.placement = placement


def per_unit(work: Some, seconds: Some, unit: str) -> Some:
    """Work per second; for the unit s the inverse, seconds per unit of work. Of two numbers or of two columns."""
    found: Some = seconds / work if unit == "s" else work / seconds
    return found


def in_host_time(value: float, unit: str, rate: float) -> float:
    """A value in the guest's time as one in the host's. `rate`: host seconds per guest second.

    A unit that is neither a time nor a rate has no time in it.
    """
    if unit in _TIMES:
        return value * rate
    return value / rate if unit.endswith(_PER_TIME) else value


def score(run: Run, clock: ClockFit, window: WindowBounds, guest_cpu_s: float | None = None) -> Score:
    """The score by `clock` of the samples that are used. Raises NoScore where these have no work or no length.

    A tool timed itself: its own number is converted.
    """
    samples, used_s = columns_of(run.samples), intervals.of_run(run, clock).duration_s
    work = samples.work_of(samples.used)
    elapsed_s = sum(used_s[samples.used].tolist())
    if work <= 0 or elapsed_s <= 0:
        raise NoScore(FailureKind.SAMPLES, "no sample could be used: no work was done", placement=run.placement)
    if run.by_tool and run.reported.value is not None:
        value = in_host_time(run.reported.value, run.unit, clock.rate)
    else:
        value = per_unit(work, elapsed_s, run.unit)
    return Score(value, work, clock, round(window[0]), round(window[1]), guest_cpu_s)


def cut(run: Run, clock: ClockFit, timed: Sequence[Interval], window: WindowBounds, limit: float) -> Run:
    """The run, with samples excluded that are not within the window, or whose duration is not known well enough.

    limit: largest relative error of a duration. Raises NoScore where none is left.
    """
    # Pieces of work that the laboratory timed are judged jointly: their sum counts, and its error is smaller.
    alone = len(run.samples) == 1 and run.placement.role == "measured"
    outside = _ALONE_OUTSIDE if alone else _OUTSIDE
    errors = [clock.relative_bound if run.host_timed else interval.relative_bound for interval in timed]
    samples = tuple(
        _judged(sample, interval, error, window, limit, outside)
        for sample, interval, error in zip(run.samples, timed, errors, strict=True)
    )
    if not any(sample.used for sample in samples):
        first, uncertain = samples[0].mark, min(errors) > limit
        advice = "; longer windows make it smaller" if uncertain else ""
        fault = ClockFault("uncertain", bound=min(errors)) if uncertain else None
        kind = FailureKind.CLOCK if uncertain else FailureKind.SAMPLES
        raise NoScore(kind, f"no sample could be used: {first}{advice}", fault, run.placement)
    return replace(run, samples=samples)


def _judged(
    sample: Sample, interval: Interval, error: float, window: WindowBounds, limit: float, outside: float
) -> Sample:
    outside_ns = max(window[0] - interval.start_ns, 0) + max(interval.end_ns - window[1], 0)
    if outside_ns > max(1, outside * (interval.end_ns - interval.start_ns)):
        mark = "outside the stretch in which all measured placements overlap"
        return replace(sample, excluded=Excluded.OUTSIDE, mark=mark)
    if error > limit:
        mark = f"clock error ±{error:.2%} exceeds the limit of {limit:.2%}"
        return replace(sample, excluded=Excluded.CLOCK_ERROR, mark=mark)
    return sample
