"""The stretch that guests share, and what is wrong with guests that work at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

from tests.sentences import Said
from virtometer.analysis.score.overlap import (
    TimedRun,
    account_mark,
    load_marks,
    overlap,
    overlap_mark,
    shared_about_s,
    start_skew_ns,
    stretch,
    whole_mark,
    within_windows,
)
from virtometer.clock.intervals import Intervals
from virtometer.model import ClockFit, Excluded, MarkKind, Placement, RoundTrip, Run, Sample, Score

CLOCK = ClockFit(0, 0, 1.0, 1.0, 1e-9, 3)


@dataclass
class Ran:
    """What of a run is asked here."""

    by_tool: bool
    placement: Placement


def ran(*samples_ms: tuple[float, float], seconds: float = 1.0, measured: bool = True, tool: bool = False) -> TimedRun:
    """A run with samples from one ms to another."""
    start, end = (np.array(side) * 1e6 for side in zip(*samples_ms, strict=True))
    zeros = np.zeros(len(start))
    intervals = Intervals(start, end, (end - start) * 1e-9, zeros, zeros, zeros)
    run = Ran(tool, Placement("box", "spin", "measured" if measured else "load", guest=2))
    return TimedRun(cast(Run, run), CLOCK, intervals, "box #2", seconds)


def test_the_stretch_is_what_all_measured_share() -> None:
    timed = [ran((10, 20), (20, 400)), ran((15, 500)), ran((0, 30), measured=False)]
    assert stretch(timed) == (15e6, 400e6)
    assert start_skew_ns(timed) == 5_000_000


def windows(*spans_ms: tuple[int, int, int]) -> tuple[list[Sample], Intervals]:
    """Samples with the number of their window, and from one ms to another."""
    samples = [Sample(begin, end, 1, "ok", slice=number) for number, begin, end in spans_ms]
    return samples, ran(*((begin, end) for _, begin, end in spans_ms)).intervals


def test_in_each_window_counts_what_all_share() -> None:
    one = windows((0, 0, 10), (0, 10, 20), (0, 20, 30), (2, 100, 104), (3, 200, 210))
    other = windows((0, 8, 12), (0, 12, 20), (0, 20, 35), (2, 105, 112))
    (mine, others), found = within_windows([one, other])
    assert [sample.used for sample in mine] == [False, True, True, False, False]
    assert [sample.used for sample in others] == [True, True, True, False], "what begins within"
    assert {sample.excluded for sample in mine if not sample.used} == {Excluded.OUTSIDE}
    (window,) = found.values()
    assert (window.start_ns, window.end_ns, window.skew_ns) == (8e6, 30e6, 8_000_000)


def test_what_was_excluded_before_is_no_part_of_a_window() -> None:
    samples, timed = windows((0, 0, 10), (0, 10, 20))
    samples[0] = replace(samples[0], excluded=Excluded.WARM_UP)
    ((first, second),), found = within_windows([(samples, timed)])
    assert first.excluded is Excluded.WARM_UP and second.used
    assert (found[0].start_ns, found[0].skew_ns) == (10e6, 0)


@pytest.mark.parametrize(
    ("timed", "expected"),
    [
        ([ran((0, 1000)), ran((0, 1000))], 1.0),
        ([ran((0, 1000)), ran((600, 1600))], 0.4),
        ([ran((0, 200)), ran((0, 1000))], 1.0),  # work that runs to completion
        ([ran((0, 200)), ran((150, 1000))], 0.25),
        ([ran((0, 200)), ran((300, 1000))], 0.0),
    ],
)
def test_how_much_of_the_shortest_window_is_shared(timed: Sequence[TimedRun], expected: float) -> None:
    share = overlap(timed)
    assert share == pytest.approx(expected)
    mark = overlap_mark(share)
    assert (mark is None) is (expected >= 0.5)
    if mark is not None:
        assert mark.kind is MarkKind.OVERLAP


@pytest.mark.parametrize(
    ("second_ms", "share", "marked"),
    [((0, 2000), 1.0, False), ((100, 2100), 0.905, False), ((300, 2300), 0.85, True), ((1200, 3200), 0.4, True)],
)
def test_tools_are_to_run_together_for_most_of_their_whole_runs(
    second_ms: tuple[float, float], share: float, marked: bool
) -> None:
    found = overlap([ran((0, 2000), tool=True), ran(second_ms, tool=True)])
    assert found == pytest.approx(share, rel=0.06)
    assert (overlap_mark(found, by_tool=True) is not None) is marked


def test_a_short_tool_beside_a_long_one_has_little_of_its_run() -> None:
    assert overlap([ran((0, 200), tool=True), ran((0, 2000), tool=True)]) == pytest.approx(0.1)


def test_a_run_of_one_iteration_says_how_long_it_was_beside_the_others(said: Said) -> None:
    assert whole_mark([ran((0, 1000)), ran((5, 1000))]) is None
    assert whole_mark([ran((0, 500), (500, 1000)), ran((0, 500), (500, 1200))]) is None, "it has samples within"
    found = whole_mark([ran((0, 1000)), ran((0, 940)), ran((0, 2000), measured=False)])
    assert found is not None and found.kind == "overlap"
    said(found.text)


def test_what_guests_share_is_about_known_while_they_live() -> None:
    """The clock of the second is 5 s ahead, and its round trips say so."""
    one, other = (
        windows((0, 0, 10), (0, 10, 20), (1, 100, 112), (1, 112, 120))[0],
        windows((0, 8, 20), (1, 110, 118))[0],
    )
    ahead_ns = 5_000_000_000
    ns = [[(round(s.start_ns * 1e6), round(s.end_ns * 1e6)) for s in samples] for samples in (one, other)]
    runs = []
    for samples, times, offset in zip((one, other), ns, (0, ahead_ns), strict=True):
        moved = [replace(s, start_ns=a + offset, end_ns=b + offset) for s, (a, b) in zip(samples, times, strict=True)]
        trips = [RoundTrip("during", at, at + 1000 + offset, at + 1000 + offset, at + 2000) for at in (0, 60_000_000)]
        runs.append((moved, trips))
    assert shared_about_s(runs) == pytest.approx(0.012 + 0.008)
    assert shared_about_s([*runs, ([], [])]) == 0.0


def test_a_load_that_did_not_run_throughout_is_said() -> None:
    measured = ran((100, 1100))
    window = stretch([measured])
    assert load_marks([measured, ran((0, 2000), measured=False)], window) == []
    (mark,) = load_marks([measured, ran((0, 600), measured=False)], window)
    assert str(mark) == "load: the load spin in box #2 ran for 50% of the stretch"
    (mark,) = load_marks([measured, ran((1200, 1300), measured=False)], window)
    assert "ran for 0% of the stretch" in mark.text


def with_cpu(guest_id: str, cpu_s: float | None) -> Run:
    fields: dict[str, Any] = dict.fromkeys(Run.__dataclass_fields__)
    fields |= {"guest_id": guest_id, "score": Score(1.0, 1, CLOCK, 0, 10**9, cpu_s)}
    return Run(**fields)


def test_no_guests_have_more_cpu_time_than_the_host(said: Said) -> None:
    assert account_mark([with_cpu("a", 1.0), with_cpu("b", 1.0)], 2, 1.0) is None
    assert account_mark([with_cpu("a", 1.5), with_cpu("a", 1.5)], 2, 1.0) is None, "one guest is counted once"
    service = replace(with_cpu("c", None), score=None)
    assert account_mark([with_cpu("a", None), with_cpu("b", 9.0)], 1, 1.0) is None, "nothing is known of both"
    assert account_mark([with_cpu("a", 1.0), with_cpu("a", None)], 1, 1.0) is None
    alone = account_mark([with_cpu("a", 3.0), service], 2, 1.0)
    assert alone is not None and alone.text.startswith("the guest is said to have had 3.000 s of CPU time")
    mark = account_mark([with_cpu("a", 1.2), with_cpu("b", 1.0)], 2, 1.0)
    assert mark is not None and mark.kind is MarkKind.ACCOUNT
    assert "had 2.200 s of CPU time" in mark.text and "the host had 2.000 s" in mark.text
    said(mark.text)
