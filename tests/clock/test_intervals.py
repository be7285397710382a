"""What the line of a clock leaves open, for single samples. Tests of `iterations` and `steps` have their durations."""

from __future__ import annotations

import math

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
    found = intervals.by_line(samples, FIT, probes)
    return [one.bound_s - (span[1] - span[0]) * FIT.rate_bound * 1e-9 for one, span in zip(found, spans, strict=True)]


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


def test_the_run_says_who_timed_it_and_not_the_number_of_its_round_trips() -> None:
    """As many round trips of work as samples, of 2 s each: they count where the laboratory timed the run."""
    run = with_probes([])
    work = tuple(
        RoundTrip("work", 2 * number * 10**9, one.start_ns, one.end_ns, 2 * (number + 1) * 10**9)
        for number, one in enumerate(run.samples)
    )
    by_guest, by_host = with_probes([*work]), with_probes([*work], timing="laboratory")
    lasted = [(sample.end_ns - sample.start_ns) * 1e-9 for sample in run.samples]
    assert [one.duration_s for one in intervals.of_run(by_guest)] == pytest.approx(lasted)
    assert [one.duration_s for one in intervals.of_run(by_host)] == pytest.approx([2.0] * len(work))
    own = ClockFit(0, 0, 1.0, math.nan, math.nan, 0)
    assert [one.duration_s for one in intervals.of_run(by_host, own)] == pytest.approx(lasted), "guest-timed reports"


def test_pings_of_the_history_alone_are_neither_residual_nor_drift() -> None:
    """The line is that of the run: it is not expected to reach back to where the guest was new."""
    early = RoundTrip("early", -(10**9), -(10**9) + 5 * 10**6, -(10**9) + 5 * 10**6, -(10**9) + 30)
    assert residual_s(with_probes([early, *GOOD])) == 0.0
    assert bounds_of([early, *GOOD], (-(10**9), 500)) == [0.0]


@pytest.mark.parametrize(("gone_ns", "doubted"), [(0, True), (100_000, False), (350_000, False), (500_000, True)])
def test_a_clock_ticks_that_stands_still_between_two_pings_or_goes_twice_as_far(gone_ns: int, doubted: bool) -> None:
    """The pings are 0.2 ms apart: a sample that lies elsewhere is not doubted for a smaller drift."""
    guest, sent = GOOD[-1].sent_guest_ns + gone_ns, GOOD[-1].received_host_ns + 200_000
    (beside_s,) = bounds_of([*GOOD, RoundTrip("during", sent, guest, guest, sent + 10)], (10**7, 2 * 10**7))
    assert (beside_s > 0) == doubted
