"""The score of a trial: several runs over one stretch, loads, tools, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from virtometer.analysis.score.of_run import NoScore
from virtometer.analysis.score.overlap import TimedRun
from virtometer.analysis.score.trial import Readings, scored
from virtometer.clock import intervals
from virtometer.model import AgentReport, ClockFit, FailureKind, GuestUse, MarkKind, Placement, Role, Run, Sample

MS = 1_000_000
CLOCK = ClockFit(0, 0, 1.0, 1.0, 1e-9, 3)
USE = GuestUse(0.5, None, None, None, None)


def timed(*spans_ms: tuple[int, int], role: Role = "measured", guest: int = 1, kernel: str = "linpack") -> TimedRun:
    """A run with one unit of work in each span."""
    samples = tuple(Sample(begin * MS, end * MS, 1, "ok") for begin, end in spans_ms)
    report = AgentReport(2.0, 0.1, {}, {}, {})
    placement = Placement("box", "w", role, guest, guest - 1)
    run = Run(placement, f"g{guest}", kernel, "op", {}, 1, "1/s", "higher", {}, samples, (), report)
    return TimedRun(run, CLOCK, intervals.of_run(run, CLOCK), f"box #{guest}", 1.0, "w")


def readings(guests: int, cpu_s: float | None = 0.1) -> Readings:
    return Readings(None, [], [(cpu_s, USE)] * guests, 2, 1.0)


def score(*of: TimedRun, window: tuple[int, int] = (0, 1000), cpu_s: float | None = 0.1) -> tuple[list[Run], list[str]]:
    stretch = (float(window[0] * MS), float(window[1] * MS))
    runs, marks = scored(of, stretch, readings(len(of), cpu_s), clock_error=0.01, max_stall_share=0.1)
    return runs, [str(mark.kind) for mark in marks]


def test_each_run_is_added_up_over_the_stretch() -> None:
    (one, other), marks = score(timed((0, 100), (100, 200), (200, 300)), timed((100, 250), guest=2), window=(100, 300))
    assert one.scored.value == pytest.approx(10.0) and one.scored.work == 2
    assert (other.scored.window_start_host_ns, other.scored.window_end_host_ns) == (100 * MS, 300 * MS)
    assert (one.scored.guest_cpu_s, one.scored.guest_use) == (0.1, USE) and marks == []


def test_guests_that_share_no_time_and_samples_that_lie_outside_have_no_score() -> None:
    with pytest.raises(NoScore, match="never ran at the same time") as caught:
        score(timed((0, 100)), timed((200, 300), guest=2), window=(200, 100))
    assert caught.value.placement is None
    with pytest.raises(NoScore, match="no sample could be used") as caught:
        score(timed((0, 100)), timed((50, 250), guest=2), window=(0, 100))
    assert caught.value.kind is FailureKind.SAMPLES
    assert caught.value.placement == Placement("box", "w", guest=2, ordinal=1)


def test_a_load_outside_of_the_stretch_counts_as_a_whole() -> None:
    (_, load), _ = score(timed((0, 100)), timed((50, 250), role="load", guest=2), window=(0, 100))
    assert load.scored.value == pytest.approx(5.0)


def test_stops_and_impossible_accounts_are_marked() -> None:
    stopped = timed(*((at * 10, at * 10 + 10) for at in range(50)), (800, 810))
    assert score(stopped)[1] == [MarkKind.STALL]
    assert score(replace(stopped, gaps=False))[1] == []
    assert score(stopped, cpu_s=3.0)[1] == [MarkKind.STALL, MarkKind.ACCOUNT]


def test_the_number_of_a_tool_is_that_of_its_whole_run() -> None:
    tool = replace(timed((0, 500), kernel="command"), tool_work=10, around_s=2.0)
    (run,), _ = score(tool, window=(100, 300))
    measures = run.reported.measures
    assert (run.scored.value, measures["tool-corrected"]["value"], measures["tool-by-wall-clock"]["value"]) == (2, 2, 5)
    (run,), _ = score(replace(tool, around_s=None))
    assert run.reported.measures["tool-by-wall-clock"]["value"] == pytest.approx(20.0)
    nothing = replace(tool, run=replace(tool.run, report=replace(tool.run.reported, value=0.0)))
    with pytest.raises(NoScore, match="w says that it did nothing"):
        score(nothing)
