"""What the line of a clock leaves open, for single samples. Tests of `iterations` and `steps` have their durations."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate
from virtometer.clock import intervals
from virtometer.clock.intervals import residual_s
from virtometer.model import ClockFit, RoundTrip, Run, Sample

FIT = ClockFit(0, 0, 1.0, 1000.0, 1e-6, 10)

GOOD = [RoundTrip("during", t - 10, t, t + 5, t + 20) for t in range(0, 1000, 100)]
# Guest time goes on by 2 ms more than the host's between the last good probe and this one, which comes 0.1 s later.
JUMPED = [*GOOD, RoundTrip("during", 100_000_990, 102_001_000, 102_001_005, 100_001_020)]


def with_probes(probes: list[RoundTrip], **conditions: str) -> Run:
    (record,) = simulate([Place("native")], [Work("clock", "clock", "watch", "s", 3e-8)], blocks=1).trials
    return changed(record.runs[0], clock=FIT, probes=tuple(probes), conditions=conditions)


def test_what_no_line_explains_is_the_residual() -> None:
    assert residual_s(with_probes(GOOD)) == 0.0
    assert residual_s(with_probes(JUMPED)) == pytest.approx(2e-3, rel=1e-3)
    back = [*GOOD, RoundTrip("during", 4_000_990, 1_001_000, 1_001_005, 4_001_020)]
    assert residual_s(with_probes(back)) == pytest.approx(3e-3, rel=1e-3)


def test_the_line_of_work_that_the_laboratory_timed_misses_only_what_is_beyond_its_bound() -> None:
    """It is made of the work, not of the probes: they lie beside it by as much as it says."""
    near = [*GOOD, RoundTrip("during", 1_000_990, 1_001_700, 1_001_705, 1_001_020)]
    assert residual_s(with_probes(near)) == pytest.approx(0.69e-6, rel=0.02)
    assert residual_s(with_probes(near, timing="laboratory")) == 0.0, "within 1 µs"
    assert residual_s(with_probes(JUMPED, timing="laboratory")) == pytest.approx(2e-3 - 1e-6, rel=1e-3)


def bounds_of(probes: list[RoundTrip], *spans: tuple[int, int]) -> list[float]:
    """What the bounds of samples hold beside that of the rate, in s."""
    samples = [Sample(start, end, 1, "") for start, end in spans]
    found = intervals.of(samples, FIT, probes)
    return [one.bound_s - FIT.duration_bound_s(*span) for one, span in zip(found, spans, strict=True)]


def test_what_came_at_once_between_two_probes_is_in_the_bound_of_every_sample_there() -> None:
    ends = [(JUMPED[-1].received_guest_ns + t, JUMPED[-1].sent_host_ns + t) for t in (10**8, 2 * 10**8)]
    later = [*JUMPED, *(RoundTrip("during", host, guest, guest + 5, host + 30) for guest, host in ends)]
    before, within, across, after = bounds_of(
        later, (100, 500), (10_000, 2_000_000), (500, 102_500_000), (102_100_000, 103_500_000)
    )
    assert (before, after) == (0.0, 0.0), "where one line explains the probes it holds for the samples between"
    assert within == across == pytest.approx(2e-3, rel=1e-3)


def test_a_clock_that_contradicts_itself_within_a_moment_is_doubted_everywhere() -> None:
    """It ticks: both ends of any sample may lie as far beside the line as a probe does."""
    ticked = [*GOOD, RoundTrip("during", 1990, 3_001_000, 3_001_005, 2020)]
    assert bounds_of(ticked, (100, 500), (5 * 10**6, 6 * 10**6)) == pytest.approx([2 * 2_998_985e-9] * 2, rel=1e-4)


def test_what_a_time_daemon_may_have_bent_is_shared_by_the_time_between_two_probes() -> None:
    """100 ppm are no step: a sample of a hundredth of that time is off by a hundredth of what the line misses."""
    bent = [GOOD[0], RoundTrip("during", 10**9 - 10, 10**9 + 100_000, 10**9 + 100_005, 10**9 + 20)]
    part, whole = bounds_of(bent, (10**8, 11 * 10**7), (5, 10**9 + 100_000))
    assert whole == pytest.approx(1e-4, rel=0.01)
    assert part == pytest.approx(1e-6, rel=0.01)
