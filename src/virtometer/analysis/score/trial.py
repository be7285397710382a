"""The scores of the runs of a trial, over the window that counts, with what its host did meanwhile.

The runner calls this once for each trial. Its readings of the host come as plain values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from virtometer.analysis.score.of_run import NoScore, WindowBounds, cut, score
from virtometer.analysis.score.overlap import TimedRun, account_mark
from virtometer.analysis.score.stalls import stalls_of
from virtometer.analysis.score.tool_measures import with_host_time
from virtometer.model import FailureKind, GuestUse, HostUse, Mark, Run

_ALL: WindowBounds = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read of the host over the scored stretch. guests: CPU seconds of each run's guest, and what for.

    processors: of the laboratory. wall_s: length of what the accounts of guests cover.
    """

    host: HostUse | None
    marks: Sequence[Mark]
    guests: Sequence[tuple[float | None, GuestUse | None]]
    processors: int
    wall_s: float


def scored(
    timed: Sequence[TimedRun], window: WindowBounds, readings: Readings, *, clock_error: float, max_stall_share: float
) -> tuple[list[Run], list[Mark]]:
    """The runs with their scores over a window (host ns), and the marks of the trial. NoScore where there is none.

    clock_error: largest relative error of a duration. max_stall_share: the part of a window that stalls may take.
    """
    if window[1] <= window[0]:
        raise NoScore(FailureKind.SAMPLES, "the measured placements never ran at the same time")
    runs: list[Run] = []
    marks = [*readings.marks]
    for one, (cpu_s, use) in zip(timed, readings.guests, strict=True):
        run = (_scored if one.measured else _scored_load)(one, window, cpu_s, clock_error)
        runs.append(replace(run, score=replace(run.scored, guest_use=use)))
        mark = _stall(one, run, max_stall_share) if one.measured else None
        marks += [mark] if mark is not None else []
    account = account_mark(runs, readings.processors, readings.wall_s)
    return runs, [*marks, *([account] if account is not None else [])]


def _scored_load(of: TimedRun, window: WindowBounds, guest_cpu_s: float | None, clock_error: float) -> Run:
    """The score of a load in the window of what is measured; over all it did where no sample lies in there."""
    with suppress(NoScore):
        return _scored(of, window, guest_cpu_s, clock_error)
    run = cut(of.run, of.clock, of.intervals, _ALL, math.inf)
    return replace(run, score=score(run, of.clock, window, guest_cpu_s))


def _scored(of: TimedRun, window: WindowBounds, guest_cpu_s: float | None, clock_error: float) -> Run:
    # A tool's number is that of its whole run, of which nothing can be cut off.
    run = cut(of.run, of.clock, of.intervals, _ALL if of.run.by_tool else window, clock_error)
    if run.by_tool and not (run.reported.value or 0.0) > 0:
        raise NoScore(FailureKind.TOOL, f"{of.workload} says that it did nothing", placement=run.placement)
    run = replace(run, score=score(run, of.clock, window, guest_cpu_s))
    if not run.by_tool:
        return run
    pairs = zip(of.intervals, run.samples, strict=True)
    used_s = sum(interval.duration_s for interval, sample in pairs if sample.used)
    return with_host_time(run, of.tool_work, used_s if of.around_s is None else of.around_s)


def _stall(of: TimedRun, run: Run, limit: float) -> Mark | None:
    """The mark of a run that was stopped for a while; None where it was not."""
    pairs = zip(of.intervals, run.samples, strict=True)
    used = [(interval, sample.work) for interval, sample in pairs if sample.used]
    return stalls_of(used, gaps=of.gaps).mark(limit, of.guest)
