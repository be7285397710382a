"""The record of a trial that failed."""

from __future__ import annotations

from virtometer.model import Failure, FailureKind, Mark, MarkKind, Placement, Trial
from virtometer.runner.execution.failures import TrialFailed, failed

TRIAL = Trial(0, 0, 0, 0, (Placement("a", "w"), Placement("b", "w", ordinal=1)))


def test_a_failure_names_its_placement_by_its_place() -> None:
    assert TrialFailed(FailureKind.GUEST, "it is gone", TRIAL.placements[1]).failure.placement == 1
    assert TrialFailed(FailureKind.SAMPLES, "nobody worked").failure.placement is None


def test_a_reason_is_one_line_that_says_nothing_to_a_terminal() -> None:
    mark = Mark(MarkKind.REPEATED, "it was repeated")
    record = failed(TRIAL, Failure(FailureKind.AGENT, "one\ntwo \x1b[2J", 1), "2026", 0.5, marks=[mark])
    assert record.reason == "b: one two \\x1b[2J" and record.marks == (mark,)
    assert (record.runs, record.host, record.start_skew_ns, record.wall_s) == ((), None, 0, 0.5)
