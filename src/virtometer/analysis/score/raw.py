"""A campaign as the guests' own clocks timed it, without correction."""

from __future__ import annotations

import math
from dataclasses import replace

from virtometer.analysis.score.of_run import NoScore, WindowBounds, score
from virtometer.analysis.score.slices import counted_in_slices
from virtometer.model import Campaign, ClockFit, FailureKind, Mark, MarkKind, Run, TrialRecord


def by_guest_clocks(campaign: Campaign) -> Campaign:
    """The same samples, timed by the guests' own clocks. Trials that failed because of a clock count, and are marked.

    Such a campaign does not show the error of these clocks. Only `recorded` in it does.
    """
    trials = tuple(_failed(record) if record.failure is not None else _done(record) for record in campaign.trials)
    return replace(campaign, trials=trials, clock="guest", recorded=campaign)


def _done(record: TrialRecord) -> TrialRecord:
    return replace(record, runs=tuple(run if run.score is None else _scored_again(run) for run in record.runs))


def _scored_again(run: Run) -> Run:
    """By the guest's clock, over a window that is as long as that clock said."""
    fit = run.scored.clock
    clock = _own(fit.reference_guest_ns, fit.reference_host_ns)
    ends = (run.scored.window_start_host_ns, run.scored.window_end_host_ns)
    begin, end = (fit.reference_host_ns + (ns - fit.reference_host_ns) / fit.rate for ns in ends)
    made = score(run, clock, (begin, end), run.scored.guest_cpu_s)
    return replace(run, score=replace(made, guest_use=run.scored.guest_use))


def _failed(record: TrialRecord) -> TrialRecord:
    """A trial that failed because of a clock, as if that clock had been right; marked with the reason.

    Unchanged where another reason ended it, or where the samples in total have no length by that clock.
    """
    if not any(run.fault for run in record.runs) or len(record.runs) < len(record.trial.placements):
        return record
    try:
        runs = tuple(_scored_at_last(run) for run in record.runs)
    except NoScore:
        return record
    marks = (*record.marks, Mark(MarkKind.CLOCK, record.reason))
    return replace(record, failure=None, marks=marks, runs=runs)


def _scored_at_last(run: Run) -> Run:
    if run.report is None or run.report.value is None or not run.probes or not run.samples:
        raise NoScore(FailureKind.CLOCK, "the run did not come to its end")
    clock = _own(run.probes[0].received_guest_ns, run.probes[0].sent_host_ns)
    used = [replace(sample, excluded=None, mark="") for sample in run.samples]
    run = replace(run, samples=counted_in_slices(used))
    window: WindowBounds = (clock.to_host_ns(run.samples[0].start_ns), clock.to_host_ns(run.samples[-1].end_ns))
    return replace(run, score=score(run, clock, window))


def _own(guest_ns: int, host_ns: int) -> ClockFit:
    """The clock that says of itself that it is right, and how well is not known."""
    return ClockFit(guest_ns, host_ns, 1.0, math.nan, math.nan, 0)
