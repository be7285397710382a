"""One function scores a run, whatever clock times it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate
from tests.sentences import Said
from virtometer.analysis.score.of_run import NoScore, cut, in_host_time, per_unit, score
from virtometer.clock import intervals
from virtometer.model import ClockFit, Excluded, FailureKind, RoundTrip, Run, Sample

SECOND = 10**9
CORRECTED = ClockFit(0, 1000 * SECOND, 2.0, 1_000.0, 1e-6, 8)
OWN = ClockFit(0, 0, 1.0, math.nan, math.nan, 0)
WINDOW = (1000.0 * SECOND, 1004.0 * SECOND)


def run(unit: str = "B/s", **fields: Any) -> Run:
    """Two samples of a guest second each, with 30 and 10 units of work, and one of 20 that is excluded."""
    (record,) = simulate([Place("native")], [Work(unit=unit)], blocks=1).trials
    samples = (
        Sample(0, SECOND, 30, "a"),
        Sample(SECOND, 2 * SECOND, 10, "b"),
        Sample(2 * SECOND, 3 * SECOND, 20, "c", Excluded.OUTSIDE, "outside"),
    )
    return changed(record.runs[0], samples=samples, probes=(), score=None, **fields)


@pytest.mark.parametrize(("clock", "seconds"), [(CORRECTED, 4.0), (OWN, 2.0)])
def test_one_function_scores_by_the_corrected_and_by_the_guests_own_clock(clock: ClockFit, seconds: float) -> None:
    rate = score(run(), clock, WINDOW, 0.5)
    assert rate.value == pytest.approx(40 / seconds)
    assert score(run("s"), clock, WINDOW).value == pytest.approx(seconds / 40)
    assert (rate.work, rate.clock, rate.guest_cpu_s) == (40, clock, 0.5)
    assert (rate.window_start_host_ns, rate.window_end_host_ns) == (1000 * SECOND, 1004 * SECOND)


def test_what_the_laboratory_timed_is_scored_by_its_times() -> None:
    """The guest's clock says a second of each sample, and the round trips say four."""
    timed = run(conditions={"timing": "laboratory"})
    trips = [
        RoundTrip("work", (1000 + 4 * n) * SECOND, n * SECOND, (n + 1) * SECOND, (1004 + 4 * n) * SECOND)
        for n in range(3)
    ]
    timed = replace(timed, probes=tuple(trips))
    by_host = replace(CORRECTED, rate=4.0, reference_host_ns=1000 * SECOND)
    assert score(timed, by_host, WINDOW).value == pytest.approx(40 / 8)
    assert score(timed, OWN, WINDOW).value == pytest.approx(40 / 2)


@pytest.mark.parametrize(("unit", "value"), [("1/s", 3.5), ("s", 14.0)])
def test_the_number_of_a_tool_is_converted(unit: str, value: float) -> None:
    tool = run(unit, kernel="command", agent_value=7.0)
    assert score(tool, CORRECTED, WINDOW).value == value
    assert score(tool, OWN, WINDOW).value == 7.0


def test_a_tool_whose_output_could_not_be_read_has_the_value_of_its_samples() -> None:
    assert score(run(kernel="command", agent_value=None), OWN, WINDOW).value == pytest.approx(20)


@pytest.mark.parametrize("samples", [[], [(0, 0, 5)], [(0, SECOND, 0)], [(SECOND, 0, 5)]])
def test_without_work_or_length_there_is_no_score(samples: list[tuple[int, int, int]]) -> None:
    empty = replace(run(), samples=tuple(Sample(start, end, work, "") for start, end, work in samples))
    with pytest.raises(NoScore, match="no sample could be used: no work was done") as caught:
        score(empty, OWN, WINDOW)
    assert (caught.value.kind, caught.value.fault) == (FailureKind.SAMPLES, None)


def test_a_value_and_its_inverse() -> None:
    assert (per_unit(10, 4, "B/s"), per_unit(10, 4, "s")) == (2.5, 0.4)
    assert (in_host_time(10, "B/s", 2.0), in_host_time(10, "s", 2.0)) == (5.0, 20.0)


def cut_to(of: Run, clock: ClockFit, window: tuple[float, float], limit: float) -> Run:
    return cut(of, clock, intervals.of_run(of, clock), window, limit)


def test_samples_outside_the_window_are_excluded(said: Said) -> None:
    of = replace(run(), samples=run().samples[:2])
    kept = cut_to(of, CORRECTED, (1000.0 * SECOND, 1003.0 * SECOND), 0.5)
    assert [sample.excluded for sample in kept.samples] == [None, Excluded.OUTSIDE]
    assert [bool(sample.mark) for sample in kept.samples] == [False, True]
    with pytest.raises(NoScore) as caught:
        cut_to(of, CORRECTED, (1001.0 * SECOND, 1003.0 * SECOND), 0.5)
    said(caught.value.reason)
    assert (caught.value.kind, caught.value.fault) == (FailureKind.SAMPLES, None)


def test_a_sample_may_lie_outside_of_the_window_for_one_percent_of_its_time() -> None:
    """The first sample of each guest but the last one begins a little before all have started."""
    of = replace(run(), samples=run().samples[:2])
    first, _ = intervals.of_run(of, CORRECTED)
    length = first.end_ns - first.start_ns
    for share, used in ((0.009, True), (0.011, False)):
        for window in (
            (first.start_ns + share * length, first.end_ns),
            (first.start_ns, first.end_ns - share * length),
            (first.start_ns + share / 2 * length, first.end_ns - share / 2 * length),
        ):
            if used:
                assert cut_to(of, CORRECTED, window, 0.5).samples[0].used
            else:
                with pytest.raises(NoScore):
                    cut_to(of, CORRECTED, window, 0.5)


def test_a_run_of_one_sample_may_lie_outside_for_a_tenth() -> None:
    of = replace(run(), samples=run().samples[:1])
    (only,) = intervals.of_run(of, CORRECTED)
    length = only.end_ns - only.start_ns
    assert cut_to(of, CORRECTED, (only.start_ns, only.end_ns - 0.09 * length), 0.5).samples[0].used
    with pytest.raises(NoScore):
        cut_to(of, CORRECTED, (only.start_ns, only.end_ns - 0.11 * length), 0.5)


def test_samples_whose_duration_is_not_known_are_excluded() -> None:
    """The bound is the same for both, and a share of the shorter one that exceeds the limit."""
    of = replace(run(), samples=(Sample(0, SECOND, 30, "a"), Sample(SECOND, SECOND + SECOND // 100, 1, "b")))
    jumped = RoundTrip(
        "during", 1002 * SECOND + 10**7, SECOND + SECOND // 50, SECOND + SECOND // 50, 1002 * SECOND + 10**7
    )
    of = replace(of, probes=(RoundTrip("during", 1000 * SECOND, 0, 0, 1000 * SECOND), jumped))
    kept = cut_to(of, CORRECTED, WINDOW, 0.05)
    assert [sample.excluded for sample in kept.samples] == [None, Excluded.CLOCK_ERROR]
    assert kept.samples[1].mark.endswith("exceeds the limit of 5.00%")
    with pytest.raises(NoScore, match="longer windows make it smaller") as caught:
        cut_to(of, CORRECTED, WINDOW, 1e-7)
    assert caught.value.kind is FailureKind.CLOCK
    assert caught.value.fault is not None and caught.value.fault.kind == "uncertain"
