"""Raw values: those by the guests' own clocks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, in_rounds, lied, simulate, with_runs
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.clock import intervals
from virtometer.model import Campaign, ClockFault, Excluded, Mark, MarkKind, RoundTrip, Run, ServiceAccount

RATE = Work("rate", "memory", "triad", "B/s", 1e9)
TIME = Work("time", "os", "fork", "s", 1e-8)


def campaign(rate: float, extra: dict[str, Any] | None = None) -> Campaign:
    """The guest `off` has a clock of which a second lasts `rate` host seconds. Samples add up to the values."""

    def put(run: Run) -> Run:
        of = rate if run.placement.environment == "off" else 1.0
        done = sum(sample.end_ns - sample.start_ns for sample in run.samples) * 1e-9 * of
        work = round((done / run.scored.value if run.unit == "s" else done * run.scored.value) / len(run.samples))
        samples = tuple(replace(sample, work=work) for sample in run.samples)
        return changed(run, clock=replace(run.scored.clock, rate=of), samples=samples, **(extra or {}))

    return with_runs(simulate([Place("native"), Place("off")], [RATE, TIME]), put)


@pytest.mark.parametrize("rate", [0.5, 1.0, 2.0])
def test_a_clock_that_is_used_makes_its_guest_look_quicker_or_slower(rate: float) -> None:
    raw = by_guest_clocks(campaign(rate))
    assert raw.clock == "guest" and raw.recorded is not None and raw.recorded.clock == "host"
    ratios = {(f.workload, f.subject): f.ratio.estimate.value for f in analyse(raw).findings if f.ratio.estimate}
    # A guest second of two host seconds: twice the work in a second of its own, each operation in half the time.
    assert ratios["rate", "off"] == pytest.approx(rate)
    assert ratios["time", "off"] == pytest.approx(rate)
    fits = [run.scored.clock for record in raw.trials for run in record.runs]
    assert all(fit.rate == 1.0 and fit.probes == 0 for fit in fits)
    assert all(math.isnan(fit.relative_bound) and math.isnan(fit.bound_at_ns(0)) for fit in fits), "nobody knows"


def test_a_tools_raw_value_is_what_it_said() -> None:
    raw = by_guest_clocks(campaign(2.0, {"kernel": "command", "agent_value": 7.0}))
    assert {run.scored.value for record in raw.trials for run in record.runs} == {7.0}


@pytest.mark.parametrize("rate", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("windows", "told"), [(1.0, True), (3.0, True), (5.0, False)])
def test_how_much_of_the_window_is_timed_does_not_depend_on_the_clock_that_is_used(
    rate: float, windows: float, told: bool
) -> None:
    """Whether the host's CPU time is reported: the samples cover all, a third or a fifth of the window."""

    def put(run: Run) -> Run:
        timed_ns = sum(s.end_ns - s.start_ns for s in run.samples) * run.scored.clock.rate
        return changed(run, window_end_host_ns=run.scored.window_start_host_ns + round(windows * timed_ns))

    made = with_runs(campaign(rate), put)
    for one in (made, by_guest_clocks(made)):
        assert {
            finding.host_cpu_ratio is not None for finding in analyse(one).findings if finding.subject == "off"
        } == {told}
    for record in by_guest_clocks(made).trials:
        (run,) = record.runs
        score = run.scored
        # The guest's second of samples, and as much more of its window.
        assert score.window_end_host_ns - score.window_start_host_ns == pytest.approx(windows * 1e9, rel=1e-6)
        first, last = (score.clock.to_host_ns(at) for at in (run.samples[0].start_ns, run.samples[-1].end_ns))
        assert score.window_start_host_ns - 1 <= first < last <= score.window_end_host_ns + 1


def test_what_the_laboratory_timed_is_raw_by_the_guests_clock_too() -> None:
    made = campaign(1.0)
    (run,) = made.trials[0].runs
    host = [2 * 10**9 * number for number in range(len(run.samples))]
    timed = changed(
        run,
        conditions={"timing": "laboratory"},
        probes=tuple(
            RoundTrip("work", at, one.start_ns + 1, one.end_ns + 1, at + 10**9)
            for at, one in zip(host, run.samples, strict=True)
        ),
        clock=replace(run.scored.clock, rate=4.0),
    )
    trials = (replace(made.trials[0], runs=(timed,)),)
    assert [one.duration_s for one in intervals.of_run(timed)] == pytest.approx([1.0] * 4)
    (raw,) = by_guest_clocks(replace(made, trials=trials)).trials[0].runs
    assert [one.duration_s for one in intervals.of_run(raw)] == pytest.approx([0.25] * 4)


def test_what_failed_by_its_clock_has_a_raw_value_and_says_so() -> None:
    """By its own clock nothing was wrong: the guests whose clocks lie most are the ones that raw values are for."""
    made = campaign(1.0)
    fault = ClockFault("uncertain", bound=0.0064)
    trials = tuple(
        lied(record, fault, "not known") if record.trial.placements[0].environment == "off" else record
        for record in made.trials
    )
    failed = replace(made, trials=trials)
    assert {f.subject for f in analyse(failed).findings if f.ratio.estimate} == {"native"}
    raw = by_guest_clocks(failed)
    ratios = {(f.workload, f.subject): f.ratio.estimate.value for f in analyse(raw).findings if f.ratio.estimate}
    assert ratios["rate", "off"] == pytest.approx(1.0, rel=0.05)
    assert ratios["time", "off"] == pytest.approx(1.0, rel=0.05)
    marked = [record for record in raw.trials if record.marks]
    assert {record.marks for record in marked} == {(Mark(MarkKind.CLOCK, "off: not known"),)}
    assert len(marked) == len(raw.trials) / 2
    assert all(sample.used for record in marked for run in record.runs for sample in run.samples)


def test_what_failed_otherwise_or_lacks_its_end_has_no_raw_value() -> None:
    record = campaign(1.0).trials[0]
    failed = lied(record, ClockFault("stepped", 3.0))
    (run,) = failed.runs
    back = tuple(replace(one, end_ns=one.start_ns - 1) for one in run.samples)
    for kept in (replace(run, fault=None), replace(run, report=None), replace(run, samples=back)):
        told = replace(failed, runs=(kept,))
        assert by_guest_clocks(replace(campaign(1.0), trials=(told,))).trials == (told,)


def test_long_windows_stay_apart_in_raw_values() -> None:
    made = with_runs(campaign(2.0), lambda run: in_rounds(run, [1e9] * 10, [[4e9] * 12]))
    step = ClockFault("stepped", 3.0)
    trials = tuple(lied(record, step) if record.trial.block else record for record in made.trials)
    raw = by_guest_clocks(replace(made, trials=trials))
    for record in raw.trials:
        (run,) = record.runs
        assert [sample.excluded for sample in run.samples] == [Excluded.LONG_WINDOW] * 12 + [None] * 10
        assert run.scored.value == pytest.approx(1e9 if run.unit == "B/s" else 1e-9, rel=1e-3)
        assert run.in_slices and not run.in_long_windows
    assert {bool(record.marks) for record in raw.trials} == {True, False}, "some failed by their clock"


def test_a_raw_clock_that_stood_still_in_a_slice_leaves_that_round_out() -> None:
    def put(run: Run) -> Run:
        of = in_rounds(run, [1e9] * 10)
        still = replace(of.samples[0], end_ns=of.samples[0].start_ns)
        return replace(of, samples=(still, *of.samples[1:]))

    findings = analyse(by_guest_clocks(with_runs(campaign(1.0), put))).findings
    assert {round(one.typical.estimate.value, 9) for one in findings if one.typical is not None} == {1.0}
    assert sum(one.typical is not None for one in findings) == 2


def test_a_service_has_no_score_by_any_clock() -> None:
    record = campaign(1.0).trials[0]
    serving = replace(record.runs[0], score=None, account=ServiceAccount(0.5, None))
    of = replace(campaign(1.0), trials=(replace(record, runs=(*record.runs, serving)),))
    assert by_guest_clocks(of).trials[0].runs[1] == serving
