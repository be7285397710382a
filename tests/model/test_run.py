"""What a record of a trial says of itself, from its failure alone."""

from __future__ import annotations

import pytest

from virtometer.model import (
    Excluded,
    Failure,
    FailureKind,
    Mark,
    MarkKind,
    Placement,
    Run,
    Sample,
    Trial,
    TrialRecord,
)

TRIAL = Trial(0, 0, 0, 0, (Placement("native", "w"), Placement("box", "w", ordinal=1)))


def record(failure: Failure | None) -> TrialRecord:
    return TrialRecord(TRIAL, failure, "", 1.0, 0, None, (), ())


def test_a_trial_without_a_failure_is_done() -> None:
    done = record(None)
    assert (done.status, done.reason, done.unavailable, done.at_fault) == ("done", "", False, False)


@pytest.mark.parametrize(
    ("placement", "unavailable", "otherwise"),
    [(None, "not available here: no disk", "no disk"), (1, "box: not available here: no disk", "box: no disk")],
)
def test_the_reason_names_the_environment_of_the_placement(
    placement: int | None, unavailable: str, otherwise: str
) -> None:
    for kind in FailureKind:
        failed = record(Failure(kind, "no disk", placement))
        here = kind is FailureKind.UNAVAILABLE
        assert (failed.status, failed.unavailable, failed.at_fault) == ("failed", here, not here)
        assert failed.reason == (unavailable if here else otherwise)


def test_a_mark_of_an_older_version_is_its_text() -> None:
    assert str(Mark(MarkKind.STEAL, "7%")) == "steal: 7%"
    assert str(Mark(MarkKind.STEAL, "7%")) == "steal: 7%"


def test_a_sample_is_used_unless_it_is_excluded() -> None:
    assert Sample(0, 1, 1, "").used
    assert not any(Sample(0, 1, 1, "", why).used for why in Excluded)


def test_what_slices_and_long_windows_excluded_by_design_is_not_unused() -> None:
    kept = {why for why in Excluded if not Sample(0, 1, 1, "", why).unused}
    assert kept == {Excluded.LONG_WINDOW, Excluded.SLICE, Excluded.WARM_UP}
    assert not Sample(0, 1, 1, "").unused


@pytest.mark.parametrize(
    ("slices", "excluded", "in_slices", "in_long_windows"),
    [
        ([], [], False, False),
        ([None, None], [None, None], False, False),
        ([0, 1], [None, None], True, False),
        ([-1, 0], [Excluded.LONG_WINDOW, None], True, False),
        ([0, 0], [Excluded.WARM_UP, None], True, False),
        ([-1, 0], [None, Excluded.SLICE], True, True),
        ([-1, -2], [None, None], True, True),
        ([-1, -2], [None, Excluded.CLOCK_ERROR], True, True),
    ],
)
def test_a_run_says_whether_it_took_turns_and_counts_by_its_long_windows(
    slices: list[int | None], excluded: list[Excluded | None], in_slices: bool, in_long_windows: bool
) -> None:
    samples = tuple(Sample(0, 1, 1, "", why, slice=number) for number, why in zip(slices, excluded, strict=True))
    run = Run(TRIAL.placements[0], "g", "memory", "triad", {}, 1, "B/s", "higher", {}, samples, ())
    assert (run.in_slices, run.in_long_windows) == (in_slices, in_long_windows)


@pytest.mark.parametrize(
    ("kernel", "op", "parameters", "expected"),
    [
        ("command", "run", {}, True),
        ("command", "time", {"output": "digest"}, False),
        ("command", "time", {"keep-output": True}, True),
        ("memory", "time", {"keep-output": True}, False),
    ],
)
def test_a_command_that_is_timed_is_no_tool_unless_its_output_is_the_result(
    kernel: str, op: str, parameters: dict[str, object], expected: bool
) -> None:
    run = Run(Placement("native", "w"), "guest", kernel, op, parameters, 1, "s", "lower", {}, (), ())
    assert run.by_tool is expected
